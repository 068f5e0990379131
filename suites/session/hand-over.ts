/** Row 10: messages stored before, during and after a swarm change. */
import { comparedCopies } from './change-measures.ts';
import { type Course, courseRow } from './course.ts';
import { HEARD, inFirstSwarm, silent } from './darkness.ts';
import { type Desk, MINUTE_MS } from './desk.ts';

const EACH = 6;
/** How long a member is behind. */
const LAG_MS = 10 * MINUTE_MS;
/** None of so many stores goes to one of five members once in ten thousand times. */
const LEAVER_TURNS = 42;

/** Stores so many messages; those that were acknowledged count. */
async function stored(desk: Desk, count: number): Promise<number> {
  const answers = await desk.sends(count, { method: 'store' });
  return answers.filter(({ ok }) => ok).length;
}

/** Looks until the members agree with each other and with what was acknowledged, for a while. What failed may have been kept. */
async function noteMembers(desk: Desk, acknowledged: number, unsettled = 0): Promise<void> {
  const [account] = await desk.accounts();
  const { members } = await desk.swarmOf(account.id);
  const { missing, surplus } = comparedCopies(
    await desk.heldBy(members, account, acknowledged),
    acknowledged,
    unsettled,
  );
  desk.note('missing', missing);
  desk.note('surplus', surplus);
  await desk.send();
  await desk.noteState();
}

const NOTHING_LOST: Course['bounds'] = [
  { measure: 'missing', op: '=', value: 0, reason: 'Every member of the swarm has what was acknowledged.' },
  { measure: 'surplus', op: '=', value: 0, reason: 'And nothing twice.' },
  {
    measure: 'answered',
    op: '=',
    value: 3 * EACH,
    reason: 'Each store is acknowledged, by a redirect if need be.',
  },
];

/** Stores before, two at a time from the order of a change until it is everybody's, and what is left of them after it. */
async function through(desk: Desk, change: (desk: Desk) => Promise<void>): Promise<void> {
  const before = await stored(desk, EACH);
  let everybodys = false;
  const [during] = await Promise.all([
    desk.atNextOrder(() => storedUntil(desk, () => everybodys)),
    change(desk).finally(() => {
      everybodys = true;
    }),
  ]);
  const after = await stored(desk, 2 * EACH - during.sent);
  await noteMembers(desk, before + during.acknowledged + after);
  noteReceived(desk);
}

/** Two at least, and fewer than all that are left. */
async function storedUntil(
  desk: Desk,
  over: () => boolean,
): Promise<{ readonly sent: number; readonly acknowledged: number }> {
  let sent = 0;
  const oneAfterAnother = async (): Promise<number> => {
    let acknowledged = 0;
    do {
      sent += 1;
      acknowledged += await stored(desk, 1);
    } while (!over() && sent < 2 * EACH - 1);
    return acknowledged;
  };
  // While one has ended and its next has not begun, the other is under way.
  const [first, second] = await Promise.all([oneAfterAnother(), oneAfterAnother()]);
  return { sent, acknowledged: first + second };
}

function noteReceived(desk: Desk): void {
  desk.note('received', desk.trial.events.filter(({ event }) => event === 'message.received').length);
}

const RECEIVED: Course['bounds'] = [
  {
    measure: 'received',
    op: '=',
    value: 3 * EACH,
    reason: 'The owner reads each message, and reads it once.',
  },
  {
    measure: 'repeated',
    op: '=',
    value: 0,
    reason: 'No answer holds a message twice, whatever its reader makes of it.',
  },
];

const swarm = async (desk: Desk): Promise<string> => {
  const [account] = await desk.accounts();
  return (await desk.swarmOf(account.id)).swarm;
};

