import { formatNumber, valuesOf } from '../check/index.ts';
import {
  type PlanRecord,
  type RunObserver,
  redactText,
  type TrialLabel,
  type TrialRecord,
} from '../record/index.ts';
import { formatDurationMs } from '../units/index.ts';
import { plainText } from './plain-text.ts';
import { displayWidth } from './text-table.ts';

export interface ConsoleTarget {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface LiveConsoleOptions {
  readonly target: ConsoleTarget;
  /** Milliseconds on any steady clock. */
  readonly nowMs: () => number;
  /** Colour on a terminal unless NO_COLOR is set; never elsewhere. */
  readonly color?: boolean;
}

const BAR_WIDTH = 24;
const REDRAW_MS = 200;

/**
 * A line a step, and on a terminal a bar with the time left under it. Elsewhere the same lines, plain, and the progress
 * in words after each trial. Nothing that a container said can move the cursor.
 */
export function createLiveConsole(options: LiveConsoleOptions): RunObserver {
  return new LiveConsole(options);
}

class LiveConsole implements RunObserver {
  readonly #options: LiveConsoleOptions;
  readonly #startMs: number;
  readonly #tty: boolean;
  readonly #color: boolean;
  #measures = new Map<string, readonly string[]>();
  #total = 0;
  #before = 0;
  #counted = 0;
  #voids = 0;
  #estimatedMs = 0;
  #doneEstimatedMs = 0;
  #estimateOf = new Map<string, number>();
  #barShown = false;
  #drawnMs = Number.NEGATIVE_INFINITY;

  constructor(options: LiveConsoleOptions) {
    this.#options = options;
    this.#startMs = options.nowMs();
    this.#tty = options.target.isTTY === true;
    this.#color = this.#tty && (options.color ?? !process.env['NO_COLOR']);
  }

  planned(plan: PlanRecord, alreadyDone: number): void {
    for (const scenario of plan.scenarios) {
      this.#measures.set(
        scenario.scenario,
        scenario.measures.map((measure) => measure.name),
      );
      for (const point of scenario.points) {
        this.#total += point.trials;
        this.#estimatedMs += point.estimatedMs * point.trials;
        this.#estimateOf.set(point.pointId, point.estimatedMs);
      }
    }
    this.#before = alreadyDone;
    this.#counted = alreadyDone;
    const resumed = alreadyDone > 0 ? `, ${alreadyDone} done before` : '';
    const points = plan.scenarios.reduce((sum, scenario) => sum + scenario.points.length, 0);
    this.#line(`run ${plan.runId}: ${this.#total} trials at ${points} points${resumed}, seed ${plan.seed}`);
  }

  trialStarted(trial: TrialLabel): void {
    this.#line(`${this.#label(trial)} started on ${trial.bedId}`);
  }

  stepped(trial: TrialLabel | undefined, text: string): void {
    this.#line(trial ? `${this.#label(trial)} ${text}` : text);
  }

  trialFinished(trial: TrialRecord, { willRepeat }: { readonly willRepeat: boolean }): void {
    if (trial.outcome === 'completed') {
      this.#counted += 1;
      this.#doneEstimatedMs += this.#estimateOf.get(trial.pointId) ?? 0;
    } else if (trial.outcome === 'void') this.#voids += 1;
    const seconds = formatDurationMs((trial.endNs - trial.startNs) / 1e6);
    const why = trial.reasons.length > 0 ? `: ${trial.reasons.join('; ')}` : '';
    const what =
      trial.outcome === 'completed'
        ? this.#paint('32', `done in ${seconds}`)
        : this.#paint(
            '33',
            `${trial.outcome} after ${seconds}${plainText(redactText(why), 300)}${willRepeat ? ' (will be repeated)' : ''}`,
          );
    this.#line(`${this.#label(trial)} `, what, ` ${plainText(this.#figures(trial), 120)}`);
    if (!this.#tty) this.#line(this.#progress());
  }

  pointStopped(pointId: string, why: string): void {
    this.#line(`${pointId} stopped: ${why}`);
  }

  noted(text: string): void {
    this.#line(text);
  }

  closed(): void {
    this.#clearBar();
  }

  #figures(trial: TrialRecord): string {
    const names = this.#measures.get(trial.scenario) ?? Object.keys(trial.measures);
    return names
      .slice(0, 3)
      .flatMap((name) => {
        const values = valuesOf(trial.measures, name);
        return values.length === 1
          ? [`${name} ${values[0] === null ? '–' : formatNumber(values[0] as number)}`]
          : [];
      })
      .join(', ');
  }

  #label(trial: Pick<TrialLabel, 'pointId' | 'trial'>): string {
    return `[${trial.pointId} #${trial.trial}]`;
  }

  /** Parts at odd places are painted already and written as they are; the others are made plain. */
  #line(text: string, painted = '', rest = ''): void {
    this.#clearBar();
    const elapsed = formatDurationMs(this.#options.nowMs() - this.#startMs).padStart(12);
    this.#options.target.write(
      `${this.#paint('2', elapsed)}  ${plainText(redactText(text))}${painted}${rest.trimEnd()}\n`,
    );
    this.#drawBar();
  }

  #progress(): string {
    const share = this.#total === 0 ? 0 : this.#counted / this.#total;
    const voids = this.#voids > 0 ? `, ${this.#voids} void` : '';
    return `${this.#counted} of ${this.#total} trials (${Math.floor(share * 100)} %)${voids}, ${this.#timeLeft()}`;
  }

  /** From the plan's estimates, corrected by how long the trials so far took against theirs. */
  #timeLeft(): string {
    const leftMs = Math.max(0, this.#estimatedMs - this.#doneEstimatedMs);
    if (this.#counted <= this.#before || this.#doneEstimatedMs === 0) return 'time left unknown yet';
    const pace = (this.#options.nowMs() - this.#startMs) / this.#doneEstimatedMs;
    const doneBeforeMs = (this.#before / Math.max(1, this.#total)) * this.#estimatedMs;
    return `about ${formatDurationMs(Math.max(0, leftMs - doneBeforeMs) * pace)} left`;
  }

  #drawBar(): void {
    if (!this.#tty || this.#total === 0) return;
    const nowMs = this.#options.nowMs();
    if (nowMs - this.#drawnMs < REDRAW_MS && this.#barShown) return;
    this.#drawnMs = nowMs;
    const filled = Math.round((this.#counted / this.#total) * BAR_WIDTH);
    const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`;
    const text = `${bar} ${this.#progress()}`;
    const room = (this.#options.target.columns ?? 80) - 1;
    this.#options.target.write(displayWidth(text) <= room ? text : text.slice(0, room));
    this.#barShown = true;
  }

  #clearBar(): void {
    if (!this.#barShown) return;
    this.#options.target.write('\r\u001b[2K');
    this.#barShown = false;
  }

  #paint(code: string, text: string): string {
    return this.#color ? `\u001b[${code}m${text}\u001b[0m` : text;
  }
}
