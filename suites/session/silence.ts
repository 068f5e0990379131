/** Row 8 with packets that vanish: closed, suspended and connecting while nobody answers. */
import { type Course, type CourseCode, courseRow } from './course.ts';
import { HEARD, silent } from './darkness.ts';
import { CLIENT, type Desk } from './desk.ts';
import type { Settings } from './launch-settings.ts';

const DIRECT: Settings = { route: 'direct' };
const ONION: Settings = { route: 'onion', cacheMinSize: 6 };

const HTTPS_PORT = 22_021;

/** Long enough for a request to be on its way. */
const UNDER_WAY = '500ms';

interface Verified {
  readonly hangs?: true;
  readonly verified?: boolean;
  readonly coded?: boolean;
}

/** Asks once while all is well, so that what is asked for afterwards goes over connections or a path that stand. */
const oneAnswered: CourseCode = async (desk) => {
  await desk.sends(1);
};

/** Knows its pool, and has neither connection nor path. */
const withoutPath: CourseCode = async (desk) => {
  await desk.sends(1);
  await desk.command('/close');
};

/** One request that nobody will answer; a later part hears what became of it. */
const oneUnderWay: CourseCode = async (desk) => {
  desk.begin();
  const sent = desk.send();
  sent.catch(() => undefined); // Heard by a later part, unless something fails before.
  desk.keep('sent', sent);
  await desk.trial.wait(UNDER_WAY);
};

const itsEnd: CourseCode = async (desk) => {
  desk.noteAnswers([await desk.kept<ReturnType<Desk['send']>>('sent')]);
  await desk.noteState();
};

/** What the client does to itself while the request waits, and what became of the request. */
const endedBy =
  (command: '/suspend' | '/close'): CourseCode =>
  async (desk) => {
    await desk.command(command);
    await itsEnd(desk);
  };

const hasPathAgain: CourseCode = async (desk) => {
  await desk.holds('the client has a path again', async () => {
    const { router } = await desk.client();
    return (router.paths?.length ?? 0) > 0;
  });
};

const NOBODY_STRUCK: Course['bounds'][number] = {
  measure: 'strikes',
  op: '=',
  value: 0,
  reason: 'The verification is answered without an error code.',
  brokenBy: ['original'],
};

