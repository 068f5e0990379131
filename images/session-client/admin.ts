import type { AdminAnswer, AdminHandler } from '../node-kit/index.ts';
import { errorName } from './errors.ts';
import { field } from './json-field.ts';
import type { Mailbox } from './mailbox.ts';
import type { Answer } from './request.ts';
import type { SessionClient } from './session-client.ts';

export interface Member {
  readonly client: SessionClient;
  readonly mailbox: Mailbox;
}

/** Less than the admin port waits: what takes longer ends in events alone. */
const ANSWER_WITHIN_MS = 4_000;
const RANDOM_NODES_MAX = 10_000;
const STRIKES_MAX = 100;

/**
 * What a scenario asks of clients. Every request may say `client` (a name or a number of the fleet) and is for all of them
 * otherwise.
 */
export function adminHandlers(
  members: readonly Member[],
  load: { start(): void; stop(): Promise<void> },
): Readonly<Record<string, AdminHandler>> {
  const forEach =
    (act: (member: Member, body: unknown) => unknown): AdminHandler =>
    async (body) => {
      const chosen = choose(members, field(body, 'client'));
      if (chosen.length === 0) return { status: 404, body: { error: 'client: no such one in this fleet' } };
      const results = chosen.map((member) => Promise.resolve(act(member, body)));
      return await withinLimit(Promise.all(results), chosen.length);
    };
  return {
    'POST /suspend': forEach(({ client }) => client.network.suspend()),
    'POST /resume': forEach(({ client }) => client.network.resume()),
    'POST /close': forEach(({ client }) => client.network.closeConnections()),
    'POST /refresh': forEach(
      ({ client }) => new Promise((resolve) => client.pool.refreshNow((refreshed) => resolve({ refreshed }))),
    ),
    'POST /random-nodes': forEach(({ client }, body) => {
      const count = Math.min(RANDOM_NODES_MAX, Number(field(body, 'count') ?? 1));
      return new Promise((resolve) =>
        client.network.getRandomNodes(count, (nodes) => resolve({ count: nodes.length })),
      );
    }),
    // What the library's interface lets its users say of a node that failed them elsewhere.
    'POST /strike': forEach(({ client }, body) => {
      const node = client.nodeNamed(String(field(body, 'node')));
      const times = Math.min(STRIKES_MAX, Number(field(body, 'times') ?? 1));
      for (let turn = 0; node && turn < times; turn += 1) client.pool.strikes.strike(node, 'reported');
      return { struck: node !== undefined };
    }),
    // What its users may ask of the library's transport, whatever its routers do.
    'POST /verify': forEach(({ client }, body) => {
      const node = client.nodeNamed(String(field(body, 'node'))) ?? '';
      return client.verify(node, field(body, 'reentrant') === true);
    }),
    'POST /send': forEach(sendOne),
    'POST /poll': forEach(({ mailbox }) => mailbox.poll()),
    'POST /pause': async () => {
      await load.stop();
      return { status: 200, body: {} };
    },
    'POST /start': () => {
      load.start();
      return { status: 200, body: {} };
    },
  };
}

/** `{method: store | retrieve | any other, account: label or id, params}` */
async function sendOne({ client, mailbox }: Member, body: unknown): Promise<unknown> {
  const method = String(field(body, 'method') ?? 'retrieve');
  const label = field(body, 'account');
  const account = mailbox.accounts.find(
    (one) => label === undefined || one.label === label || one.id === label,
  );
  const params = field(body, 'params');
  if (account && params === undefined && method === 'store') return summary(await mailbox.store(account));
  if (account && params === undefined && method === 'retrieve') return summary(await mailbox.read(account));
  const id = account?.id ?? String(label ?? '');
  return summary(await client.ask(id, method, params ?? { pubkey: id }));
}

function summary(answer: Answer | undefined): unknown {
  if (!answer) return { ok: false };
  const { ok, status, message, body } = answer;
  return { ok, status, error: ok ? null : errorName(status), message, body };
}

function choose(members: readonly Member[], client: unknown): readonly Member[] {
  if (client === undefined) return members;
  return members.filter(({ client: { own } }) => own.name === client || own.index === client);
}

async function withinLimit(all: Promise<readonly unknown[]>, clients: number): Promise<AdminAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<AdminAnswer>((resolve) => {
    timer = setTimeout(() => resolve({ status: 202, body: { clients, pending: true } }), ANSWER_WITHIN_MS);
  });
  const done = all.then((results): AdminAnswer => ({ status: 200, body: { clients, results } }));
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}
