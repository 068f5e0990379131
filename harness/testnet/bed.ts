import type { Engine } from '../engine/index.ts';
import { SquallError } from '../errors/index.ts';
import {
  type AgentClient,
  type CaptureOptions,
  capturePackets,
  type FaultBedPort,
  type FaultBoard,
  type PacketCapture,
} from '../fault/index.ts';
import { type SeededStream, stream } from '../random/index.ts';
import type { NodeRecord } from '../record/index.ts';
import { type ResolvedTopology, select } from '../topology/index.ts';
import type { AdapterReport } from './adapter.ts';
import { type AdminAnswer, adminRequest } from './admin-request.ts';
import type { BedLegacy } from './adopt-bed.ts';
import { withinOrStopped } from './bounded.ts';
import { type Diagnosis, diagnoseNode } from './diagnose-node.ts';
import type { EventLog } from './event-log.ts';
import type { LiveNode, NodeExit } from './live-node.ts';
import { nowNs } from './monotonic.ts';
import type { NodeLogCounts } from './node-log.ts';
import { type ResetRequest, resetNodes } from './reset-nodes.ts';
import type { StartedNode } from './types.ts';
import { type Cleanliness, verifyNodes } from './verify-nodes.ts';

/** What a bed is made of; `startBed` and `adoptBed` fill it. */
export interface BedParts {
  readonly id: string;
  readonly runId: string;
  readonly engine: Engine;
  readonly topology: ResolvedTopology;
  readonly subnet: string;
  readonly networkIds: readonly string[];
  readonly nodes: readonly LiveNode[];
  /** Labels by which the engine lists the nodes' containers. */
  readonly nodeLabels: readonly string[];
  /** The nodes are somebody else's: nothing begins them anew, and they outlive the bed. */
  readonly attached?: boolean;
  readonly events: EventLog;
  readonly agent: AgentClient;
  readonly faults: FaultBoard;
  /** From the first node's start to the last node's, and to the last node's readiness. */
  readonly timing: BedTiming;
  /** Complete environments by node, addresses filled in. */
  readonly environmentsOf: (
    topology: ResolvedTopology,
  ) => ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Lives of the bed so far: 1, and one more for each reset of all nodes. */
  readonly generation: number;
  /** Redirections that belong to the topology and not to a fault. */
  readonly standingRedirects: number;
  /** Starts a node again as another version; absent where the nodes are somebody else's. */
  readonly restartAs?: FaultBedPort['restartAs'];
  readonly remove: (signal: AbortSignal) => Promise<void>;
  readonly release: () => Promise<void>;
  readonly handOver: () => Promise<void>;
}

/** How the start went. Never part of a scenario's bounds. */
export interface BedTiming {
  readonly beganNs: number;
  readonly readyNs: number;
  /** First to last node, of their starts and of their readiness. */
  readonly startSkewMs: number;
  readonly readySkewMs: number;
  readonly totalMs: number;
}

/** What is under way when a removal is told to stop (the agent's goodbye above all) may take so long. */
const UNDER_WAY_MS = 1_500;

/** Everything that a trial runs on, from `startBed` to `remove`. */
export class Bed implements AsyncDisposable {
  readonly id: string;
  readonly runId: string;
  readonly subnet: string;
  readonly engine: Engine;
  readonly topology: ResolvedTopology;
  readonly events: EventLog;
  readonly agent: AgentClient;
  readonly faults: FaultBoard;
  readonly timing: BedTiming;
  readonly networkIds: readonly string[];
  readonly #nodes: ReadonlyMap<string, LiveNode>;
  readonly #parts: BedParts;
  #removal: Promise<void> | undefined;
  #stopRemoval = new AbortController();
  #removed = false;
  #generation: number;

  constructor(parts: BedParts) {
    this.id = parts.id;
    this.runId = parts.runId;
    this.subnet = parts.subnet;
    this.engine = parts.engine;
    this.topology = parts.topology;
    this.events = parts.events;
    this.agent = parts.agent;
    this.faults = parts.faults;
    this.timing = parts.timing;
    this.networkIds = parts.networkIds;
    this.#nodes = new Map(parts.nodes.map((node) => [node.name, node]));
    this.#parts = parts;
    this.#generation = parts.generation;
  }