export const silenceCourses: Readonly<Record<string, Course>> = {
  'closed-under-way': {
    says: 'closed while a request waits for an answer that does not come',
    client: DIRECT,
    run: [oneAnswered, silent(CLIENT), oneUnderWay, endedBy('/close'), HEARD],
    bounds: [
      {
        measure: 'closedErrors',
        op: '=',
        value: 1,
        reason: 'ERROR_CONNECTION_CLOSED: it was closed and not suspended.',
        brokenBy: ['original'],
      },
      { measure: 'answeredTwice', op: '=', value: 0, reason: 'It is answered once, from a copy.' },
      { measure: 'strikes', op: '=', value: 0, reason: 'Our own close is no evidence against a node.' },
    ],
    kills: {
      'close-says-suspended': 'it ends with ERROR_NETWORK_SUSPENDED',
      'close-walks-members': 'the closing connection finds it, and fails it as one of a suspended network',
    },
  },
  'verified-under-way': {
    says: 'closed while a user of the library verifies a node that does not answer, and does so again when told of the end',
    client: DIRECT,
    run: [
      withoutPath,
      silent(CLIENT),
      async (desk) => {
        desk.begin();
        const name = desk.trial.nodes('storage')[0]?.name ?? '';
        const verified = desk.post<Verified>('/verify', { node: name, reentrant: true }, { hangs: true });
        verified.catch(() => undefined); // Heard below, unless something fails before.
        desk.keep('verified', verified);
        await desk.trial.wait(UNDER_WAY);
      },
      async (desk) => {
        await desk.command('/close');
        const { hangs, verified, coded } = await desk.kept<Promise<Verified>>('verified');
        desk.note('hanging', Number(hangs === true));
        desk.note('answered', Number(verified === true));
        desk.note('codedVerifications', Number(coded === true));
      },
      HEARD,
    ],
    bounds: [
      {
        measure: 'codedVerifications',
        op: '=',
        value: 0,
        reason: 'Our own close is no evidence, and whoever verifies may strike for a code.',
      },
      {
        measure: 'hanging',
        op: '=',
        value: 0,
        reason: 'Who verifies again from within the answer of a closing transport is answered too.',
      },
      { measure: 'answered', op: '=', value: 0, reason: 'Nobody was verified: nobody answered.' },
    ],
    kills: {
      'close-gives-code': 'it ends with code 0, as if the node had hung up',
      'reentrant-verify-waits': 'the second one is put where nobody looks any more, and never ends',
    },
  },
  'suspended-under-way': {
    says: 'suspended while a request waits for an answer that does not come',
    client: DIRECT,
    run: [oneAnswered, silent(CLIENT), oneUnderWay, endedBy('/suspend'), HEARD],
    bounds: [
      { measure: 'suspendedErrors', op: '=', value: 1, reason: 'With ERROR_NETWORK_SUSPENDED.' },
      { measure: 'answeredTwice', op: '=', value: 0, reason: 'It is answered once.' },
      { measure: 'strikes', op: '=', value: 0, reason: 'Our own suspension is no evidence against a node.' },
    ],
    kills: { 'suspended-says-closed': 'it ends with ERROR_CONNECTION_CLOSED' },
  },
  'suspended-in-a-handshake': {
    says: 'suspended while an edge node is being verified',
    client: ONION,
    run: [
      withoutPath,
      silent(CLIENT),
      oneUnderWay,
      endedBy('/suspend'),
      HEARD,
      async (desk) => {
        await desk.command('/resume');
        desk.note('answeredLater', Number((await desk.send()).ok));
      },
    ],
    bounds: [
      NOBODY_STRUCK,
      { measure: 'suspendedErrors', op: '=', value: 1, reason: 'The request that waited for the path ends.' },
      { measure: 'answeredLater', op: '=', value: 1, reason: 'Nothing of it is left when it resumes.' },
    ],
  },
  'closed-in-a-handshake': {
    says: 'closed while an edge node is being verified',
    client: ONION,
    run: [
      withoutPath,
      silent(CLIENT),
      oneUnderWay,
      endedBy('/close'),
      HEARD,
      async (desk) => {
        desk.note('answeredLater', Number((await desk.send()).ok));
      },
    ],
    bounds: [
      NOBODY_STRUCK,
      { measure: 'closedErrors', op: '=', value: 1, reason: 'The request that waited for the path ends.' },
      { measure: 'answeredLater', op: '=', value: 1, reason: 'The next request builds a path.' },
    ],
  },
  'handshake-too-long': {
    says: 'a path is to be built, and no edge node answers',
    client: { ...ONION, requestTimeoutMs: 20_000 },
    takesS: 12,
    run: [
      withoutPath,
      silent(CLIENT),
      oneUnderWay,
      async (desk) => {
        await desk.trial.wait('5s');
      },
      HEARD,
      hasPathAgain,
    ],
    bounds: [
      {
        measure: 'handshakeStrikes',
        op: '>=',
        value: 1,
        reason: 'The transport strikes a node that is too slow.',
      },
      {
        measure: 'verificationStrikes',
        op: '=',
        value: 0,
        reason: 'The router spares it then: one failure is one strike.',
      },
    ],
    kills: { 'handshake-struck-twice': 'each edge node is struck twice for one handshake' },
  },
  'edge-hangs-up': {
    says: 'a path is to be built, and every node ends the connection before it has said who it is',
    client: { ...ONION, requestTimeoutMs: 20_000, retryDelayMs: 500 },
    takesS: 10,
    run: [
      withoutPath,
      {
        fault: {
          kind: 'limit',
          id: 'silence',
          from: 'client',
          to: 'storage',
          ports: [HTTPS_PORT],
          bytes: 100,
        },
      },
      oneUnderWay,
      async (desk) => {
        await desk.trial.wait('2s');
      },
      HEARD,
      hasPathAgain,
    ],
    bounds: [
      {
        measure: 'verificationStrikes',
        op: '>=',
        value: 1,
        reason: 'The connection ended with code 0, and not by us: a failure of the node.',
      },
      { measure: 'handshakeStrikes', op: '=', value: 0, reason: 'It was not slow.' },
    ],
    kills: { 'code-zero-spared': 'a node that hangs up is never struck' },
  },
};

export const silence = courseRow({
  name: 'silent-network',
  description:
    'Closed, suspended and connecting while packets vanish: what waits is answered once and by its right name, and nobody is struck for what we did, or twice for one failure.',
  courses: silenceCourses,
});
