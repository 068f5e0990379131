import { setMaxListeners } from 'node:events';
import { describeError, SquallError } from '../errors/index.ts';
import type { PhaseRecord, RecordedEvent, TrialRecord } from '../record/index.ts';
import { formatDurationMs } from '../units/index.ts';
import type { TrialBed } from './ports.ts';
import { MISSED_EVENT } from './standing-checks.ts';
import { stepFaults, stepVerb } from './step-problems.ts';
import { describeLast, MissedCondition, StepRunner } from './step-runner.ts';
import { stepsAt } from './steps-at.ts';
import { trialBudgetMs } from './trial-budget.ts';
import type { Ending, TrialOptions } from './trial-options.ts';

const NS = 1e6;

/** The phases of one trial, with what was executed when. */
export class TrialPhases {
  readonly #options: TrialOptions;
  readonly #startNs: number;
  readonly phaseRecords: PhaseRecord[] = [];
  readonly stepRecords: TrialRecord['steps'][number][] = [];
  endNs: number;
  #current = 'the start';

  constructor(options: TrialOptions, startNs: number) {
    this.#options = options;
    this.#startNs = startNs;
    this.endNs = startNs;
  }

  /** Runs them all; what went wrong is in the ending, nothing is thrown. */
  async run(): Promise<Ending> {
    const { bed, planned, clock, signal } = this.#options;
    const stop = new AbortController();
    const trialSignal = AbortSignal.any([signal, stop.signal]);
    // Every node of the bed may be asked something at once.
    setMaxListeners(0, trialSignal);
    const unsubscribe = bed.events.subscribe((event) => {
      if (event.event !== 'agent.lost') return;
      stop.abort(
        new SquallError(`agent of bed ${bed.id}: lost in the middle of a trial`, {
          code: 'agent-lost',
          blame: 'void',
        }),
      );
    });
    const runner = new StepRunner({
      bed,
      clock,
      quiet: this.#options.quiet,
      planned: planned.point,
      seed: planned.seed,
      warp: this.#options.warp,
      signal: trialSignal,
      trialMark: this.#options.mark,
      startNs: this.#startNs,
    });
    const watch = this.#watchBudget(runner, stop);
    try {
      await this.#execute(runner);
      return { outcome: 'completed', reasons: [] };
    } catch (error) {
      this.endNs = Math.max(runner.cursorNs, clock.nowNs());
      return this.#endingOf(error);
    } finally {
      clearInterval(watch);
      unsubscribe();
      runner.close();
      this.#options.onSettled();
    }
  }

  async #execute(runner: StepRunner): Promise<void> {
    const { planned, clock, signal, onStep, bed } = this.#options;
    const { scenario, point } = planned.point;
    // Filled in once, so that a step is the same object wherever it is met.
    const phases = scenario.phases.map((phase) => ({
      name: phase.name,
      steps: stepsAt(scenario, phase, point),
    }));
    const all = phases.flatMap((phase) => phase.steps);
    let done = 0;
    for (const [index, phase] of phases.entries()) {
      const phaseStartNs = runner.cursorNs;
      runner.beginPhase(index === 0);
      bed.events.emit('phase.began', { phase: phase.name });
      try {
        for (const [place, step] of phase.steps.entries()) {
          // Where the first phase is all there is, its first step is what belongs to the beginning.
          const begun = phases.length === 1 ? place > 0 : index > 0;
          if (begun || stepFaults(step).length > 0) this.#options.onSettled();
          done += 1;
          const name = step.name ?? stepVerb(step);
          this.#current = `step "${name}" of phase ${phase.name}`;
          onStep(`${phase.name}: ${name}`);
          const startNs = runner.cursorNs;
          let detail: string | undefined;
          try {
            detail = await runner.run(step, all.slice(done));
          } catch (error) {
            detail = `not finished: it waited for ${runner.awaiting}`;
            throw error;
          } finally {
            const endNs = runner.cursorNs;
            this.stepRecords.push({ name, startNs, endNs, ...(detail !== undefined && { detail }) });
          }
        }
      } finally {
        this.phaseRecords.push({ name: phase.name, startNs: phaseStartNs, endNs: runner.cursorNs });
      }
    }
    // A wait before a fault ends early for arming; a trial never does.
    await clock.sleepUntilNs(runner.cursorNs, signal);
    this.endNs = runner.cursorNs;
  }

  /** Ends a trial that takes too long; waiting for other beds is not held against it. */
  #watchBudget(runner: StepRunner, stop: AbortController): NodeJS.Timeout {
    const { planned, warp, clock, bed } = this.#options;
    const budgetMs = trialBudgetMs(planned.point.scenario, planned.point.point, warp);
    return setInterval(() => {
      const nowNs = clock.nowNs();
      const tookMs = (nowNs - this.#startNs) / NS - runner.waitedForQuietMs;
      if (tookMs <= budgetMs || stop.signal.aborted) return;
      if (runner.awaiting.startsWith('a quiet moment')) return;
      stop.abort(
        new SquallError(
          `trial: not done within its budget of ${formatDurationMs(budgetMs)}; it hangs in ${this.#current}, waiting for ` +
            `${runner.awaiting}; last seen: ${describeLast(lastOfNodes(bed, this.#options.mark), nowNs)}.`,
          { code: 'trial-hung', facts: { step: this.#current, awaiting: runner.awaiting, budgetMs } },
        ),
      );
    }, 250);
  }

  #endingOf(error: unknown): Ending {
    const { signal, bed } = this.#options;
    if (signal.aborted) return { outcome: 'aborted', reasons: [describeError(signal.reason)] };
    const reason = `${this.#current}: ${describeError(error)}`;
    if (error instanceof MissedCondition) {
      bed.events.emit(MISSED_EVENT, { step: this.#current, reason: error.message });
      // That the system did not get there is for the checks to judge, not an accident of ours.
      return { outcome: error.orElse === 'void' ? 'void' : 'completed', reasons: [reason] };
    }
    if (error instanceof SquallError && (error.blame === 'void' || error.code === 'agent-lost')) {
      return { outcome: 'void', reasons: [reason] };
    }
    const hung = error instanceof SquallError && error.code === 'trial-hung';
    return { outcome: 'error', reasons: [reason], ...(hung && { hung }) };
  }
}

/** What the nodes said last; the harness's own events are no sign of life. */
function lastOfNodes(bed: TrialBed, mark: number): RecordedEvent | undefined {
  return bed.events.since(mark).findLast((event) => event.node !== 'harness');
}