  /** All nodes in the topology's order. */
  nodes(): readonly StartedNode[] {
    return [...this.#nodes.values()].map((node) => node.describe());
  }

  /** @throws SquallError `no-such-node` (input) */
  node(name: string): StartedNode {
    return this.#live(name).describe();
  }

  /** Names that the selector matches; random choices are drawn from the stream. @throws SquallError `zero-targets` */
  select(selector: string, chance: SeededStream | string): readonly string[] {
    const draw = typeof chance === 'string' ? stream(chance, 'targets') : chance;
    return select(selector, this.nodes(), draw);
  }

  /** A request to the node's admin port on its own loopback, through the agent. */
  async admin(
    node: string,
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    options: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {},
  ): Promise<AdminAnswer> {
    return await adminRequest(this.agent, this.#live(node), { method, path, body, ...options });
  }

  /**
   * Runs the nodes' processes anew inside the same containers and namespaces, all at once, and waits until each has
   * become ready again. A cheap way to a fresh bed; `verifyClean` says whether it is one.
   * @throws SquallError `reset-failed`, `node-not-ready`, `node-exited`, `bed-attached` (input)
   */
  async reset(
    names: readonly string[] | '*',
    request: ResetRequest = {},
    signal?: AbortSignal,
  ): Promise<void> {
    if (this.attached) throw this.#notOurs();
    const nodes = names === '*' ? [...this.#nodes.values()] : names.map((each) => this.#live(each));
    // A part of the nodes goes on in the others' generation, or it would not be heard by them.
    if (names === '*') this.#generation += 1;
    await resetNodes({
      agent: this.agent,
      events: this.events,
      nodes,
      request,
      generation: this.#generation,
      ...(signal ? { signal } : {}),
    });
  }

  /** Runs one node's process anew as it is now, but for these variables; the next reset of all nodes forgets them. */
  async relaunch(
    name: string,
    env: Readonly<Record<string, string>> = {},
    signal?: AbortSignal,
  ): Promise<void> {
    await this.reset([name], { env: { ...this.#live(name).wanted, ...env } }, signal);
  }

  /**
   * Puts another version in a node's place: a new container of that image (of the topology's own when absent), with the files that the
   * image says it keeps. Faults in force reach it as well. Resolves when it is ready.
   * @throws SquallError `bed-attached`, `unknown-image` (input), or of the start
   */
  async replace(
    name: string,
    image?: string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<void> {
    const node = this.#live(name);
    const { restartAs } = this.#parts;
    if (!restartAs) throw this.#notOurs();
    const over = node.expectExit('another version takes its place');
    try {
      await restartAs(name, image === undefined ? {} : { image }, signal);
      await this.faults.nodeRestarted(name, signal);
    } finally {
      over();
    }
  }

  /** Resets every node to what the same topology says under other overrides (variant, settings, warp). */
  async resetTo(topology: ResolvedTopology, signal?: AbortSignal): Promise<void> {
    const environments = this.#parts.environmentsOf(topology);
    const variants = new Map(
      topology.nodes.map((node) => [node.name, node.image.kind === 'ours' ? node.image.variant : undefined]),
    );
    const request = {
      env: (each: string) => environments.get(each) ?? {},
      variant: (each: string) => variants.get(each),
    };
    await this.reset('*', request, signal);
  }

  /** Nothing armed or in force by the agent's own word; every node running as the process we know, unpaused, ready. */
  verifyClean(signal?: AbortSignal): Promise<Cleanliness> {
    return verifyNodes({
      engine: this.engine,
      agent: this.agent,
      nodeLabels: this.nodeLabels,
      nodes: [...this.#nodes.values()],
      standingRedirects: this.#parts.standingRedirects,
      ...(signal ? { signal } : {}),
    });
  }

  /** State and last lines of a node, before a failed trial is torn down. Never throws: what fails is said in it. */
  diagnose(node: string): Promise<Diagnosis> {
    return diagnoseNode(this.engine, this.agent, this.#live(node));
  }

  /**
   * Captures what the network sees of every node, restarted ones too, until it is stopped. One at a time.
   * @throws SquallError of the agent when it cannot listen
   */
  async capture(options: Omit<CaptureOptions, 'nodes'>, signal?: AbortSignal): Promise<PacketCapture> {
    return await capturePackets(this.agent, { nodes: [...this.#nodes.keys()], ...options }, signal);
  }

  nodeRecords(): readonly NodeRecord[] {
    return [...this.#nodes.values()].map((node) => node.record());
  }

  /** How the node's process ended, when it has. */
  exitOf(node: string): NodeExit | undefined {
    return this.#live(node).exit;
  }

  logCounts(node: string): NodeLogCounts {
    return this.#live(node).log.counts;
  }

  lastLines(node: string, lines?: number): readonly string[] {
    return this.#live(node).log.tail(lines);
  }

  /** How each adapter of a foreign image did; one that matched nothing makes a trial inconclusive. */
  adapterReports(): readonly AdapterReport[] {
    return [...this.#nodes.values()].flatMap((node) => node.log.adapterReports());
  }

  /** Whether the nodes are somebody else's. */
  get attached(): boolean {
    return this.#parts.attached ?? false;
  }

  /** Labels by which the engine lists the nodes' containers. */
  get nodeLabels(): readonly string[] {
    return this.#parts.nodeLabels;
  }

  get removed(): boolean {
    return this.#removed;
  }

  /** Kills and removes everything of the bed and verifies it. Idempotent; after a failure it may be tried again. */
  remove(): Promise<void> {
    // One that was told to stop and has not yet: anew when it has.
    if (this.#removal && this.#stopRemoval.signal.aborted)
      return this.#removal.then(
        () => undefined,
        () => this.remove(),
      );
    if (!this.#removal) {
      this.#stopRemoval = new AbortController();
      this.#removal = this.#parts.remove(this.#stopRemoval.signal).then(
        () => {
          this.#removed = true;
        },
        (error: unknown) => {
          this.#removal = undefined;
          throw error;
        },
      );
    }
    return this.#removal;
  }

  /**
   * For an end in a hurry: the processes are stopped and the faults lifted at once, and as much is removed as the time
   * allows. The rest is the watchdog's as soon as this process ends. Resolves with whether nothing is left, after twice
   * `patienceMs` (and 1.5 s) at the latest: an engine that is slow to answer what it was asked already is not waited for.
   */
  async removeWithin(patienceMs: number): Promise<boolean> {
    const stop = (): void => {
      const hurry = `bed ${this.id}: its watchdog removes the rest`;
      this.#stopRemoval.abort(new SquallError(hurry, { code: 'removal-left' }));
    };
    return await withinOrStopped(patienceMs, this.remove(), stop, Math.max(patienceMs, UNDER_WAY_MS));
  }

  /** What the next owner must know, see `keepBed`. */
  get legacy(): BedLegacy {
    const nodes = [...this.#nodes.values()].map(({ name, legacy }) => [name, legacy] as const);
    return { generation: this.#generation, nodes: Object.fromEntries(nodes) };
  }

  /** Lets go of the living bed, so that another process can take it over; after that only `remove` or `handOver`. */
  async release(): Promise<void> {
    await this.#parts.release();
  }

  /** Another process owns the bed now, and nothing here removes it any more. */
  async handOver(): Promise<void> {
    await this.#parts.handOver();
    this.#removal = Promise.resolve();
    this.#removed = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove();
  }

  #notOurs(): SquallError {
    return new SquallError(`bed ${this.id}: its nodes are attached, not owned; nothing begins them anew`, {
      code: 'bed-attached',
      blame: 'input',
    });
  }

  #live(wanted: string): LiveNode {
    const node = this.#nodes.get(wanted);
    if (node) return node;
    throw new SquallError(
      `node "${wanted}": not in bed ${this.id}; expected one of ${[...this.#nodes.keys()].join(', ')}`,
      {
        code: 'no-such-node',
        blame: 'input',
      },
    );
  }
}

/** Timing from the nodes' own instants. */
export function timingOf(nodes: readonly LiveNode[], beganNs: number): BedTiming {
  const readyNs = nowNs();
  const spread = (values: readonly number[]): number =>
    values.length === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / 1e6;
  return {
    beganNs,
    readyNs,
    startSkewMs: spread(nodes.map((node) => node.startedNs)),
    readySkewMs: spread(nodes.map((node) => node.readyNs)),
    totalMs: (readyNs - beganNs) / 1e6,
  };
}
