import type { FaultRecord, WitnessRecord } from '../../record/index.ts';
import { formatDurationMs } from '../../units/index.ts';
import type { AgentClient } from '../agent/agent-client.ts';
import type { AgentEvent, LiftAnswer } from '../agent/protocol.ts';
import { leaseRecord } from '../lease-record.ts';
import { monotonicNs, unlessAborted, withBudget } from '../time-budget.ts';
import type { FaultInstants, FaultLease, FaultPlan } from '../types.ts';
import { addressLookup, type PacketBed } from './packet-bed.ts';
import { readRelease, releaseProblems } from './read-release.ts';
import { wireFault } from './wire-fault.ts';
import { readWitness, voidReasons } from './witness.ts';

/** Time that one lift may take: a long queue drains at some 100,000 packets a second, slower when paced. */
export const PACKET_LIFT_BUDGET_MS = 60_000;

type State = 'planned' | 'armed' | 'applied' | 'lifted' | 'gone';

/** One fault of the packet agent. */
export class PacketLease implements FaultLease {
  readonly plan: FaultPlan;
  readonly #bed: PacketBed;
  /** Ids of the agent that may be armed, and those that its answer said are. */
  readonly #wireIds: string[];
  readonly #armedIds: string[] = [];
  readonly #problems = new Set<string>();
  #skew: { readonly applySkewNs?: number; readonly liftSkewNs?: number } = {};
  #beside: Promise<void> = Promise.resolve();
  readonly #ending = new AbortController();
  readonly #stopListening: () => void;
  readonly #liftedByItself: Promise<void>;
  #noticeLift: () => void = () => undefined;
  #state: State = 'planned';
  #appliedNs: number | undefined;
  #liftsAtNs: number | undefined;
  #liftedNs: number | undefined;
  #goneNs: number | undefined;
  #released: FaultRecord['released'];
  #witness: WitnessRecord | undefined;
  #lifting: Promise<void> | undefined;

