import type { Clock } from '../../harness/clock/index.ts';
import type { ChunkKey } from './chunk-key.ts';
import type { CloseGroups } from './close-groups.ts';
import type { Peer } from './peer-book.ts';
import { askWithin, type PeerLink } from './peer-link.ts';

/** Keys in one message: below its bound. */
const KEYS_MAX = 100_000;

export interface SyncPorts {
  readonly clock: Clock;
  readonly network: CloseGroups;
  readonly peers: ReadonlyMap<string, Peer>;
  linkTo(name: string): PeerLink | undefined;
  /** Everything that is held here. */
  held(): readonly ChunkKey[];
  /** A peer thinks that this node should hold these. */
  onHinted(keys: readonly ChunkKey[], by: string): void;
}

/** Tells peers what they should hold, and hears from them what this node should: which keys are whose is a matter of distance. */
export class NeighbourSync {
  readonly #ports: SyncPorts;
  readonly #timeoutMs: number;
  readonly #width: number;

  /** @param width a node takes a key of which it is among so many nearest */
  constructor(
    ports: SyncPorts,
    { timeoutMs, width }: { readonly timeoutMs: number; readonly width: number },
  ) {
    this.#ports = ports;
    this.#timeoutMs = timeoutMs;
    this.#width = width;
  }

  /** Keys held here that a peer should hold too. */
  hintsFor(name: string): readonly ChunkKey[] {
    const peer = this.#ports.peers.get(name);
    if (!peer) return [];
    return this.#ports
      .held()
      .filter((key) => this.#ports.network.isAmong(key, peer, this.#width))
      .slice(0, KEYS_MAX);
  }

  /** Exchanges hints with everybody named; resolves when each has answered or had its time. */
  async exchangeWith(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.#exchange(name)));
  }

  async #exchange(name: string): Promise<void> {
    const link = this.#ports.linkTo(name);
    if (!link) return;
    const limits = { clock: this.#ports.clock, timeoutMs: this.#timeoutMs };
    const answer = await askWithin(link, { kind: 'sync', keys: this.hintsFor(name) }, limits);
    if (answer?.kind === 'synced') this.#ports.onHinted(answer.keys, name);
  }
}
