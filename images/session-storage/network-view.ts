import {
  type Account,
  INVALID_SWARM_ID,
  type NetworkList,
  parseAccount,
  type ServiceNode,
  type Swarm,
  SwarmMap,
} from '../session-kit/index.ts';
import { keepAddresses, type SwarmChange, swarmChange } from './swarm-change.ts';

/** Nodes that have left and are still known; the earliest are forgotten past that. */
const FORMER_MAX = 256;

/** The network as one node sees it, which may be behind. */
export class NetworkView {
  readonly #own: string;
  #list: NetworkList | undefined;
  #swarms = new SwarmMap<ServiceNode>([]);
  #nodes = new Map<string, ServiceNode>();
  #addresses = new Set<string>();
  readonly #former = new Map<string, ServiceNode>();

  /** @param own the node's Ed25519 key */
  constructor(own: string) {
    this.#own = own;
  }

  get list(): NetworkList | undefined {
    return this.#list;
  }

  get swarms(): SwarmMap<ServiceNode> {
    return this.#swarms;
  }

  /** INVALID_SWARM_ID while it is in none. */
  get swarmId(): bigint {
    return this.#nodes.get(this.#own)?.swarmId ?? INVALID_SWARM_ID;
  }

  get hardfork(): readonly [number, number] {
    return this.#list?.hardfork ?? [0, 0];
  }

  apply(list: NetworkList): SwarmChange {
    const change = swarmChange(this.#list, list, this.#own);
    const before = this.#nodes;
    this.#list = keepAddresses(this.#list, list);
    this.#swarms = new SwarmMap(this.#list.nodes);
    this.#nodes = new Map(this.#list.nodes.map((node) => [node.ed25519, node]));
    this.#addresses = new Set(this.#list.nodes.map(({ ip }) => ip));
    this.#rememberLeavers(before);
    return change;
  }

  /** A node that has left the network since this one began, and has not come back. */
  findFormer(ed25519: string): ServiceNode | undefined {
    return this.#former.get(ed25519);
  }

  #rememberLeavers(before: ReadonlyMap<string, ServiceNode>): void {
    for (const [key, node] of before) if (!this.#nodes.has(key)) this.#former.set(key, node);
    for (const key of this.#former.keys()) {
      if (this.#nodes.has(key) || this.#former.size > FORMER_MAX) this.#former.delete(key);
    }
  }

  find(ed25519: string): ServiceNode | undefined {
    return this.#nodes.get(ed25519);
  }

  /** Whether a node is at that address: other limits hold for it than for a client. */
  isNodeAddress(ip: string): boolean {
    return this.#addresses.has(ip);
  }

  swarmOf(account: Pick<Account, 'position'>): Swarm<ServiceNode> | undefined {
    return this.#swarms.swarmOf(account);
  }

  /** Swarm id of an account that is known by its id alone. */
  ownerOf(accountId: string): bigint | undefined {
    const account = parseAccount(accountId);
    return account && this.swarmOf(account)?.id;
  }

  isOurs(account: Pick<Account, 'position'>): boolean {
    const id = this.swarmId;
    return id !== INVALID_SWARM_ID && this.swarmOf(account)?.id === id;
  }

  /** The other members of our swarm. */
  peers(): readonly ServiceNode[] {
    return this.#swarms.members(this.swarmId).filter(({ ed25519 }) => ed25519 !== this.#own);
  }
}