  constructor(plan: FaultPlan, bed: PacketBed) {
    this.plan = plan;
    this.#bed = bed;
    this.#wireIds = [plan.id];
    this.#liftedByItself = new Promise((resolve) => {
      this.#noticeLift = resolve;
    });
    this.#stopListening = bed.agent.onEvent((event) => this.#hear(event));
  }

  get agent(): AgentClient {
    return this.#bed.agent;
  }

  wire() {
    return wireFault(this.plan, this.plan.id, this.plan.targets, addressLookup(this.#bed));
  }

  async arm(signal: AbortSignal): Promise<void> {
    this.markArming();
    await this.agent.arm([this.wire()], signal);
    this.markArmed();
  }

  /** From now on a lift has something to undo, even if the agent's answer never arrives. */
  markArming(): void {
    this.#state = 'armed';
  }

  markArmed(): void {
    this.#armedIds.push(this.plan.id);
  }

  async apply(signal: AbortSignal): Promise<FaultInstants> {
    const { forMs } = this.plan;
    const answer = await this.agent.apply([this.plan.id], forMs === undefined ? {} : { forMs }, signal);
    return this.markApplied(answer.atNs);
  }

  /** Planned by the agent's answer, then as it happened by its event. */
  markApplied(atNs: number): FaultInstants {
    this.#appliedNs = atNs;
    if (this.#state === 'armed') this.#state = 'applied';
    if (this.plan.forMs === undefined) return { appliedNs: atNs };
    this.#liftsAtNs = atNs + this.plan.forMs * 1e6;
    return { appliedNs: atNs, liftsAtNs: this.#liftsAtNs };
  }

  skewed(skew: { readonly applySkewNs?: number; readonly liftSkewNs?: number }): void {
    this.#skew = { ...this.#skew, ...skew };
  }

  /** Something that a reader of the record must know. */
  note(sentence: string): void {
    this.#problems.add(sentence);
  }

  /** Work that runs beside the fault, is told when it is being lifted, and that its record waits for. */
  accompany(work: (ended: AbortSignal) => Promise<void>): void {
    this.#beside = work(this.#ending.signal);
  }

  async lifted(signal: AbortSignal): Promise<{ liftedNs: number; goneNs: number }> {
    let forgetEnd: () => void = () => undefined;
    const agentEnded = new Promise<never>((_, reject) => {
      forgetEnd = this.agent.onEnd(reject);
    });
    try {
      await unlessAborted(signal, Promise.race([this.#liftedByItself, agentEnded]));
    } finally {
      forgetEnd();
    }
    await this.lift();
    return { liftedNs: this.#liftedNs ?? monotonicNs(), goneNs: this.#goneNs ?? monotonicNs() };
  }

  lift(): Promise<void> {
    if (this.#state === 'planned' || this.#state === 'gone') {
      this.#stopListening();
      this.#noticeLift();
      return Promise.resolve();
    }
    this.#lifting ??= this.#lift().finally(() => {
      // A lift that failed may be tried again; one that succeeded left the state `gone`.
      this.#lifting = undefined;
    });
    return this.#lifting;
  }

  async #lift(): Promise<void> {
    await withBudget(`fault ${this.plan.id}: lift`, this.#liftBudgetMs(), async (signal) => {
      // What failed to be armed is unknown to the agent, and needs no lift.
      const known = Object.keys((await this.#liftKnown(signal)).lifted);
      this.#liftedNs ??= monotonicNs();
      if (known.length > 0) {
        // Probes name the fault: it is forgotten only when they have ended.
        this.#ending.abort();
        await this.#beside;
        this.#witness = readWitness(await this.agent.witness(known, signal));
        await this.agent.disarm(known, signal);
      }
      this.#state = 'lifted';
      const left = Object.keys((await this.#liftKnown(signal)).lifted);
      if (left.length > 0) {
        this.#problems.add(`the agent still knows ${left.join(', ')} after the lift`);
        return;
      }
      this.#goneNs = monotonicNs();
      this.#state = 'gone';
    });
    this.#stopListening();
    this.#noticeLift();
  }

  #liftBudgetMs(): number {
    const pacePps = Number(this.plan.settings.pacePps ?? 0);
    if (pacePps === 0) return PACKET_LIFT_BUDGET_MS;
    const QUEUE_PACKETS = 65_536;
    return PACKET_LIFT_BUDGET_MS + (QUEUE_PACKETS / pacePps) * 1_000;
  }

  async record(): Promise<FaultRecord> {
    const witness = this.#witness ?? (await this.#readOrSay());
    return leaseRecord({
      plan: this.plan,
      appliedNs: this.#appliedNs,
      liftedNs: this.#liftedNs,
      goneNs: this.#goneNs,
      released: this.#released,
      skew: this.#skew,
      witness,
      gone: this.#state === 'gone',
      problems: [
        ...this.#problems,
        ...(this.#state === 'gone' ? releaseProblems(witness, this.#released) : []),
      ],
      voids: voidReasons(witness),
    });
  }

  voids(): readonly string[] {
    const lost = this.agent.lost && this.#state !== 'gone' ? [this.agent.lost.message] : [];
    return [...lost, ...voidReasons(this.#witness).map((reason) => `fault ${this.plan.id}: ${reason}`)];
  }

  async reapply(node: string, signal: AbortSignal): Promise<void> {
    if (this.#state !== 'applied' || !this.plan.targets.includes(node)) return;
    const leftMs = this.#liftsAtNs === undefined ? undefined : (this.#liftsAtNs - monotonicNs()) / 1e6;
    if (leftMs !== undefined && leftMs <= 0) return;
    const wireId = `${this.plan.id}~${this.#wireIds.length + 1}`;
    this.#wireIds.push(wireId);
    await this.agent.arm([wireFault(this.plan, wireId, [node], addressLookup(this.#bed))], signal);
    this.#armedIds.push(wireId);
    const timing = leftMs === undefined ? {} : { forMs: leftMs };
    const { atNs } = await this.agent.apply([wireId], timing, signal);
    this.#noteGap(node, atNs);
  }

  /** A namespace cannot be faulted before the process in it runs: what that did meanwhile, it did unharmed. */
  #noteGap(node: string, atNs: number): void {
    const startedNs = this.#bed.nodes().find(({ name }) => name === node)?.startedNs;
    if (startedNs === undefined) return;
    const gap = formatDurationMs((atNs - startedNs) / 1e6);
    this.note(`${node} began anew, and its new process ran for ${gap} before the fault acted on it again`);
  }

  #hear({ event, monoNs, fields }: AgentEvent): void {
    if (fields.id !== this.plan.id) return;
    const atNs = typeof fields.atNs === 'number' ? fields.atNs : monoNs;
    if (event === 'applied') this.markApplied(atNs);
    if (event === 'lifted') {
      this.#liftedNs = atNs;
      this.#released = readRelease(fields);
      this.#noticeLift();
    }
  }

  /** Lifts what the agent knows of this lease, and so says what that is. */
  #liftKnown(signal: AbortSignal): Promise<LiftAnswer> {
    return this.agent.lift(this.#wireIds, signal, this.#liftBudgetMs());
  }

  /** A record is wanted of broken faults as well: then the reason stands among its problems. */
  async #readOrSay(): Promise<WitnessRecord | undefined> {
    if (this.#armedIds.length === 0) return undefined;
    try {
      return await withBudget(`fault ${this.plan.id}: witness`, 15_000, async (signal) =>
        readWitness(await this.agent.witness(this.#armedIds, signal)),
      );
    } catch (error) {
      this.#problems.add(`witness not readable: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }
}
