import {
  type Account,
  INVALID_SWARM_ID,
  type NodeIdentity,
  ringDistance,
  type ServiceNode,
  SwarmMap,
} from '../session-kit/index.ts';
import { inputError } from './input-error.ts';

export interface RegisteredNode {
  readonly identity: NodeIdentity;
  readonly ip: string;
  /** Label of its swarm; undefined while it is decommissioned. */
  readonly swarm: string | undefined;
  readonly registered: boolean;
  /** Listed with its address. */
  readonly proven: boolean;
}

/** What every listed node has alike. */
export interface ListedFacts {
  readonly httpsPort: number;
  readonly omqPort: number;
  readonly version: readonly [number, number, number];
}

/**
 * The network as one epoch has it: nodes by name, ids of swarms by their labels. Every change is asked for by a method and
 * throws SquallError `bad-epoch` (input) when it cannot be made; nothing is changed then.
 */
export class Network {
  readonly #nodes: Map<string, RegisteredNode>;
  readonly #ids: Map<string, bigint>;
  readonly #facts: ListedFacts;
  #lastLabel: number;

  constructor(
    nodes: ReadonlyMap<string, RegisteredNode>,
    ids: ReadonlyMap<string, bigint>,
    facts: ListedFacts,
  ) {
    this.#nodes = new Map(nodes);
    this.#ids = new Map(ids);
    this.#facts = facts;
    this.#lastLabel = ids.size;
  }

