import { type EdgeNode, EdgeNodes } from './edge-nodes.ts';
import { ERROR } from './errors.ts';
import { edgeOf, isOn, type OnionPath } from './onion-path.ts';
import type { Blame } from './path-errors.ts';
import type { PoolNode } from './pool-node.ts';
import { REENTRIES_MAX, type RouterPorts } from './router-ports.ts';
import { CLOSE_CODE } from './wire.ts';

const MINUTE_MS = 60_000;

interface Build {
  readonly id: string;
  readonly exclude: readonly PoolNode[];
  readonly edge?: EdgeNode;
  /** How often its edge could not be reached. */
  readonly failures: number;
  readonly entries: number;
}

export interface PathListener {
  onPath(): void;
  /** No path can be had. */
  onNoPath(status: number, message: string): void;
  /** Sends `info` to a node over a path that is not in use yet. */
  verifyPath(path: OnionPath, to: PoolNode, onVerified: (success: boolean) => void): void;
}

/** Builds paths, keeps as many of them as are wanted, rotates them, and retires those that fail. */
export class OnionPaths {
  readonly #ports: RouterPorts;
  readonly #listener: PathListener;
  readonly #edges: EdgeNodes;
  #paths: OnionPath[] = [];
  /** Nodes of paths that are being built. */
  readonly #building = new Map<string, readonly PoolNode[]>();
  #lastId = 0;
  #built = 0;
  #suspended = false;

