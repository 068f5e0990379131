import { type ComparedTrial, counts, valuesOf } from '../check/index.ts';
import { compareSides } from '../compare/index.ts';
import type { PlannedScenario, TrialRecord } from '../record/index.ts';
import { formatBytes } from '../units/index.ts';

/** What is left of what a wave needs, read between waves. */
export interface Room {
  readonly diskFreeBytes: number;
  readonly memoryFreeBytes: number;
}

export interface WaveJudgeOptions {
  readonly scenario: PlannedScenario;
  /** Ids of all points: a round is one wave at each. */
  readonly pointIds: readonly string[];
  /** Counted waves a side at which the sides are compared, rising. */
  readonly lookAt: readonly number[];
  readonly noLoss: readonly string[];
  /** False once no further round may begin. */
  readonly hasTime: () => boolean;
  readonly room: () => Room;
  readonly least: Partial<Room>;
}

/** What is decided after a wave; `stop` ends all sides. */
export interface WaveDecision {
  readonly action: 'continue' | 'stop';
  readonly why: string;
  readonly everywhere: boolean;
}

/** Counted waves a side at which to look: the first and the last, and others evenly between them. */
export function looksAt(waves: number, mostWaves: number, looks: number): number[] {
  if (looks <= 1 || mostWaves <= waves) return [mostWaves];
  const step = (mostWaves - waves) / (looks - 1);
  return [...new Set(Array.from({ length: looks }, (_, look) => Math.round(waves + look * step)))];
}

/**
 * Decides after each wave whether more are needed. A loss on either side, too little room, and the end of the budget
 * stop all sides; the budget only between rounds, so that no side has a wave more than another for that. Otherwise the
 * sides are compared at the looks that were fixed beforehand, and it ends once every candidate's primary measure is clear.
 */
export class WaveJudge {
  readonly #options: WaveJudgeOptions;
  readonly #trials = new Map<string, readonly TrialRecord[]>();

  constructor(options: WaveJudgeOptions) {
    this.#options = options;
  }

  decide(pointId: string, trials: readonly TrialRecord[]): WaveDecision {
    this.#trials.set(pointId, trials);
    const stop = (why: string): WaveDecision => ({ action: 'stop', why, everywhere: true });
    const lost = this.#loss(trials);
    if (lost !== undefined) return stop(lost);
    const short = this.#shortage();
    if (short !== undefined) return stop(short);
    const rounds = this.#rounds();
    if (rounds === undefined) return { action: 'continue', why: 'the round is not whole', everywhere: false };
    if (this.#options.lookAt.includes(rounds) && this.#isClear()) {
      return stop(`the answer is clear after ${rounds} waves a side`);
    }
    if (!this.#options.hasTime()) return stop(`the budget is spent after ${rounds} waves a side`);
    return { action: 'continue', why: 'the answer is open', everywhere: false };
  }

  #loss(trials: readonly TrialRecord[]): string | undefined {
    const last = trials.at(-1);
    if (last === undefined || !counts(last)) return undefined;
    for (const measure of this.#options.noLoss) {
      const lost = valuesOf(last.measures, measure).reduce<number>((sum, value) => sum + (value ?? 0), 0);
      if (lost > 0) return `${measure} is ${lost} in wave ${last.trial} of ${last.pointId}, which decides`;
    }
    return undefined;
  }

  #shortage(): string | undefined {
    const { room, least } = this.#options;
    const { diskFreeBytes, memoryFreeBytes } = room();
    const below = (what: string, free: number, wanted: number | undefined): string | undefined =>
      wanted !== undefined && free < wanted
        ? `only ${formatBytes(free)} of ${what} are free; expected at least ${formatBytes(wanted)}`
        : undefined;
    return (
      below('disk', diskFreeBytes, least.diskFreeBytes) ??
      below('memory', memoryFreeBytes, least.memoryFreeBytes)
    );
  }

  /** Whole rounds: slots, which a repeat shares with the void wave before it, are told apart by their seeds. */
  #rounds(): number | undefined {
    const done = this.#options.pointIds.map(
      (pointId) => new Set((this.#trials.get(pointId) ?? []).filter(counts).map(({ seed }) => seed)).size,
    );
    const [first] = done;
    return done.every((count) => count === first) ? first : undefined;
  }

  #isClear(): boolean {
    const { scenario } = this.#options;
    const light = [...this.#trials.values()].flat().map(
      (trial): ComparedTrial => ({
        point: trial.point,
        pointId: trial.pointId,
        trial: trial.trial,
        seed: trial.seed,
        outcome: trial.outcome,
        measures: trial.measures,
        counted: counts(trial),
      }),
    );
    const comparisons = scenario.comparisons ?? [];
    return (
      comparisons.length > 0 &&
      comparisons.every((spec) => compareSides(spec, scenario, light).outcome !== 'unclear')
    );
  }
}
