import { createFleet } from '../../harness/fleet/index.ts';
import { History, runLoad } from '../../harness/workload/index.ts';
import type { NodeContext, RunningNode } from '../node-kit/index.ts';
import { adminHandlers, type Member } from './admin.ts';
import { ClientAccount } from './client-account.ts';
import { nodeNames, seedNodes } from './client-settings.ts';
import { Mailbox } from './mailbox.ts';
import { SessionClient } from './session-client.ts';

const IN_FLIGHT_MAX = 16;

/** A fleet of clients, each with a pool, paths and an address of its own. */
export async function startFleet(node: NodeContext): Promise<RunningNode> {
  const { settings, seed, clock } = node;
  await clock.leap(settings.number('startLeapMs'));
  const addresses = node.fleet.length > 0 ? node.fleet : [node.address];
  const fleet = createFleet(node.name, addresses, node.chance('fleet'));
  const names = new Map(nodeNames(settings, seed));
  const history = new History(node.emit, node.name);
  const shared = settings.list('sharedAccounts');
  const facts = { node, seeds: seedNodes(settings, seed), nameOf: (text: string) => names.get(text) ?? text };
  const members = fleet.map((own): Member => {
    const labels = Array.from(
      { length: settings.number('accounts') },
      (_, index) => `${own.name}/${index + 1}`,
    );
    const accounts = [
      ...labels.map((label) => new ClientAccount(seed, label, false)),
      ...shared.map((label) => new ClientAccount(seed, label, true)),
    ];
    for (const { id, label } of accounts) names.set(id, label);
    const client = new SessionClient(facts, own);
    return { client, mailbox: new Mailbox(node, client, history, accounts) };
  });

  const load = new FleetLoad(node, members);
  const spreadMs = settings.number('startSpreadMs');
  for (const { client } of members) {
    if (spreadMs === 0) client.start();
    else clock.after(client.own.chance.derive('start').next() * spreadMs, () => client.start());
  }
  load.start();
  return {
    state: () => stateOf(members, facts.nameOf),
    handlers: adminHandlers(members, load),
    stop: async () => {
      for (const { client } of members) client.end();
      await load.stop();
    },
  };
}

/** Stores and polls at each client's own seeded pace, until it is stopped; it may be started again. */
class FleetLoad {
  readonly #node: NodeContext;
  readonly #members: readonly Member[];
  #stopping: AbortController | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(node: NodeContext, members: readonly Member[]) {
    this.#node = node;
    this.#members = members;
  }

  start(): void {
    if (this.#stopping) return;
    this.#stopping = new AbortController();
    const signals = [this.#node.signal, this.#stopping.signal];
    // One for each loop: hundreds of listeners at one signal look like a leak, and Node says so.
    const own = (): AbortSignal => AbortSignal.any(signals);
    this.#running = Promise.all(
      this.#members.flatMap((one) => [this.#stores(one, own()), this.#polls(one, own())]),
    );
  }

  async stop(): Promise<void> {
    this.#stopping?.abort();
    this.#stopping = undefined;
    await this.#running;
  }

  async #stores({ client, mailbox }: Member, signal: AbortSignal): Promise<void> {
    const perSecond = this.#node.settings.number('storesPerSecond');
    if (perSecond === 0) return;
    const chance = client.own.chance.derive('stores');
    await runLoad({
      clock: this.#node.clock,
      chance,
      perSecond,
      inFlightMax: IN_FLIGHT_MAX,
      signal,
      operate: async () => {
        const [account] = chance.pick(1, mailbox.accounts);
        if (account) await mailbox.store(account);
      },
    });
  }

  /** Each client at its own place within the interval. */
  async #polls({ client, mailbox }: Member, signal: AbortSignal): Promise<void> {
    const pollMs = this.#node.settings.number('pollMs');
    if (pollMs === 0) return;
    const { clock } = this.#node;
    let waitMs = client.own.chance.derive('polls').next() * pollMs;
    while (!signal.aborted) {
      try {
        await clock.sleep(waitMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      waitMs = pollMs;
      await mailbox.poll();
    }
  }
}

function stateOf(
  members: readonly Member[],
  nameOf: (text: string) => string,
): Readonly<Record<string, unknown>> {
  const overrides = members.flatMap(({ client }) => overridesOf(client, nameOf));
  const bytes = members.map(({ client }) => client.bytes());
  return {
    // What a person sees of a fleet: how its requests ended, and whose swarm it was told.
    counts: { clients: members.length, ...endsOf(members), overrides: overrides.length },
    details: overrides,
    clients: members.map(({ client, mailbox }) => ({
      ...client.state(),
      accounts: mailbox.accounts.map(({ label, id }) => ({ label, id })),
    })),
    bytes: {
      received: bytes.reduce((sum, { received }) => sum + received, 0),
      sent: bytes.reduce((sum, { sent }) => sum + sent, 0),
    },
  };
}

/** Answers by status and errors by name, of all clients together. */
function endsOf(members: readonly Member[]): Readonly<Record<string, number>> {
  const ends: Record<string, number> = {};
  for (const { client } of members)
    for (const [status, count] of Object.entries(client.statuses)) ends[status] = (ends[status] ?? 0) + count;
  return ends;
}

/** A line for each account that is looked for where a redirect said. */
function overridesOf(client: SessionClient, nameOf: (text: string) => string): readonly string[] {
  return Object.entries(client.pool.overrides()).map(
    ([account, { nodes, count }]) =>
      `${client.own.name}: ${nameOf(account)} → ${nodes.map(nameOf).join(', ')} (redirected ${count} times)`,
  );
}