  /** Registered nodes in their order. */
  list(): ServiceNode[] {
    return [...this.#nodes.values()].filter(({ registered }) => registered).map((node) => this.#listed(node));
  }

  get labels(): ReadonlyMap<bigint, string> {
    return new Map([...this.#ids].map(([label, id]) => [id, label]));
  }

  /** Names of a swarm's members by its label, ascending by when the swarm came about. */
  swarms(): ReadonlyMap<string, { readonly id: bigint; readonly members: readonly string[] }> {
    return new Map([...this.#ids].map(([label, id]) => [label, { id, members: this.#members(label) }]));
  }

  labelOf(account: Account): string | undefined {
    const swarm = new SwarmMap(this.list()).swarmOf(account);
    return swarm && this.labels.get(swarm.id);
  }

  /** A swarm ends, its members go to the other swarms in turn. */
  dissolve(label: string): void {
    this.#requireSwarm(label);
    const others = [...this.#ids.keys()].filter((other) => other !== label);
    if (others.length === 0)
      throw inputError('dissolve: the only swarm there is; expected another for its members');
    this.#members(label).forEach((name, index) => {
      this.#place(name, others[index % others.length]);
    });
    this.#ids.delete(label);
  }

  /** A swarm ends, its members all go to another. */
  merge(label: string, into: string): void {
    this.#requireSwarm(label);
    this.#requireSwarm(into);
    if (label === into) throw inputError(`merge: swarm ${label} into itself; expected another`);
    for (const name of this.#members(label)) this.#place(name, into);
    this.#ids.delete(label);
  }

  /**
   * Half of a swarm's members form a new one, whose id is the account's position, or lies half way to the next id above.
   * @returns the new swarm's label
   */
  split(label: string, account: Account | undefined): string {
    const id = this.#requireSwarm(label);
    const members = this.#members(label);
    if (members.length < 2)
      throw inputError(`split: swarm ${label} has ${members.length} node; expected 2 or more`);
    const at = account ? account.position : this.#halfWayUp(id);
    const created = this.#create(at);
    for (const name of members.slice(Math.ceil(members.length / 2))) this.#place(name, created);
    return created;
  }

  /** A new swarm of the nodes named, wherever they were. @returns its label */
  form(names: readonly string[], account: Account): string {
    if (names.length === 0) throw inputError('form: no nodes; expected one or more');
    for (const name of names) this.#requireMember(name);
    const created = this.#create(account.position);
    for (const name of names) this.#place(name, created);
    this.#dropEmpty();
    return created;
  }

  /**
   * A swarm takes the account's own position as its id, so that nobody is nearer to the account. One that sits there, from an
   * earlier move, makes room and goes half way to the next id. Its old id is not given to the other, which takes the one above: members
   * whose id lives on would believe that they were moved away from others who have the same messages, and hand nothing over.
   */
  moveAccount({ position }: Account, to: string): void {
    this.#requireSwarm(to);
    const [holder] = [...this.#ids].find(([, id]) => id === position) ?? [];
    if (holder === to) return;
    const at = holder === undefined ? position : position + 1n;
    const id = this.#freeId(at % 2n ** 64n, to);
    if (holder !== undefined) this.#ids.set(holder, this.#freeId(this.#halfWayUp(position)));
    this.#ids.set(to, id);
  }

  moveNode(name: string, to: string): void {
    this.#requireMember(name);
    this.#requireSwarm(to);
    this.#place(name, to);
    this.#dropEmpty();
  }

  /** Each swarm hands its first members on to the next swarm of the ring. @param share of a swarm's members, above 0 */
  rearrange(share: number): void {
    const labels = [...this.#ids].sort(([, a], [, b]) => (a < b ? -1 : 1)).map(([label]) => label);
    if (labels.length < 2) throw inputError('rearrange: one swarm; expected two or more');
    const moves = labels.flatMap((label, index) => {
      const members = this.#members(label);
      const going = members.slice(0, Math.max(1, Math.floor(members.length * share)));
      return going.map((name) => [name, labels[(index + 1) % labels.length]] as const);
    });
    for (const [name, label] of moves) this.#place(name, label);
  }

  /** A node that is not registered yet, or not any more, comes into a swarm. */
  join(name: string, label: string): void {
    const node = this.#requireNode(name);
    if (node.registered) throw inputError(`join: ${name} is registered; expected one that is not`);
    this.#requireSwarm(label);
    this.#nodes.set(name, { ...node, registered: true, swarm: label });
  }

  leave(name: string): void {
    const node = this.#requireMember(name);
    this.#nodes.set(name, { ...node, registered: false, swarm: undefined });
    this.#dropEmpty();
  }

  /** Listed, but in no swarm. */
  decommission(name: string): void {
    this.#requireMember(name);
    this.#place(name, undefined);
    this.#dropEmpty();
  }

  recommission(name: string, label: string): void {
    const node = this.#requireMember(name);
    if (node.swarm !== undefined)
      throw inputError(`recommission: ${name} is in swarm ${node.swarm}; expected none`);
    this.#requireSwarm(label);
    this.#place(name, label);
  }

  /** Whether the node is listed with its address. */
  prove(name: string, proven: boolean): void {
    this.#nodes.set(name, { ...this.#requireNode(name), proven });
  }

  /** All that is needed to take a change back when it fails half way. */
  copy(): Network {
    const copied = new Network(this.#nodes, this.#ids, this.#facts);
    copied.#lastLabel = this.#lastLabel;
    return copied;
  }

  #listed({ identity, ip, swarm, proven }: RegisteredNode): ServiceNode {
    const { ed25519, x25519, legacy } = identity;
    const swarmId = (swarm === undefined ? undefined : this.#ids.get(swarm)) ?? INVALID_SWARM_ID;
    const { httpsPort, omqPort, version } = this.#facts;
    return proven
      ? { ed25519, x25519, legacy, swarmId, ip, httpsPort, omqPort, version }
      : { ed25519, x25519, legacy, swarmId, ip: '0.0.0.0', httpsPort: 0, omqPort: 0, version: [0, 0, 0] };
  }

  #members(label: string): string[] {
    return [...this.#nodes]
      .filter(([, node]) => node.registered && node.swarm === label)
      .map(([name]) => name);
  }

  #place(name: string, swarm: string | undefined): void {
    this.#nodes.set(name, { ...this.#requireNode(name), swarm });
  }

  #create(at: bigint): string {
    const id = this.#freeId(at);
    this.#lastLabel += 1;
    const label = String(this.#lastLabel);
    this.#ids.set(label, id);
    return label;
  }

  /** That id, or the nearest above it that no swarm has. */
  #freeId(at: bigint, exceptFor?: string): bigint {
    const taken = new Set([...this.#ids].filter(([label]) => label !== exceptFor).map(([, id]) => id));
    let id = at;
    while (taken.has(id) || id === INVALID_SWARM_ID) id = (id + 1n) % 2n ** 64n;
    return id;
  }

  #halfWayUp(id: bigint): bigint {
    const others = [...this.#ids.values()].filter((other) => other !== id);
    const [gap = 2n ** 64n] = others.map((other) => ringDistance(id, other)).sort((a, b) => (a < b ? -1 : 1));
    return (id + gap / 2n) % 2n ** 64n;
  }

  /** A swarm without members is none. */
  #dropEmpty(): void {
    for (const label of [...this.#ids.keys()]) {
      if (this.#members(label).length === 0) this.#ids.delete(label);
    }
    if (this.#ids.size === 0) throw inputError('no swarm would be left; expected one or more');
  }

  #requireSwarm(label: string): bigint {
    const id = this.#ids.get(label);
    if (id === undefined) {
      throw inputError(
        `swarm ${JSON.stringify(label)}: there is none; expected one of ${[...this.#ids.keys()].join(', ')}`,
      );
    }
    return id;
  }

  #requireNode(name: string): RegisteredNode {
    const node = this.#nodes.get(name);
    if (!node)
      throw inputError(
        `node ${JSON.stringify(name)}: there is none; expected one of ${[...this.#nodes.keys()].join(', ')}`,
      );
    return node;
  }

  #requireMember(name: string): RegisteredNode {
    const node = this.#requireNode(name);
    if (!node.registered) throw inputError(`node ${name}: not registered; expected one that is`);
    return node;
  }
}