const courses: Readonly<Record<string, Course>> = {
  steady: {
    says: 'no change: every member has what one of them took',
    run: async (desk) => {
      await noteMembers(desk, await stored(desk, EACH));
    },
    bounds: NOTHING_LOST.map((bound) => (bound.measure === 'answered' ? { ...bound, value: EACH } : bound)),
    kills: { 'no-replication': 'the others never get it' },
  },
  dissolved: {
    says: 'the swarm is dissolved while messages are stored',
    run: (desk) => through(desk, async () => desk.epoch({ change: 'dissolve', swarm: await swarm(desk) })),
    bounds: [...NOTHING_LOST, ...RECEIVED],
    kills: {
      'no-hand-over': 'the messages of before stay where nobody looks for them',
      'copies-kept': 'each of the five old members leaves a copy with each of the new ones',
    },
  },
  moved: {
    says: 'the account moves to another swarm while messages are stored',
    run: (desk) =>
      through(desk, async () => {
        const [account] = await desk.accounts();
        await desk.moveAccount(account);
      }),
    bounds: [...NOTHING_LOST, ...RECEIVED],
  },
  'member-in-the-dark': {
    says: 'no change, and one member of the swarm is dark while messages are stored',
    client: { handshakeTimeoutMs: 1_000 },
    storage: { handshakeTimeoutMs: 1_000 },
    takesS: 25,
    run: [
      inFirstSwarm,
      silent('storage[1]'),
      async (desk) => desk.keep('acknowledged', await stored(desk, EACH)),
      HEARD,
      async (desk) => {
        // What was missed is tried again after pauses that double, up to ten seconds; in leaps of less than a handshake may take, so that
        // none of these is ended by a leap.
        for (let turn = 0; turn < 12; turn += 1) {
          await desk.leap(900);
          await desk.trial.wait('150ms');
        }
        const acknowledged = desk.kept<number>('acknowledged');
        await noteMembers(desk, acknowledged, EACH - acknowledged);
      },
    ],
    bounds: [
      ...NOTHING_LOST.filter(({ measure }) => measure !== 'answered'),
      {
        measure: 'answered',
        op: '>=',
        value: 1,
        reason: 'A store does not depend on a member that is away.',
      },
    ],
    kills: { 'no-retried-replication': 'the member that was dark never gets them' },
  },
  merged: {
    says: 'the swarm is merged into another one while messages are stored',
    run: (desk) =>
      through(desk, async () => {
        const own = await swarm(desk);
        await desk.epoch({ change: 'merge', swarm: own, into: own === '1' ? '2' : '1' });
      }),
    bounds: [...NOTHING_LOST, ...RECEIVED],
  },
  split: {
    says: 'the swarm is split at the account while messages are stored',
    run: (desk) =>
      through(desk, async () => {
        const [account] = await desk.accounts();
        await desk.epoch({ change: 'split', swarm: await swarm(desk), account: account.id });
      }),
    bounds: [...NOTHING_LOST, ...RECEIVED],
  },
  joined: {
    says: 'a node of another swarm joins while messages are stored',
    run: (desk) =>
      through(desk, async () => {
        const own = await swarm(desk);
        await desk.epoch({ change: 'move', node: own === '1' ? 'storage-6' : 'storage-1', to: own });
      }),
    bounds: [...NOTHING_LOST, ...RECEIVED],
  },
  'joined-anew': {
    says: 'a node that had left the network comes back into the account’s swarm while messages are stored',
    run: async (desk) => {
      const own = await swarm(desk);
      const node = own === '1' ? 'storage-6' : 'storage-1';
      await desk.epoch({ change: 'leave', node });
      await through(desk, () => desk.epoch({ change: 'join', node, swarm: own }));
    },
    bounds: [...NOTHING_LOST, ...RECEIVED],
  },
  left: {
    says: 'a member of the account’s swarm leaves the network while messages are stored',
    run: (desk) =>
      through(desk, async () => {
        const [account] = await desk.accounts();
        const [node] = (await desk.swarmOf(account.id)).members;
        await desk.epoch({ change: 'leave', node });
      }),
    bounds: [...NOTHING_LOST, ...RECEIVED],
  },
  'leaver-behind': {
    says: 'a member of the account’s swarm leaves the network, hears of it ten minutes later, and takes messages until then',
    takesS: 15,
    run: async (desk) => {
      const [account] = await desk.accounts();
      const [behind = ''] = (await desk.swarmOf(account.id)).members;
      await desk.launchStorage(behind, { lagMs: LAG_MS });
      const before = await stored(desk, EACH);
      await desk.epoch({ change: 'leave', node: behind }, [behind]);
      const took = async (): Promise<number> =>
        (await desk.storages()).find(({ name }) => name === behind)?.messages ?? 0;
      const had = await took();
      let during = 0;
      // By chance it is asked one time in five.
      for (let turn = 0; turn < LEAVER_TURNS && (await took()) === had; turn += 1)
        during += await stored(desk, 1);
      desk.note('takenByLeaver', (await took()) - had);
      await desk.leap(LAG_MS);
      await desk.holds('the leaver goes by the new list', async () =>
        (await desk.storages()).every(({ listsPending }) => listsPending === 0),
      );
      await noteMembers(desk, before + during);
    },
    bounds: [
      ...NOTHING_LOST.filter(({ measure }) => measure !== 'answered'),
      { measure: 'unanswered', op: '=', value: 0, reason: 'Each store is acknowledged.' },
      {
        measure: 'takenByLeaver',
        op: '>=',
        value: 1,
        reason: 'The others know that it has left, and refuse what it hands on.',
      },
    ],
    kills: { 'leavers-refused': 'what it took reaches nobody' },
  },
  'member-behind': {
    says: 'the account moves while messages are stored, and a member of its old swarm hears of it ten minutes later',
    takesS: 10,
    run: async (desk) => {
      const [account] = await desk.accounts();
      const [behind = ''] = (await desk.swarmOf(account.id)).members;
      await desk.launchStorage(behind, { lagMs: LAG_MS });
      const before = await stored(desk, EACH);
      const to = (await swarm(desk)) === '1' ? '2' : '1';
      const change = { change: 'move', account: account.id, to };
      const [early] = await Promise.all([stored(desk, EACH / 2), desk.epoch(change, [behind])]);
      // Everybody but one goes by the new list.
      const late = await stored(desk, EACH / 2);
      await desk.leap(LAG_MS);
      await desk.holds('the member that was behind goes by the new list', async () =>
        (await desk.storages()).every(({ listsPending }) => listsPending === 0),
      );
      const after = await stored(desk, EACH);
      await noteMembers(desk, before + early + late + after);
      noteReceived(desk);
    },
    bounds: [
      ...NOTHING_LOST,
      ...RECEIVED,
      {
        // Elsewhere the list spreads within milliseconds, and whether a store meets that is chance.
        measure: 'storedMeanwhile',
        op: '>=',
        value: EACH / 2,
        reason: 'Half of them are stored when all nodes but one go by the new list.',
      },
    ],
  },
};

export const handOver = courseRow({
  name: 'messages-over-a-change',
  description:
    'Messages stored before, during and after a swarm change: none lost, none doubled, and every member of the account’s swarm converges on the same.',
  courses,
});
