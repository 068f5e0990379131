import type { TrialRecord } from '../record/index.ts';
import type { PlannedPoint, PlannedTrial, RunPlan } from './plan-run.ts';

/** How often a spoiled trial may be repeated: each of a point's trials, and the run as a whole. */
export interface RepeatLimits {
  readonly perTrial: number;
  readonly perRun: number;
}

export interface QueuedTrial extends PlannedTrial {
  /** 1-based within the point, voids and repeats included: names the trial's folder. */
  readonly trial: number;
  /** In place of a void one. */
  readonly isRepeat: boolean;
}

/** What remains of a plan: which trial comes next, what is repeated, which points need no more. */
export class TrialQueue {
  readonly #pending: PlannedTrial[];
  readonly #records = new Map<PlannedPoint, TrialRecord[]>();
  readonly #lastNumber = new Map<PlannedPoint, number>();
  readonly #repeats = new Map<string, number>();
  readonly #stopped = new Set<PlannedPoint>();
  readonly #limits: RepeatLimits;
  #repeatsInRun = 0;

  /** @param earlier records of the same points, from the run that is resumed */
  constructor(plan: RunPlan, limits: RepeatLimits, earlier: readonly TrialRecord[] = []) {
    this.#limits = limits;
    const byKey = new Map(plan.points.map((point) => [keyOf(point.scenario.name, point.pointId), point]));
    for (const record of earlier) {
      const point = byKey.get(keyOf(record.scenario, record.pointId));
      if (!point) continue;
      this.#records.set(point, [...this.trialsOf(point), record]);
      this.#lastNumber.set(point, Math.max(this.#lastNumber.get(point) ?? 0, record.trial));
    }
    // A trial is done when one with its seed was completed: seeds name a point's trials.
    const done = new Set(
      earlier
        .filter((record) => record.outcome === 'completed')
        .map((record) => `${record.pointId} ${record.seed}`),
    );
    this.#pending = plan.trials.filter((trial) => !done.has(`${trial.point.pointId} ${trial.seed}`));
  }

  get left(): number {
    return this.#pending.length;
  }

  /**
   * The next trial, and takes it off the queue: one that can run on a bed of this shape, if there is one. Trials that
   * want a fresh bed keep their order, in which sides take turns.
   * @param may what points this bed may play
   */
  take(
    shape: string | undefined,
    may: (point: PlannedPoint) => boolean = () => true,
  ): QueuedTrial | undefined {
    const indexOf = (fits: (point: PlannedPoint) => boolean): number =>
      this.#pending.findIndex(({ point }) => may(point) && fits(point));
    const fitting = indexOf((point) => point.shape === shape && point.bed === 'reuse');
    const at = fitting >= 0 ? fitting : indexOf(() => true);
    const [next] = at < 0 ? [] : this.#pending.splice(at, 1);
    if (!next) return undefined;
    const trial = (this.#lastNumber.get(next.point) ?? 0) + 1;
    this.#lastNumber.set(next.point, trial);
    return { ...next, trial, isRepeat: this.#repeats.has(slotOf(next)) };
  }

  /** Whether a trial on a bed of this shape is still to come. */
  wants(shape: string): boolean {
    return this.#pending.some((trial) => trial.point.shape === shape);
  }

  trialsOf(point: PlannedPoint): readonly TrialRecord[] {
    return this.#records.get(point) ?? [];
  }

  /** Keeps the record; a void trial is put back, at the front, within the limits. */
  finish(trial: QueuedTrial, record: TrialRecord): { readonly willRepeat: boolean } {
    this.#records.set(trial.point, [...this.trialsOf(trial.point), record]);
    if (record.outcome !== 'void' || this.#stopped.has(trial.point)) return { willRepeat: false };
    const key = slotOf(trial);
    const repeats = this.#repeats.get(key) ?? 0;
    if (repeats >= this.#limits.perTrial || this.#repeatsInRun >= this.#limits.perRun)
      return { willRepeat: false };
    this.#repeats.set(key, repeats + 1);
    this.#repeatsInRun += 1;
    this.#pending.unshift({ point: trial.point, slot: trial.slot, seed: trial.seed });
    return { willRepeat: true };
  }

  /** The answer at this point is clear: its remaining trials are not run. True when there were any. */
  stopPoint(point: PlannedPoint): boolean {
    this.#stopped.add(point);
    const before = this.#pending.length;
    for (let index = this.#pending.length - 1; index >= 0; index -= 1) {
      if (this.#pending[index]?.point === point) this.#pending.splice(index, 1);
    }
    return this.#pending.length < before;
  }
}

function slotOf(trial: PlannedTrial): string {
  return `${trial.point.index}/${trial.slot}`;
}

function keyOf(scenario: string, pointId: string): string {
  return `${scenario}/${pointId}`;
}
