import type { LeapingClock } from '../../../harness/clock/index.ts';
import { type Identity, identityOf } from '../../../harness/identity/index.ts';
import type { RunningNode } from '../../node-kit/index.ts';
import {
  type Account,
  askNode,
  Fields,
  type InnerAnswer,
  isAccountMethod,
  type NodeTarget,
  NodeTransport,
  nodeIdentity,
  parseAccountRequest,
  parseMethod,
  personalAccount,
  type RawRequest,
  signedText,
} from '../../session-kit/index.ts';
import { loopback, nodeContext, type Told, testClock, until } from '../../session-kit/test/in-process.ts';
import registryImage from '../../session-registry/image.json' with { type: 'json' };
import { startRegistry } from '../../session-registry/registry.ts';
import storageImage from '../image.json' with { type: 'json' };
import { startStorage } from '../start-storage.ts';

export interface BedNode {
  readonly name: string;
  readonly target: NodeTarget & { readonly x25519: Uint8Array };
  readonly running: RunningNode;
  readonly told: Told[];
}

/** A registry and storage nodes in this process, on loopback, with one clock that the test leads. */
export class Bed {
  readonly clock: LeapingClock;
  readonly registry: RunningNode;
  readonly nodes: Map<string, BedNode>;
  readonly client: NodeTransport;

  readonly #start: (name: string) => Promise<BedNode>;

  private constructor(
    clock: LeapingClock,
    registry: RunningNode,
    nodes: readonly BedNode[],
    start: (name: string) => Promise<BedNode>,
  ) {
    this.#start = start;
    this.clock = clock;
    this.registry = registry;
    this.nodes = new Map(nodes.map((node) => [node.name, node]));
    this.client = new NodeTransport({ clock, handshakeTimeoutMs: 60_000, localAddress: loopback(250) });
  }

  static async start(options: {
    readonly count: number;
    readonly swarmSize: number;
    readonly reserve?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
    /** Of single nodes. */
    readonly environments?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  }): Promise<Bed> {
    const clock = testClock();
    const names = Array.from({ length: options.count }, (_, index) => `storage-${index + 1}`);
    const address = (name: string): string => loopback(names.indexOf(name) + 1);
    const registryAddress = loopback(240);
    const registry = await startRegistry(
      nodeContext(
        registryImage,
        { name: 'registry-1', role: 'registry', address: registryAddress, clock },
        {
          SQUALL_NODES: names.map((name) => `${name}@${address(name)}`).join(','),
          SQUALL_RESERVE: (options.reserve ?? []).join(','),
          SQUALL_SWARM_SIZE: String(options.swarmSize),
        },
      ).context,
    );
    const start = async (name: string): Promise<BedNode> => {
      const { context, told } = nodeContext(
        storageImage,
        { name, role: 'storage', address: address(name), clock },
        {
          SQUALL_REGISTRY: `registry-1@${registryAddress}`,
          ...options.environment,
          ...options.environments?.[name],
        },
      );
      const running = await startStorage(context);
      const { ed25519, x25519Key } = nodeIdentity('7', name);
      const target = { ip: address(name), httpsPort: 22_021, ed25519, x25519: x25519Key.publicKey };
      return { name, target, running, told };
    };
    return new Bed(clock, registry, await Promise.all(names.map(start)), start);
  }

  /** Starts a node anew that was stopped: it has forgotten everything but who it is. */
  async restart(name: string): Promise<BedNode> {
    const node = await this.#start(name);
    this.nodes.set(name, node);
    return node;
  }

  async stop(): Promise<void> {
    this.client.close();
    await Promise.all([...this.nodes.values()].map((node) => node.running.stop?.()));
    await this.registry.stop?.();
  }

  node(name: string): BedNode {
    const node = this.nodes.get(name);
    if (!node) throw new Error(`${name}: not in the bed`);
    return node;
  }

