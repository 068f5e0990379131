import { describeError, SquallError } from '../errors/index.ts';
import type { FaultRecord, WitnessRecord } from '../record/index.ts';
import { leaseRecord } from './lease-record.ts';
import { monotonicNs, unlessAborted, withBudget } from './time-budget.ts';
import type { FaultInstants, FaultLease, FaultPlan } from './types.ts';

/** What a fault does, for leases that run on the harness's own clock (everything but packet faults). */
export interface FaultWork {
  /** Looks whether it can work, and remembers what an undo needs; disturbs nothing. */
  arm(signal: AbortSignal): Promise<void>;
  /** Bites on all targets. Says when the first and the last one was seen to be disturbed. */
  apply(signal: AbortSignal): Promise<{ readonly firstNs: number; readonly lastNs: number }>;
  /** Idempotent; also after an `arm` or an `apply` that broke off in the middle. */
  undo(signal: AbortSignal): Promise<void>;
  /** Reads the bed: sentences about what is still there; empty when the fault is gone. */
  remains(signal: AbortSignal): Promise<readonly string[]>;
  /** Read from the bed while the fault is in force, and once more just before it is undone. */
  witness(signal: AbortSignal): Promise<WitnessRecord>;
  /** What happened to targets meanwhile that a reader of the record must know. */
  notes?(): readonly string[];
  voids?(): readonly string[];
  reapply?(node: string, signal: AbortSignal): Promise<void>;
}

export interface TimedLeaseOptions {
  readonly liftBudgetMs: number;
  /** The fault is an event that is over once it has happened (a restart): it lifts right after it was applied. */
  readonly momentary?: boolean;
  /** The fault has ended once its undo was ordered: what follows are nodes that start, which takes them as long as it takes. */
  readonly endsAtOrder?: boolean;
}

/** A lease whose length is kept by a timer of this process. */
export class TimedLease implements FaultLease {
  readonly plan: FaultPlan;
  readonly #work: FaultWork;
  readonly #options: TimedLeaseOptions;
  readonly #problems = new Set<string>();
  readonly #due: Promise<void>;
  #noticeDue: () => void = () => undefined;
  #state: 'planned' | 'armed' | 'applied' | 'gone' = 'planned';
  /** Was told to act, so that there may be something to witness. */
  #wasTried = false;
  #timer: NodeJS.Timeout | undefined;
  #appliedNs: number | undefined;
  #applySkewNs: number | undefined;
  #liftedNs: number | undefined;
  #endedNs: number | undefined;
  #goneNs: number | undefined;
  #witness: WitnessRecord | undefined;
  #lifting: Promise<void> | undefined;

  constructor(plan: FaultPlan, work: FaultWork, options: TimedLeaseOptions) {
    this.plan = plan;
    this.#work = work;
    this.#options = options;
    this.#due = new Promise((resolve) => {
      this.#noticeDue = resolve;
    });
  }

  /** From here on a lift has something to undo: what is refused halfway may have left some of it. */
  async arm(signal: AbortSignal): Promise<void> {
    this.#state = 'armed';
    await this.#work.arm(signal);
  }

  /** @throws SquallError `lifted-early` when it is lifted before it is in force, by whoever lifts all: it must be lifted again */
  async apply(signal: AbortSignal): Promise<FaultInstants> {
    if (this.#isLifted()) throw liftedEarly(this.plan);
    this.#wasTried = true;
    const { firstNs, lastNs } = await this.#work.apply(signal);
    if (this.#isLifted()) {
      await this.#lifting?.catch(() => undefined);
      this.#state = 'armed';
      throw liftedEarly(this.plan);
    }
    this.#state = 'applied';
    this.#appliedNs = firstNs;
    this.#applySkewNs = lastNs - firstNs;
    const forMs = this.#options.momentary ? 0 : this.plan.forMs;
    if (forMs === undefined) return { appliedNs: firstNs };
    // Its length is over when the last target has had it: how far apart targets are is no lateness.
    const liftsAtNs = lastNs + forMs * 1e6;
    this.#timer = setTimeout(this.#noticeDue, Math.max(0, (liftsAtNs - monotonicNs()) / 1e6));
    return { appliedNs: firstNs, liftsAtNs };
  }

  async lifted(signal: AbortSignal): Promise<{ liftedNs: number; goneNs: number }> {
    await unlessAborted(signal, this.#due);
    await this.lift();
    return { liftedNs: this.#liftedNs ?? monotonicNs(), goneNs: this.#goneNs ?? monotonicNs() };
  }

  lift(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#state === 'planned' || this.#state === 'gone') {
      this.#noticeDue();
      return Promise.resolve();
    }
    this.#lifting ??= this.#lift().finally(() => {
      this.#lifting = undefined;
    });
    return this.#lifting;
  }

  #isLifted(): boolean {
    return this.#state === 'gone' || this.#lifting !== undefined;
  }

  async #lift(): Promise<void> {
    await withBudget(`fault ${this.plan.id}: lift`, this.#options.liftBudgetMs, async (signal) => {
      // Read before the undo, which may wipe the counts; a witness that cannot be read must not keep the fault alive.
      if (this.#wasTried) this.#witness ??= await this.#readOrSay(signal);
      this.#liftedNs ??= monotonicNs();
      await this.#work.undo(signal);
      this.#endedNs = this.#options.endsAtOrder ? this.#liftedNs : monotonicNs();
      const remains = await this.#work.remains(signal);
      if (remains.length > 0) {
        for (const sentence of remains) this.#problems.add(`after the lift: ${sentence}`);
        return;
      }
      this.#goneNs = monotonicNs();
      this.#state = 'gone';
    });
    this.#noticeDue();
  }

  async record(): Promise<FaultRecord> {
    const witness = this.#witness ?? (await this.#readLive());
    return leaseRecord({
      plan: this.plan,
      appliedNs: this.#appliedNs,
      liftedNs: this.#liftedNs,
      endedNs: this.#endedNs,
      goneNs: this.#goneNs,
      skew: this.#applySkewNs === undefined ? {} : { applySkewNs: this.#applySkewNs },
      witness,
      gone: this.#state === 'gone',
      problems: [...this.#problems, ...(this.#work.notes?.() ?? [])],
      voids: this.voids(),
    });
  }

  voids(): readonly string[] {
    return this.#work.voids?.() ?? [];
  }

  async reapply(node: string, signal: AbortSignal): Promise<void> {
    if (this.#state === 'applied' && this.plan.targets.includes(node))
      await this.#work.reapply?.(node, signal);
  }

  async #readLive(): Promise<WitnessRecord | undefined> {
    if (this.#state !== 'applied') return undefined;
    return withBudget(`fault ${this.plan.id}: witness`, 15_000, (signal) => this.#readOrSay(signal));
  }

  async #readOrSay(signal: AbortSignal): Promise<WitnessRecord | undefined> {
    try {
      return await this.#work.witness(signal);
    } catch (error) {
      this.#problems.add(`witness not readable: ${describeError(error)}`);
      return undefined;
    }
  }
}

function liftedEarly({ id }: FaultPlan): SquallError {
  return new SquallError(`fault ${id}: was lifted before it was in force`, { code: 'lifted-early' });
}
