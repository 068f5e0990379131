import type { LeapingClock } from '../../../harness/clock/index.ts';
import type { ImageFacts, NodeContext, RunningNode } from '../../node-kit/index.ts';
import { nodeContext, type Told, testClock } from '../../session-kit/test/in-process.ts';
import registryImage from '../../session-registry/image.json' with { type: 'json' };
import { startRegistry } from '../../session-registry/registry.ts';
import storageImage from '../../session-storage/image.json' with { type: 'json' };
import { startStorage } from '../../session-storage/start-storage.ts';
import { startFleet } from '../fleet.ts';
import image from '../image.json' with { type: 'json' };

const NODES = 9;
/** Also what a pool is aged by: older than a minute, younger than two hours. */
const POLL_MS = 600_000;
/** Of real time: only so that a test that hangs ends with words. */
const PATIENCE_MS = 20_000;

interface Running {
  readonly node: RunningNode;
  readonly told: Told[];
}

/** A registry, nine storage nodes in three swarms and clients, in this process, over TLS on loopback, on a clock that is led. */
export class LoopbackBed {
  readonly clock: LeapingClock = testClock();
  readonly names = Array.from({ length: NODES }, (_, index) => `storage-${index + 1}`);
  readonly #running: RunningNode[] = [];
  readonly #storages = new Map<string, Running>();
  #registry: Running | undefined;
  #clients = 0;
  readonly #part: number;

  /** @param part of this process's loopback addresses, so that beds do not meet on the same ports */
  constructor(part: number) {
    this.#part = part;
  }

  async start(): Promise<void> {
    const places = this.names.map((name, index) => `${name}@${this.#address(index + 1)}`).join();
    this.#registry = await this.#run(registryImage, 'registry', 'registry-1', 250, startRegistry, {
      SQUALL_NODES: places,
      SQUALL_SWARM_SIZE: '3',
    });
    await Promise.all(
      this.names.map(async (name, index) => {
        const storage = await this.#run(storageImage, 'storage', name, index + 1, startStorage, {
          SQUALL_REGISTRY: `registry-1@${this.#address(250)}`,
          SQUALL_POLL_MS: String(POLL_MS),
        });
        this.#storages.set(name, storage);
      }),
    );
  }

  /** One client, which has its pool and reads the account "anna". */
  async client(variant: string, environment: Readonly<Record<string, string>> = {}): Promise<LoopbackClient> {
    this.#clients += 1;
    const name = `client-${this.#clients}`;
    const running = await this.#run(image, 'client', name, 200 + this.#clients, startFleet, {
      SQUALL_VARIANT: variant,
      SQUALL_SEEDS: `registry-1@${this.#address(250)}:22443`,
      SQUALL_NODES: this.names.map((one) => `${one}@`).join(),
      SQUALL_SHARED_ACCOUNTS: 'anna',
      // Nine nodes are fewer than the twelve that a pool is to have otherwise.
      SQUALL_CACHE_MIN_SIZE: '3',
      SQUALL_PATH_COUNT: '1',
      SQUALL_PATH_ROTATION_MS: String(10 * POLL_MS),
      ...environment,
    });
    const client = new LoopbackClient(running.node, running.told);
    await this.until(`${name} has a pool`, () => client.events('refresh.finished').length > 0);
    return client;
  }

  /** Changes the swarms, and lets all storage nodes see it. */
  async epoch(change: Readonly<Record<string, unknown>>): Promise<void> {
    const before = this.#changes();
    await ask(this.#registry?.node, 'POST /epoch', change);
    await this.clock.leap(POLL_MS);
    await this.until('every node sees the epoch', () => this.#changes() >= before + NODES);
  }

  /** Moves the account to a swarm that it is not in. */
  async moveAnna(anna: string): Promise<void> {
    const at = await ask(this.#registry?.node, 'POST /account', { account: anna });
    await this.epoch({
      change: 'move',
      account: anna,
      to: (at as { readonly swarm: string }).swarm === '1' ? '2' : '1',
    });
  }

  /** Lets time pass, with at most one question to the registry. */
  async age(): Promise<void> {
    await this.clock.leap(POLL_MS);
  }

  /** Waits for sockets, not for time; a bed that does not get there says so. */
  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const endMs = performance.now() + PATIENCE_MS;
    while (!(await holds())) {
      if (performance.now() > endMs) throw new Error(`${what}: not so within ${PATIENCE_MS} ms`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Names of the nodes that have a message of the account. */
  async holders(account: string): Promise<readonly string[]> {
    const held = await Promise.all(
      [...this.#storages].map(async ([name, { node }]) => {
        const { hashes } = (await ask(node, 'POST /messages', { account })) as {
          readonly hashes: readonly string[];
        };
        return hashes.length > 0 ? [name] : [];
      }),
    );
    return held.flat().sort();
  }

  async storm(names: readonly string[], body: Readonly<Record<string, unknown>>): Promise<void> {
    for (const name of names) await ask(this.#storages.get(name)?.node, 'POST /storm', body);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((node) => node.stop?.()));
  }

  #changes(): number {
    const told = [...this.#storages.values()].flatMap((one) => one.told);
    return told.filter(({ event }) => event === 'view.changed').length;
  }

  #address(index: number): string {
    return `127.${10 + (process.pid % 200)}.${index}.${this.#part}`;
  }

  async #run(
    facts: ImageFacts,
    role: string,
    name: string,
    index: number,
    start: (node: NodeContext) => Promise<RunningNode>,
    environment: Readonly<Record<string, string>>,
  ): Promise<Running> {
    const own = { name, role, address: this.#address(index), clock: this.clock };
    const { context, told } = nodeContext(facts, own, environment);
    const node = await start(context);
    this.#running.push(node);
    return { node, told };
  }
}

export class LoopbackClient {
  readonly node: RunningNode;
  readonly told: Told[];

  constructor(node: RunningNode, told: Told[]) {
    this.node = node;
    this.told = told;
  }

  events(name: string): readonly Told[] {
    return this.told.filter(({ event }) => event === name);
  }

  /** Id of the account "anna". */
  get anna(): string {
    const { clients = [] } = (this.node.state?.() ?? {}) as {
      readonly clients?: readonly {
        readonly accounts: readonly { readonly label: string; readonly id: string }[];
      }[];
    };
    return clients[0]?.accounts.find(({ label }) => label === 'anna')?.id ?? '';
  }

  /** One request for "anna". */
  send(method: 'store' | 'retrieve'): Promise<Readonly<Record<string, unknown>>> {
    return this.ask('POST /send', { method, account: 'anna' });
  }

  get refreshes(): number {
    return this.events('refresh.started').length;
  }

  /** An admin request, and what came of it for the first client. */
  async ask(request: string, body: unknown = {}): Promise<Readonly<Record<string, unknown>>> {
    const { results } = (await ask(this.node, request, body)) as { readonly results: readonly unknown[] };
    return results[0] as Readonly<Record<string, unknown>>;
  }
}

async function ask(node: RunningNode | undefined, request: string, body: unknown): Promise<unknown> {
  const answer = await node?.handlers?.[request]?.(body);
  if (answer?.status !== 200) throw new Error(`${request}: ${JSON.stringify(answer)}`);
  return answer.body;
}