  constructor(ports: RouterPorts, listener: PathListener) {
    this.#ports = ports;
    this.#listener = listener;
    const { rules, pool, clock, tell, edges, limits } = ports;
    this.#edges = new EdgeNodes({
      rules,
      pool,
      clock,
      tell,
      store: edges,
      durationMs: limits.edgeDurationMs,
    });
  }

  /** Builds what is missing, on the edge nodes of before where they still have the role. */
  prebuild(): void {
    const edges = [...this.#edges.take()];
    for (let missing = this.#missing(); missing > 0; missing -= 1) {
      const edge = edges.pop();
      this.#build({ ...this.#newBuild([]), ...(edge ? { edge } : {}) });
    }
  }

  /** Builds another one when there are too few, or when none of those there are will do. */
  buildForRequest(destination: PoolNode): void {
    if (this.#missing() > 0 || this.#building.size === 0) this.#build(this.#newBuild([destination]));
  }

  /** The least busy path that does not go through the destination. */
  find(destination: string): OnionPath | undefined {
    const suitable = this.#ports.chance
      .shuffle(this.#paths)
      .filter((path) => !isOn(path, destination))
      .sort((a, b) => a.active - b.active);
    return suitable[0];
  }

  usedNodes(): readonly PoolNode[] {
    return [...this.#paths.flatMap(({ nodes }) => nodes), ...[...this.#building.values()].flat()];
  }

  /** What a failed request says about nodes and paths. */
  blame(path: OnionPath, destination: PoolNode, blame: Blame): void {
    const { strikes } = this.#ports.pool;
    const struck = new Set<string>();
    const strike = (node: string, reason: string, permanent: boolean): void => {
      strikes.strike(node, reason, permanent);
      struck.add(node);
    };
    if (blame.named) strike(blame.named.node, 'named-by-relay', blame.named.permanent);
    if (blame.destination) strike(destination.ed25519, 'destination', blame.destination.permanent);
    if (blame.edge) strike(edgeOf(path).ed25519, 'edge', false);
    if (struck.size > 0) this.#repair();
    if (blame.path) this.#fail(path, struck);
  }

  /** Again it does nothing: there would be no edge nodes to save, in the place of those that are. */
  suspend(): void {
    if (this.#suspended) return;
    this.#suspended = true;
    this.#saveEdges();
    this.close();
  }

  #saveEdges(): void {
    this.#edges.save(this.#paths.map((path) => ({ node: edgeOf(path), sinceMs: path.edgeSinceMs })));
  }

  resume(): void {
    if (!this.#suspended) return;
    this.#suspended = false;
    this.prebuild();
  }

  close(): void {
    for (const { letGo } of this.#paths) letGo();
    this.#paths = [];
    this.#building.clear();
  }

  state(): Readonly<Record<string, unknown>> {
    return {
      paths: this.#paths.map(({ nodes, strikes, active }) => ({
        nodes: nodes.map(({ ed25519 }) => ed25519),
        strikes,
        active,
      })),
      building: this.#building.size,
      built: this.#built,
    };
  }

  /** As the timer does; here so that a test can do without the timer's ten minutes. */
  rotate(path: OnionPath): void {
    if (!this.#paths.includes(path) || path.rotating) return;
    const { pool, rules, limits, tell } = this.#ports;
    path.rotating = true;
    const edge = edgeOf(path);
    const used = this.usedNodes();
    const struck = rules.rotationReadsStrikes && pool.isOut(edge, 'unused');
    const keeps = rules.rotationKeepsEdge && !struck && !this.#edges.isTooOld(path.edgeSinceMs);
    const asked = limits.pathLength - (keeps ? 1 : 0);
    const nodes = [...(keeps ? [edge] : []), ...pool.getUnusedNodes(asked, used)];
    const [target] = pool.getUnusedNodes(1, [...used, ...nodes]);
    tell.event('path.rotation-started', { path: path.id, asked, keepsEdge: keeps });
    if (nodes.length < limits.pathLength || !target) {
      this.#rotateLater(path);
      return;
    }
    const next = this.#newPath(this.#nextId(), nodes, keeps ? path.edgeSinceMs : undefined);
    this.#listener.verifyPath(next, target, (success) => {
      if (!this.#paths.includes(path)) return;
      if (!success) {
        this.#rotateLater(path);
        return;
      }
      this.#retire(path);
      this.#adopt(next, 'rotated');
    });
  }

  /** Paths in use, for tests. */
  all(): readonly OnionPath[] {
    return this.#paths;
  }

  #missing(): number {
    return this.#ports.limits.pathCount - this.#paths.length - this.#building.size;
  }

  #nextId(): string {
    this.#lastId += 1;
    return `p${this.#lastId}`;
  }

  #newBuild(exclude: readonly PoolNode[]): Build {
    return { id: this.#nextId(), exclude, failures: 0, entries: 0 };
  }

  #newPath(id: string, nodes: readonly PoolNode[], sinceMs = this.#ports.clock.wallMs()): OnionPath {
    return {
      id,
      nodes,
      edgeSinceMs: sinceMs,
      strikes: 0,
      active: 0,
      rotating: false,
      letGo: () => undefined,
    };
  }

  #build(build: Build): void {
    if (this.#suspended) return;
    const { pool, limits, transport } = this.#ports;
    const own = build.edge ? [build.edge.node] : [];
    const exclude = [...this.usedNodes(), ...build.exclude, ...own];
    const nodes = [...own, ...pool.getUnusedNodes(limits.pathLength - own.length, exclude)];
    const edge = nodes[0];
    if (nodes.length < limits.pathLength || !edge) {
      pool.refreshIfNeeded(exclude, (refreshed) => this.#buildAfterRefresh(build, exclude, refreshed));
      return;
    }
    this.#building.set(build.id, nodes);
    transport.verify(edge, (success, code) => this.#onEdge(build, nodes, success, code));
  }

  /** A pool that needed no refresh says so at once: what could not be had before still cannot, unless it is looked for. */
  #buildAfterRefresh(build: Build, exclude: readonly PoolNode[], refreshed: boolean): void {
    if (this.#suspended) return;
    const { rules, pool, limits, tell } = this.#ports;
    const status = rules.namedInsufficientPath ? ERROR.INSUFFICIENT_NODES : ERROR.UNKNOWN;
    if (!refreshed) {
      this.#listener.onNoPath(status, 'no path: the pool could not be refreshed');
      return;
    }
    // Another build that waited for the same refresh has been quicker.
    if (this.#missing() <= 0) return;
    const { edge: _, ...withoutEdge } = build;
    const again = { ...withoutEdge, entries: build.entries + 1 };
    if (!rules.pathChecksFirst) {
      if (again.entries > REENTRIES_MAX)
        tell.event('callback.recursed', { caller: 'path', entries: again.entries });
      else this.#build(again);
      return;
    }
    const available = pool.getUnusedNodes(limits.pathLength, exclude).length;
    if (available < limits.pathLength) {
      this.#listener.onNoPath(
        status,
        `no path: the pool has ${available} of ${limits.pathLength} nodes for it`,
      );
    } else this.#build(again);
  }

  #onEdge(build: Build, nodes: readonly PoolNode[], success: boolean, code: number | undefined): void {
    // Closed or suspended in the meantime: nobody waits for it any more.
    if (!this.#building.delete(build.id)) return;
    const edge = nodes[0] as PoolNode;
    if (success) {
      this.#adopt(this.#newPath(build.id, nodes, build.edge?.sinceMs), 'built');
      return;
    }
    if (this.#strikes(code)) this.#ports.pool.strikes.strike(edge.ed25519, 'verification');
    const { limits, clock } = this.#ports;
    const failures = build.failures + 1;
    if (failures > limits.pathBuildRetries) {
      this.#listener.onNoPath(ERROR.UNKNOWN, `no path after ${failures} attempts`);
      return;
    }
    const delayMs = Math.min(limits.retryDelayMaxMs, limits.retryDelayMs * 2 ** (failures - 1));
    clock.after(delayMs, () => this.#build({ id: build.id, exclude: [edge], failures, entries: 0 }));
  }

  /** A handshake that took too long was struck by the transport already; without a code nothing speaks against it. */
  #strikes(code: number | undefined): boolean {
    const { handshakeTimeoutSpared, codeZeroStrikes } = this.#ports.rules;
    if (code === undefined) return false;
    if (code === CLOSE_CODE.HANDSHAKE_TIMEOUT) return !handshakeTimeoutSpared;
    return code !== CLOSE_CODE.ORDERLY || codeZeroStrikes;
  }

  #adopt(path: OnionPath, how: 'built' | 'rotated'): void {
    const { transport, tell, clock, limits } = this.#ports;
    this.#built += 1;
    path.letGo = transport.onFailure(edgeOf(path), () => {
      path.strikes = limits.pathStrikeThreshold;
      this.#fail(path, new Set());
    });
    this.#paths.push(path);
    this.#saveEdges();
    tell.event('path.built', { path: path.id, how, nodes: path.nodes.map(({ ed25519 }) => ed25519) });
    clock.after(limits.pathRotationMs, () => this.rotate(path));
    this.#listener.onPath();
  }

  #rotateLater(path: OnionPath): void {
    path.rotating = false;
    this.#ports.clock.after(MINUTE_MS, () => this.rotate(path));
  }

  #retire(path: OnionPath): void {
    path.letGo();
    this.#paths = this.#paths.filter((one) => one !== path);
  }

  /** Counts against the path; past the threshold all its nodes are suspect and another is built. */
  #fail(path: OnionPath, struckAlready: ReadonlySet<string>): void {
    if (!this.#paths.includes(path)) return;
    const { limits, pool, tell } = this.#ports;
    path.strikes = Math.min(limits.pathStrikeThreshold, path.strikes + 1);
    if (path.strikes < limits.pathStrikeThreshold) return;
    this.#retire(path);
    tell.event('path.failed', { path: path.id, nodes: path.nodes.map(({ ed25519 }) => ed25519) });
    for (const { ed25519 } of path.nodes)
      if (!struckAlready.has(ed25519)) pool.strikes.strike(ed25519, 'path');
    if (this.#missing() > 0) this.#build(this.#newBuild(path.nodes));
  }

  /** A node that is out is replaced where it is on a path; a path whose edge it is goes. */
  #repair(): void {
    const { pool, limits } = this.#ports;
    for (const path of [...this.#paths]) {
      for (const bad of path.nodes.filter((node) => pool.isOut(node, 'unused'))) {
        const [replacement] = bad === edgeOf(path) ? [] : pool.getUnusedNodes(1, this.usedNodes());
        if (replacement) path.nodes = path.nodes.map((node) => (node === bad ? replacement : node));
        else {
          path.strikes = limits.pathStrikeThreshold;
          this.#fail(path, new Set([bad.ed25519]));
          break;
        }
      }
    }
  }
}