  ask(name: string, request: RawRequest): Promise<InnerAnswer> {
    return askNode(this.client, this.node(name).target, request, { timeoutMs: 60_000 });
  }

  async admin(name: string, request: string, body: unknown = undefined): Promise<Record<string, unknown>> {
    const running = name === 'registry' ? this.registry : this.node(name).running;
    const answer = await running.handlers?.[request]?.(body);
    if (answer?.status !== 200) throw new Error(`${request}: ${JSON.stringify(answer)}`);
    return answer.body as Record<string, unknown>;
  }

  async members(account: Account): Promise<readonly string[]> {
    return (await this.admin('registry', 'POST /account', { account: account.id }))['members'] as string[];
  }

  async outsider(account: Account): Promise<string> {
    const members = await this.members(account);
    return [...this.nodes.keys()].find((name) => !members.includes(name)) as string;
  }

  state(name: string): Record<string, unknown> {
    return this.node(name).running.state?.() as Record<string, unknown>;
  }

  /** A change of the network, seen by all nodes; without a lag it is then in effect everywhere. */
  async epoch(change: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    const facts = await this.admin('registry', 'POST /epoch', change);
    const height = this.#height();
    await until(() =>
      [...this.nodes.keys()].every((name) => {
        const state = this.state(name);
        return state['height'] === height || (state['listsPending'] as number) > 0;
      }),
    );
    return facts;
  }

  /** Every node has handed over what it has to, with repetitions where they are due. */
  async handedOver(): Promise<void> {
    const isWaiting = (): boolean =>
      [...this.nodes.keys()].some(
        (name) => (this.state(name)['handOver'] as { waiting: number }).waiting > 0,
      );
    for (let turn = 0; isWaiting(); turn += 1) {
      if (turn % 200 === 199) await this.clock.leap(500);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async hashes(name: string, account: Account): Promise<readonly string[]> {
    return (await this.admin(name, 'POST /messages', { account: account.id }))['hashes'] as string[];
  }

  #height(): number {
    return 1_000_000 + Number(this.registry.state?.()['epochNumber']);
  }
}

/** Somebody with an account, who makes signed requests. */
export class Owner {
  readonly identity: Identity;
  readonly account: Account;
  readonly #clock: LeapingClock;

  constructor(name: string, clock: LeapingClock) {
    this.identity = identityOf('7', name);
    this.account = personalAccount(this.identity);
    this.#clock = clock;
  }

  store(text: string, more: Readonly<Record<string, unknown>> = {}): RawRequest {
    const data = Buffer.from(text).toString('base64');
    return {
      method: 'store',
      params: { pubkey: this.account.id, timestamp: this.nowMs, ttl: 86_400_000, data, ...more },
    };
  }

  /** Signed over what the parameters say. */
  signed(method: string, more: Readonly<Record<string, unknown>> = {}): RawRequest {
    const params = {
      pubkey: this.account.id,
      pubkey_ed25519: this.identity.id,
      timestamp: this.nowMs,
      ...more,
    };
    const known = parseMethod(method);
    if (!known || !isAccountMethod(known)) throw new Error(`${method}: not about an account`);
    const placeholder = Buffer.alloc(64).toString('base64');
    const request = parseAccountRequest(known, new Fields({ ...params, signature: placeholder }));
    const signature = Buffer.from(this.identity.ed25519.sign(signedText(request) ?? Buffer.alloc(0)));
    return { method, params: { ...params, signature: signature.toString('base64') } };
  }

  get nowMs(): number {
    return this.#clock.wallMs();
  }
}

/** The name of an owner whose account that swarm has. */
export function ownerIn(bed: Bed, swarm: string, prefix = 'owner'): Promise<Owner> {
  return (async () => {
    for (let index = 1; ; index += 1) {
      const owner = new Owner(`${prefix}-${index}`, bed.clock);
      const answer = await bed.admin('registry', 'POST /account', { account: owner.account.id });
      if (answer['swarm'] === swarm) return owner;
    }
  })();
}
