import {
  type AppliedFault,
  capturePackets,
  connectFakeAgent,
  FakeAgent,
  type FaultPlan,
  type FaultRequest,
} from '../../fault/index.ts';
import { stream } from '../../random/index.ts';
import type { FaultRecord, HostRecord, NodeRecord } from '../../record/index.ts';
import { EventLog, type StartedNode } from '../../testnet/index.ts';
import { type ResolvedTopology, select } from '../../topology/index.ts';
import type { BedFactory, HostGuardFactory, TrialBed, TrialClock } from '../index.ts';

/** Time that jumps to the next sleeper as soon as nobody has anything else to do. */
export class JumpingClock implements TrialClock {
  #nowNs = 1e12;
  readonly #sleepers = new Set<{ readonly atNs: number; wake(): void }>();
  #pumping = false;

  nowNs(): number {
    return this.#nowNs;
  }

  async sleepUntilNs(instantNs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (instantNs <= this.#nowNs) return;
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason);
      };
      const sleeper = {
        atNs: instantNs,
        wake: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#sleepers.add(sleeper);
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    void othersSleep().then(() => {
      this.#pumping = false;
      const next = [...this.#sleepers].sort((a, b) => a.atNs - b.atNs)[0];
      if (!next) return;
      this.#nowNs = Math.max(this.#nowNs, next.atNs);
      for (const sleeper of [...this.#sleepers]) {
        if (sleeper.atNs > this.#nowNs) continue;
        this.#sleepers.delete(sleeper);
        sleeper.wake();
      }
      if (this.#sleepers.size > 0) this.#pump();
    });
  }
}

/** Before each jump, files that are being written are done, and whoever waited for them has come to his next sleep. */
async function othersSleep(): Promise<void> {
  for (let quietTurns = 0; quietTurns < 3; ) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    quietTurns += 1;
    while (process.getActiveResourcesInfo().some((resource) => resource.startsWith('FSReq'))) {
      quietTurns = 0;
      await new Promise<void>((resolve) => setTimeout(resolve, 1));
    }
  }
}

export interface FakeBehaviour {
  /** Called when a process of a node has started, with its environment. */
  readonly onStart?: (bed: FakeBed, topology: ResolvedTopology) => void;
  readonly startError?: (bedNumber: number) => Error | undefined;
  readonly resetError?: () => Error | undefined;
  readonly guardError?: () => Error | undefined;
  readonly dirtyAfter?: (bed: FakeBed) => readonly string[];
  readonly voids?: (bed: FakeBed) => readonly string[];
  /** Whether a fault's witness saw it act; it does when absent. */
  readonly bites?: () => boolean;
  readonly liftError?: () => Error | undefined;
  /** Faults are answered for when they are scheduled, as the packet agent does, and not when they are in force. */
  readonly answersAhead?: boolean;
  /** Called at the moment a fault bites and when it has lifted, which is then waited for. */
  readonly onFault?: (bed: FakeBed, what: 'applied' | 'lifted', plan: FaultPlan) => void | Promise<void>;
  /** Called when another version took a node's place. */
  readonly onReplace?: (bed: FakeBed, node: string) => void;
  /** Called with the agent of a capture that is about to begin. */
  readonly onCapture?: (agent: FakeAgent) => void;
  readonly startMs?: number;
  readonly resetMs?: number;
  readonly removeMs?: number;
  readonly removeError?: (bed: FakeBed) => Error | undefined;
}

/** What happened to beds, for assertions. */
export interface Happening {
  readonly bed: string;
  readonly what: 'start' | 'reset' | 'remove' | 'apply' | 'release';
  readonly fromNs: number;
  readonly toNs: number;
}

export class FakeBed implements TrialBed {
  readonly id: string;
  readonly events = new EventLog('nowhere');
  readonly resets: ResolvedTopology[] = [];
  readonly applied: FaultPlan[] = [];
  /** When each fault that a step lifted was due to be. */
  readonly liftDues: (number | undefined)[] = [];
  readonly crashed = new Set<string>();
  /** The agent of the last capture. */
  capturer: FakeAgent | undefined;
  removed = false;
  hurried = false;
  topology: ResolvedTopology;
  readonly #stage: FakeStage;
  #records: FaultRecord[] = [];
  #active: { plan: FaultPlan; lift(): void; lifted: Promise<FaultRecord> }[] = [];
  #number = 0;

  constructor(stage: FakeStage, id: string, topology: ResolvedTopology) {
    this.#stage = stage;
    this.id = id;
    this.topology = topology;
  }

  /** An event of a node, now on the stage's clock. */
  say(node: string, event: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.events.append({ node, event, atNs: this.#stage.clock.nowNs(), fields });
  }

  readonly faults: TrialBed['faults'] = {
    plan: (request: FaultRequest) => this.#plan(request),
    apply: async (plans, signal, timing = {}) => {
      const { clock, happenings, behaviour } = this.#stage;
      const dueNs = timing.atNs ?? clock.nowNs();
      if (!behaviour.answersAhead) await clock.sleepUntilNs(dueNs, signal);
      const appliedNs = Math.max(dueNs, clock.nowNs());
      return plans.map((plan): AppliedFault => {
        this.applied.push(plan);
        happenings.push({ bed: this.id, what: 'apply', fromNs: appliedNs, toNs: appliedNs });
        void this.#stage.behaviour.onFault?.(this, 'applied', plan);
        return { plan, appliedNs, lifted: this.#untilLifted(plan, appliedNs) };
      });
    },
    lift: async (id, dueNs) => {
      this.liftDues.push(dueNs);
      const fault = this.#active.find((one) => one.plan.id === id);
      fault?.lift();
      return await (fault?.lifted as Promise<FaultRecord>);
    },
    liftAll: async (dueNs) => {
      if (dueNs !== undefined) this.liftDues.push(dueNs);
      for (const fault of [...this.#active]) fault.lift();
      await Promise.all(this.#active.map((fault) => fault.lifted));
      const error = this.#stage.behaviour.liftError?.();
      if (error) throw error;
    },
    takeRecords: async () => ({
      records: this.#records.splice(0),
      voids: this.#stage.behaviour.voids?.(this) ?? [],
    }),
  };

  #plan(request: FaultRequest): FaultPlan {
    this.#number += 1;
    const selector = request.on ?? request.from ?? '*';
    return {
      id: request.id ?? `${request.kind}-${this.#number}`,
      kind: request.kind,
      selector,
      targets: this.select(selector, request.seed),
      peers: [],
      direction: 'both',
      protocol: 'all',
      ports: [],
      ...(request.forMs !== undefined && { forMs: request.forMs / (request.warp ?? 1) }),
      seed: request.seed,
      settings: request.settings as FaultPlan['settings'],
    };
  }

  #untilLifted(plan: FaultPlan, appliedNs: number): Promise<FaultRecord> {
    const { clock, happenings, behaviour } = this.#stage;
    const early = new AbortController();
    const lifted = (async (): Promise<FaultRecord> => {
      const untilNs = plan.forMs === undefined ? Number.MAX_SAFE_INTEGER : appliedNs + plan.forMs * 1e6;
      if (plan.forMs === undefined) {
        await new Promise((resolve) => early.signal.addEventListener('abort', resolve, { once: true }));
      } else {
        await clock.sleepUntilNs(untilNs, early.signal).catch(() => undefined);
      }
      const liftedNs = clock.nowNs();
      happenings.push({ bed: this.id, what: 'release', fromNs: liftedNs, toNs: liftedNs });
      this.#active = this.#active.filter((one) => one.plan !== plan);
      await behaviour.onFault?.(this, 'lifted', plan);
      const record: FaultRecord = {
        id: plan.id,
        kind: plan.kind,
        targets: plan.targets,
        selector: plan.selector,
        settings: plan.settings,
        appliedNs,
        liftedNs,
        goneNs: liftedNs,
        bit: behaviour.bites?.() ?? true,
        gone: true,
        problems: [],
      };
      this.#records.push(record);
      return record;
    })();
    this.#active.push({ plan, lift: () => early.abort(), lifted });
    return lifted;
  }

  nodes(): StartedNode[] {
    return this.topology.nodes.map((node) => ({
      name: node.name,
      role: node.role,
      index: node.index,
      labels: node.labels,
      address: `198.18.0.${node.hostIndex}`,
      containerId: `c-${node.name}`,
      pid: 1,
      image: 'fake',
      imageId: 'fake',
      imageKind: 'ours' as const,
      startedNs: 0,
      readyNs: 0,
    }));
  }

  select(selector: string, seed: string): readonly string[] {
    return select(selector, this.nodes(), stream(seed, 'targets'));
  }

  async admin(): Promise<{ readonly status: number; readonly body: string }> {
    return { status: 200, body: '{}' };
  }

  async exec(): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }> {
    return { exitCode: 0, stdout: '', stderr: '' };
  }

  /** Takes what a node says, as its log would have it. */
  onLine: Parameters<BedFactory['start']>[0]['onLine'] = () => undefined;
  readonly relaunched: { readonly node: string; readonly env: Readonly<Record<string, string>> }[] = [];

  async relaunch(node: string, env: Readonly<Record<string, string>>): Promise<void> {
    this.relaunched.push({ node, env });
  }

  readonly replaced: { readonly node: string; readonly image: string | undefined }[] = [];

  async replace(node: string, image: string | undefined): Promise<void> {
    this.replaced.push({ node, image });
    this.#stage.behaviour.onReplace?.(this, node);
  }

  async resetTo(topology: ResolvedTopology, signal: AbortSignal): Promise<void> {
    const { clock, behaviour } = this.#stage;
    const error = behaviour.resetError?.();
    if (error) throw error;
    await this.#stage.takes(this.id, 'reset', behaviour.resetMs ?? 100, signal);
    this.resets.push(topology);
    this.topology = topology;
    void clock;
    behaviour.onStart?.(this, topology);
  }

  async verifyClean(): Promise<{ readonly clean: boolean; readonly problems: readonly string[] }> {
    const problems = this.#stage.behaviour.dirtyAfter?.(this) ?? [];
    return { clean: problems.length === 0, problems };
  }

  readonly capture: TrialBed['capture'] = async (options, signal) => {
    const agent = new FakeAgent();
    this.#stage.behaviour.onCapture?.(agent);
    const client = await connectFakeAgent(agent);
    const nodes = this.nodes().map(({ name }) => name);
    await client.enroll(nodes.map((name) => ({ name, pid: 1 })));
    const capture = await capturePackets(client, { nodes, ...options }, signal);
    this.capturer = agent;
    return capture;
  };

  async diagnose(): Promise<never> {
    throw new Error('not faked');
  }

  nodeRecords(): readonly NodeRecord[] {
    return this.nodes().map(({ name, role, address, containerId }) => ({
      name,
      role,
      image: 'fake',
      imageId: 'fake',
      address,
      containerId,
      ...(this.crashed.has(name) && {
        exit: { code: 1, oomKilled: false, expected: false, atNs: this.#stage.clock.nowNs() },
      }),
    }));
  }

  logCounts(): {
    readonly lostLines: number;
    readonly lines: number;
    readonly bytes: number;
    readonly events: number;
  } {
    return { lostLines: 0, lines: 0, bytes: 0, events: 0 };
  }

  guestPlace(): ReturnType<TrialBed['guestPlace']> {
    return { networkId: `net-${this.id}`, labels: { 'squall.bed': this.id } };
  }

  adapterReports(): [] {
    return [];
  }

  async removeWithin(): Promise<boolean> {
    await this.remove();
    this.hurried = true;
    return true;
  }

  async remove(): Promise<void> {
    if (this.removed) return;
    await this.#stage.takes(
      this.id,
      'remove',
      this.#stage.behaviour.removeMs ?? 100,
      new AbortController().signal,
    );
    const error = this.#stage.behaviour.removeError?.(this);
    if (error) throw error;
    this.removed = true;
  }
}

/** Beds, guard and clock for a run without containers. */
export class FakeStage {
  readonly clock = new JumpingClock();
  readonly built: FakeBed[] = [];
  readonly happenings: Happening[] = [];
  readonly behaviour: FakeBehaviour;
  /** Verdicts of the host guard, one a trial; quiet when none is left. */
  readonly hosts: HostRecord[] = [];

  constructor(behaviour: FakeBehaviour = {}) {
    this.behaviour = behaviour;
  }

  get living(): readonly FakeBed[] {
    return this.built.filter((bed) => !bed.removed);
  }

  async takes(bed: string, what: Happening['what'], ms: number, signal: AbortSignal): Promise<void> {
    const fromNs = this.clock.nowNs();
    await this.clock.sleepUntilNs(fromNs + ms * 1e6, signal);
    this.happenings.push({ bed, what, fromNs, toNs: this.clock.nowNs() });
  }

  readonly beds: BedFactory = {
    start: async ({ topology, bedId, signal, onLine }) => {
      const error = this.behaviour.startError?.(this.built.length + 1);
      if (error) throw error;
      const bed = new FakeBed(this, bedId, topology);
      await this.takes(bedId, 'start', this.behaviour.startMs ?? 1_000, signal);
      bed.onLine = onLine;
      this.built.push(bed);
      this.behaviour.onStart?.(bed, topology);
      return bed;
    },
  };

  readonly guard: HostGuardFactory = {
    start: async () => {
      const error = this.behaviour.guardError?.();
      if (error) throw error;
      return { stop: async () => this.hosts.shift() ?? QUIET };
    },
  };
}

export const QUIET: HostRecord = { verdict: 'quiet', measures: [], reasons: [] };
/** A host that nobody watched to the end. */
export const UNWATCHED: HostRecord = { verdict: 'unknown', measures: [], reasons: ['no canary was watched'] };
/** A host that spoiled a trial. */
export const SPOILED: HostRecord = { verdict: 'spoiled', measures: [], reasons: ['the host was starved'] };
