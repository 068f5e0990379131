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
  /** Read anew for every decision. */
  readonly room: () => Promise<Room>;
  readonly least: Partial<Room>;
  /** A smaller wave would be played where the host carries none of this size. */
  readonly maySmaller?: boolean;
}

/** So many waves that the host spoiled, and none that counts, are its answer to their size. */
const SPOILED = 3;

/** What is decided after a wave; `stop` ends all sides. */
export interface WaveDecision {
  readonly action: 'continue' | 'stop';
  readonly why: string;
  readonly everywhere: boolean;
  /** The host carries no wave of this size. */
  readonly tooLarge?: boolean;
}

/** Counted waves a side at which to look: the first and the last, and others evenly between them. */
export function looksAt(waves: number, mostWaves: number, looks: number): number[] {
  if (looks <= 1 || mostWaves <= waves) return [mostWaves];
  const step = (mostWaves - waves) / (looks - 1);
  return [...new Set(Array.from({ length: looks }, (_, look) => Math.round(waves + look * step)))];
}

/**
 * Decides after each wave, void ones too, whether more are needed. A loss on either side, too little room, and the end of
 * the budget stop all sides; the budget only once the rounds are whole that had begun when it ended, so that no side has a
 * wave more than another for that. Otherwise the sides are compared at the looks that were fixed beforehand, and it ends
 * once every candidate's primary measure is clear. Each look is over the first so many rounds that all sides have played,
 * in whatever order waves end, so that none is passed over and a rehearsal that is resumed sees at it what was seen before.
 */
export class WaveJudge {
  readonly #options: WaveJudgeOptions;
  readonly #trials = new Map<string, readonly TrialRecord[]>();
  #looks = 0;
  /** Rounds that some side had played when the budget was found spent. */
  #begun: ReadonlySet<string> | undefined;

  constructor(options: WaveJudgeOptions) {
    this.#options = options;
  }

  async decide(pointId: string, trials: readonly TrialRecord[]): Promise<WaveDecision> {
    this.#trials.set(pointId, trials);
    const stop = (why: string): WaveDecision => ({ action: 'stop', why, everywhere: true });
    const lost = this.#loss(trials);
    if (lost !== undefined) return stop(lost);
    const short = this.#shortage(await this.#options.room());
    if (short !== undefined) return stop(short);
    const spoiled = this.#spoiled();
    if (spoiled !== undefined) return { ...stop(spoiled), tooLarge: true };
    const rounds = this.#wholeRounds();
    for (;;) {
      const at = this.#options.lookAt[this.#looks];
      if (at === undefined || at > rounds.length) break;
      this.#looks += 1;
      if (this.#isClear(new Set(rounds.slice(0, at))))
        return stop(`the answer is clear after ${at} waves a side`);
    }
    if (this.#isOver(rounds)) return stop(`the budget is spent after ${rounds.length} waves a side`);
    return { action: 'continue', why: 'the answer is open', everywhere: false };
  }

  /** Waves a side that count so far, and at how many the sides are compared next; none when all looks were taken. */
  get progress(): { readonly rounds: number; readonly nextLook: number | undefined } {
    return { rounds: this.#wholeRounds().length, nextLook: this.#options.lookAt[this.#looks] };
  }

  #loss(trials: readonly TrialRecord[]): string | undefined {
    // All of them: beds side by side end in any order, and a rehearsal that is resumed has lost what it had lost.
    for (const wave of trials.filter(counts)) {
      for (const measure of this.#options.noLoss) {
        const lost = valuesOf(wave.measures, measure).reduce<number>((sum, value) => sum + (value ?? 0), 0);
        if (lost > 0) return `${measure} is ${lost} in wave ${wave.trial} of ${wave.pointId}, which decides`;
      }
    }
    return undefined;
  }

  #shortage({ diskFreeBytes, memoryFreeBytes }: Room): string | undefined {
    const { least } = this.#options;
    const below = (what: string, free: number, wanted: number | undefined): string | undefined =>
      wanted !== undefined && free < wanted
        ? `only ${formatBytes(free)} of ${what} are free; expected at least ${formatBytes(wanted)}`
        : undefined;
    return (
      below('disk', diskFreeBytes, least.diskFreeBytes) ??
      below('memory', memoryFreeBytes, least.memoryFreeBytes)
    );
  }

  #spoiled(): string | undefined {
    const waves = [...this.#trials.values()].flat();
    if (
      !this.#options.maySmaller ||
      waves.length < SPOILED ||
      waves.some(({ outcome }) => outcome !== 'void')
    )
      return undefined;
    const [reason = 'it says no reason'] = waves.at(-1)?.reasons ?? [];
    return `the host spoiled each of ${waves.length} waves (${reason})`;
  }

  /** Seeds of what a side has played, in the order of its waves: a repeat shares its seed with the void wave before it. */
  #played(pointId: string): ReadonlySet<string> {
    const waves = (this.#trials.get(pointId) ?? []).filter(counts);
    return new Set(waves.toSorted((a, b) => a.trial - b.trial).map(({ seed }) => seed));
  }

  /** Rounds, by their seeds, of which every side has played its wave. */
  #wholeRounds(): readonly string[] {
    const [first = new Set<string>(), ...others] = this.#options.pointIds.map((id) => this.#played(id));
    return [...first].filter((seed) => others.every((played) => played.has(seed)));
  }

  /**
   * Whether the budget is spent and the rounds that it met are whole. One of which a wave was given up never is: a later
   * round that is whole shows it, since rounds are played in their order.
   */
  #isOver(whole: readonly string[]): boolean {
    if (this.#options.hasTime()) return false;
    this.#begun ??= new Set(this.#options.pointIds.flatMap((id) => [...this.#played(id)]));
    const begun = this.#begun;
    const done = new Set(whole);
    return [...begun].every((seed) => done.has(seed)) || whole.some((seed) => !begun.has(seed));
  }

  #isClear(rounds: ReadonlySet<string>): boolean {
    const { scenario } = this.#options;
    // Voids stay: whether the host spoiled one side more often than the other is a part of the answer.
    const waves = [...this.#trials.values()].flat().filter((one) => !counts(one) || rounds.has(one.seed));
    const light = waves.map(
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
