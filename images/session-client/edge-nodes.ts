import type { Clock } from '../../harness/clock/index.ts';
import type { ClientRules } from './client-rules.ts';
import type { PoolNode } from './pool-node.ts';
import type { SnodePool } from './snode-pool.ts';
import type { Tell } from './tell.ts';

/** A first hop of an earlier run. */
export interface EdgeNode {
  readonly node: PoolNode;
  /** Wall time of the first connection to it. */
  readonly sinceMs: number;
}

/** Where edge nodes outlive a process. */
export interface EdgeStore {
  load(): readonly EdgeNode[];
  save(edges: readonly EdgeNode[]): void;
}

export interface EdgePorts {
  readonly rules: ClientRules;
  readonly pool: SnodePool;
  readonly clock: Clock;
  readonly tell: Tell;
  readonly store: EdgeStore;
  /** Ten days: then another first hop is taken. */
  readonly durationMs: number;
}

/**
 * The first hops that paths are built on again after a launch or a resume, so that they stay the same. Being handed over as
 * a forced hop, an edge node never passes the pool's own look at strikes: this is the place that looks.
 */
export class EdgeNodes {
  readonly #ports: EdgePorts;
  #cached: readonly EdgeNode[];

  constructor(ports: EdgePorts) {
    this.#ports = ports;
    this.#cached = ports.store.load().filter(({ sinceMs }) => !this.isTooOld(sinceMs));
  }

  isTooOld(sinceMs: number): boolean {
    return this.#ports.rules.edgeExpires && this.#ports.clock.wallMs() > sinceMs + this.#ports.durationMs;
  }

  /** The edge nodes to build on now. One that is out has lost the role for good, and nothing but the role. */
  take(): readonly EdgeNode[] {
    const { cachedEdgeKept, struckEdgeLosesRole, lostRoleStaysLost } = this.#ports.rules;
    if (!cachedEdgeKept) return [];
    if (!struckEdgeLosesRole) return this.#cached;
    const kept = this.#withRole();
    // Kept and merely skipped, it would take the role back when its strikes expire.
    if (lostRoleStaysLost && kept.length < this.#cached.length) {
      this.#cached = kept;
      this.save([]);
    }
    return kept;
  }

  /**
   * Keeps the first hops of the paths that stand for the next launch. With none standing those of before are kept: that none
   * stands is no evidence against them. One that is out is not, nor does a resume find it: its strikes expire before then.
   */
  save(standing: readonly EdgeNode[]): void {
    const { rules, store } = this.#ports;
    if (!rules.struckEdgeLosesRole || !rules.lostRoleStaysLost) {
      if (standing.length > 0) store.save(standing);
      return;
    }
    this.#cached = this.#withRole();
    const edges = standing.length > 0 ? standing : store.load();
    const kept = edges.filter((edge) => !this.#isOut(edge));
    if (standing.length > 0 || kept.length < edges.length) store.save(kept);
  }

  #withRole(): readonly EdgeNode[] {
    const { rules, pool, tell } = this.#ports;
    return this.#cached.filter((edge) => {
      if (!this.#isOut(edge)) return true;
      const { ed25519 } = edge.node;
      tell.event('edge.dropped', { node: ed25519 });
      if (!rules.poolKeepsStruckEdge) pool.forget(ed25519);
      return false;
    });
  }

  #isOut({ node }: EdgeNode): boolean {
    return this.#ports.pool.isOut(node, 'unused');
  }
}
