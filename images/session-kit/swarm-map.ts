import type { Account } from './account.ts';
import { INVALID_SWARM_ID, nearestSwarm } from './ring.ts';

export interface Swarm<N> {
  readonly id: bigint;
  readonly nodes: readonly N[];
}

/** Which swarm an account belongs to, by one list of nodes. Never changes: another list is another map. */
export class SwarmMap<N extends { readonly ed25519: string; readonly swarmId: bigint }> {
  readonly #swarms = new Map<bigint, N[]>();
  readonly #ascending: bigint[];

  constructor(nodes: readonly N[]) {
    for (const node of nodes) {
      if (node.swarmId === INVALID_SWARM_ID) continue;
      const members = this.#swarms.get(node.swarmId);
      if (members) members.push(node);
      else this.#swarms.set(node.swarmId, [node]);
    }
    this.#ascending = [...this.#swarms.keys()].sort((a, b) => (a < b ? -1 : 1));
  }

  /** Ascending. */
  get ids(): readonly bigint[] {
    return this.#ascending;
  }

  has(id: bigint): boolean {
    return this.#swarms.has(id);
  }

  /** The nodes of a swarm in the list's order; none for an id that there is not. */
  members(id: bigint): readonly N[] {
    return this.#swarms.get(id) ?? [];
  }

  /** @returns undefined when there is no swarm at all */
  swarmOf(account: Pick<Account, 'position'>): Swarm<N> | undefined {
    const id = nearestSwarm(account.position, this.#ascending);
    return id === undefined ? undefined : { id, nodes: this.members(id) };
  }
}
