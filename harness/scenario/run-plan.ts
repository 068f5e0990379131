import { setMaxListeners } from 'node:events';
import { combineErrors, describeError, SquallError } from '../errors/index.ts';
import {
  eventsUntilEnd,
  type RunObserver,
  type RunWriter,
  readSortedEvents,
  secretValuesOf,
  type TrialLabel,
  type TrialRecord,
  trialDirOf,
} from '../record/index.ts';
import { awaitQuietHost } from './await-quiet-host.ts';
import { describeBed } from './bed-description.ts';
import { BedHolder, type ReadyBed } from './bed-holder.ts';
import { diagnoseTrial } from './diagnose-trial.ts';
import { type CostModel, REFERENCE_COSTS } from './estimate.ts';
import { areLight, isLight } from './light-beds.ts';
import type { PlannedPoint, RunPlan } from './plan-run.ts';
import type {
  BedFactory,
  HostGuardFactory,
  TrialBed,
  TrialClock,
  TrialDecision,
  TrialJudge,
} from './ports.ts';
import { type Overrun, QuietWindows } from './quiet-windows.ts';
import { recordBrokenTrial, runTrial } from './run-trial.ts';
import type { CaptureRequest } from './trial-capture.ts';
import { shortestTimeoutMs } from './trial-guard.ts';
import { type QueuedTrial, type RepeatLimits, TrialQueue } from './trial-queue.ts';

/** This many trials broken one after another end the run: what breaks them will break the next ones too. */
const ERRORS_IN_A_ROW = 3;

export interface RunPlanOptions {
  readonly plan: RunPlan;
  readonly writer: RunWriter;
  readonly beds: BedFactory;
  readonly guard: HostGuardFactory;
  readonly judge: TrialJudge;
  readonly clock: TrialClock;
  readonly parallelBeds: number;
  /** Beds beside these for points that are light, in a plan that has others too; 0 when absent. */
  readonly lightBeds?: number;
  /** What starting, resetting and removing beds takes here. */
  readonly costs?: CostModel;
  readonly repeats?: Partial<RepeatLimits>;
  /** Finished trials of the run that is resumed. */
  readonly earlier?: readonly TrialRecord[];
  readonly observer?: RunObserver;
  /** Captures packets of every trial. */
  readonly capture?: CaptureRequest;
  /** Takes over the bed of the first failed trial; the run ends there. */
  readonly keep?: (bed: TrialBed, trial: TrialRecord) => Promise<void>;
  readonly signal: AbortSignal;
}

export interface RunOutcome {
  readonly trials: readonly TrialRecord[];
  readonly aborted: boolean;
  /** What broke, in words; empty when every trial ran. */
  readonly errors: readonly string[];
  /** Id of the bed that was kept. */
  readonly keptBed?: string;
}

/**
 * Runs a plan's trials on up to `parallelBeds` beds at once, and light ones on `lightBeds` more, and writes a record for each. Ends early when every point's
 * answer is clear, when trials keep breaking, or when the signal aborts; beds are removed whatever happens.
 */
export async function runPlan(options: RunPlanOptions): Promise<RunOutcome> {
  return await new PlanRun(options).run();
}

class PlanRun {
  readonly #options: RunPlanOptions;
  readonly #queue: TrialQueue;
  readonly #quiet: QuietWindows;
  readonly #trials: TrialRecord[] = [];
  readonly #errors: string[] = [];
  /** Overruns into a bed's windows, taken by its trial when it ends. */
  readonly #disturbances = new Map<string, string[]>();
  /** What was last told of each bed. */
  readonly #described = new Map<string, string>();
  readonly #ending = new AbortController();
  readonly #signal: AbortSignal;
  #bedNumber = 0;
  #errorsInARow = 0;
  #keptBed: string | undefined;

  constructor(options: RunPlanOptions) {
    this.#options = options;
    const { clock, plan } = options;
    this.#queue = new TrialQueue(
      plan,
      {
        perTrial: options.repeats?.perTrial ?? 2,
        perRun: options.repeats?.perRun ?? Math.max(4, Math.ceil(plan.trials.length / 4)),
      },
      options.earlier,
    );
    this.#signal = AbortSignal.any([options.signal, this.#ending.signal]);
    // Every node of every bed may wait on it at once.
    setMaxListeners(0, this.#signal);
    this.#quiet = new QuietWindows(
      {
        nowMs: () => clock.nowNs() / 1e6,
        sleepUntilMs: (momentMs, signal) => clock.sleepUntilNs(momentMs * 1e6, signal),
      },
      (overrun) => this.#noteOverrun(overrun),
      { light: areLight(plan.points) },
    );
  }

  async run(): Promise<RunOutcome> {
    const { plan, observer, parallelBeds, lightBeds = 0, earlier } = this.#options;
    const total = plan.trials.length;
    observer?.planned?.(plan.record, total - this.#queue.left);
    await this.#stopClearPoints(earlier ?? []);
    const beds = Math.max(1, Math.min(parallelBeds, this.#queue.left));
    const workers = [
      ...Array.from({ length: beds }, () => this.#work()),
      ...Array.from({ length: Math.min(lightBeds, this.#queue.left) }, () => this.#work(isLight)),
    ];
    const settled = await Promise.allSettled(workers);
    const broken = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    this.#errors.push(...broken.map(describeError));
    return {
      trials: this.#trials,
      aborted: this.#options.signal.aborted,
      errors: this.#errors,
      ...(this.#keptBed !== undefined && { keptBed: this.#keptBed }),
    };
  }

  /** One worker: a bed of its own, one trial after another of those that it may play. */
  async #work(may?: (point: PlannedPoint) => boolean): Promise<void> {
    const holder = new BedHolder({
      factory: this.#options.beds,
      topologyOf: this.#options.plan.topologyOf,
      quiet: this.#quiet,
      clock: this.#options.clock,
      nextBedId: () => this.#nextBedId(),
      costs: this.#options.costs ?? REFERENCE_COSTS,
      onNews: (text) => this.#tell('bed.news', undefined, text),
      onLeft: (text) => {
        this.#errors.push(text);
        this.#tell('bed.left', undefined, text);
      },
    });
    let failure: unknown;
    try {
      while (!this.#signal.aborted) {
        const trial = this.#queue.take(holder.shape, may);
        if (!trial) break;
        await this.#runOne(trial, holder);
      }
    } catch (error) {
      failure = error;
      this.#ending.abort(error);
    }
    try {
      const inHurry = this.#options.signal.aborted;
      if (this.#signal.aborted) await holder.abandon({ inHurry });
      else await holder.discard(this.#signal);
    } catch (error) {
      failure = combineErrors(
        'worker: broke, and its bed could not be removed',
        failure ? [failure, error] : [error],
      );
    }
    if (failure !== undefined) throw failure;
  }

  async #runOne(trial: QueuedTrial, holder: BedHolder): Promise<void> {
    const { plan, writer: runWriter, clock, observer } = this.#options;
    const { runId } = plan.record;
    const { warp } = trial.point;
    const secrets = secretsOf(trial);
    const writer = await runWriter.openTrial(
      { pointId: trial.point.pointId, trial: trial.trial },
      { secrets },
    );
    const startNs = clock.nowNs();
    holder.onLine = (node, _stream, line) => void writer.log(node).line(line);
    let ready: ReadyBed;
    try {
      ready = await holder.prepare(trial, this.#signal);
    } catch (error) {
      const record = await recordBrokenTrial({
        runId,
        warp,
        planned: trial,
        trial: trial.trial,
        writer,
        clock,
        bedId: holder.bed?.id ?? 'none',
        startNs,
        error,
        aborted: this.#signal.aborted,
      });
      await this.#finished(trial, record, holder);
      return;
    }
    const label = labelOf(trial, ready.bed.id);
    this.#describe(ready.bed, trial);
    if (trial.isRepeat) {
      ready.settled();
      await awaitQuietHost({
        guard: this.#options.guard,
        clock,
        bed: ready.bed,
        shortestTimeoutMs: shortestTimeoutMs(trial.point.scenario, warp),
        onWait: (reason) => this.#tell('host.awaited', label, `waiting for the host to calm down: ${reason}`),
        signal: this.#signal,
      });
    }
    observer?.trialStarted?.(label);
    this.#tell('trial.started', label);
    const { record, bedClean } = await runTrial({
      runId,
      warp,
      planned: trial,
      trial: trial.trial,
      bed: ready.bed,
      bedUse: ready,
      mark: ready.mark,
      writer,
      clock,
      quiet: this.#quiet,
      disturbances: () => this.#takeDisturbances(ready.bed.id),
      guard: this.#options.guard,
      ...(this.#options.capture && { capture: this.#options.capture }),
      onStep: (text) => this.#tell('step.began', label, text),
      onSettled: ready.settled,
      signal: this.#signal,
    });
    holder.onLine = () => undefined;
    await this.#finished(trial, record, holder);
    holder.trialEnded(bedClean);
  }

  async #finished(trial: QueuedTrial, record: TrialRecord, holder: BedHolder): Promise<void> {
    const { observer, judge, keep } = this.#options;
    this.#trials.push(record);
    const failed = await this.#hasFailed(trial, record);
    await this.#diagnose(trial, record, failed, holder.bed);
    const { willRepeat } = this.#queue.finish(trial, record);
    observer?.trialFinished?.(record, { willRepeat });
    this.#tell(
      'trial.finished',
      labelOf(trial, record.bed.id),
      `${record.outcome}${willRepeat ? ', will be repeated' : ''}`,
    );
    if (record.outcome === 'error' && judge.answered?.(trial.point, record)) {
      this.#errorsInARow = 0;
      this.#stopPoint(trial.point, 'it does not end');
      return;
    }
    if (record.outcome === 'error') {
      this.#errors.push(
        `${record.scenario} ${record.pointId} trial ${record.trial}: ${record.reasons.join('; ')}`,
      );
      this.#errorsInARow += 1;
      if (this.#errorsInARow >= ERRORS_IN_A_ROW && this.#queue.left > 0) {
        this.#ending.abort(
          new SquallError(`run: ${ERRORS_IN_A_ROW} trials in a row broke; the others would break too.`, {
            code: 'trials-keep-breaking',
            hint: 'The reasons stand with the trials.',
          }),
        );
        this.#errors.push(`stopped after ${ERRORS_IN_A_ROW} broken trials in a row`);
      }
      await this.#decide(trial, record);
      return;
    }
    this.#errorsInARow = 0;
    if (keep && failed && this.#keptBed === undefined) {
      const bed = holder.giveAway();
      if (bed) {
        this.#keptBed = bed.id;
        await keep(bed, record);
        this.#ending.abort(
          new SquallError('run: ended at the first failed trial, whose bed is kept.', { code: 'bed-kept' }),
        );
        return;
      }
    }
    await this.#decide(trial, record);
  }

  /** Whether the trial shows a failure of the system. Its events are read only where that cannot be said without them. */
  async #hasFailed({ point }: QueuedTrial, record: TrialRecord): Promise<boolean> {
    const { judge, writer } = this.#options;
    if (record.outcome !== 'completed') return false;
    if (!judge.needsEvents?.(point, record)) return judge.failed(point, record);
    const events = await readSortedEvents(trialDirOf(writer.dir, record));
    return judge.failed(point, record, eventsUntilEnd(events, record.endNs));
  }

  /** Before the bed is used again or torn down. */
  async #diagnose(
    trial: QueuedTrial,
    record: TrialRecord,
    failed: boolean,
    bed: TrialBed | undefined,
  ): Promise<void> {
    if (!bed || bed.id !== record.bed.id || this.#signal.aborted) return;
    if (!failed && record.outcome !== 'error') return;
    await diagnoseTrial(bed, record, trialDirOf(this.#options.writer.dir, record), secretsOf(trial));
  }

  async #decide({ point }: QueuedTrial, { outcome }: TrialRecord): Promise<void> {
    const { judge } = this.#options;
    if (this.#signal.aborted || (outcome !== 'completed' && !judge.asksAlways)) return;
    this.#follow(point, await judge.decide(point, this.#queue.trialsOf(point)));
  }

  #follow(point: PlannedPoint, { action, why, everywhere }: TrialDecision): void {
    if (action !== 'stop') return;
    for (const one of everywhere ? this.#options.plan.points : [point]) {
      this.#stopPoint(one, why ?? 'the answer is clear');
    }
  }

  #stopPoint(point: PlannedPoint, why: string): void {
    if (!this.#queue.stopPoint(point)) return;
    const { observer, writer, clock } = this.#options;
    observer?.pointStopped?.(point.pointId, why);
    const fields = { pointId: point.pointId, text: why };
    writer.event({ node: 'harness', event: 'point.stopped', atNs: clock.nowNs(), fields });
  }

  /** Points of a resumed run whose answer was clear already. */
  async #stopClearPoints(earlier: readonly TrialRecord[]): Promise<void> {
    if (earlier.length === 0) return;
    for (const point of this.#options.plan.points) {
      const trials = this.#queue.trialsOf(point);
      if (trials.length > 0) this.#follow(point, await this.#options.judge.decide(point, trials));
    }
  }

  #noteOverrun({ owner, into }: Overrun): void {
    const text = `work on bed ${owner} took longer than expected and ran into a critical window of bed ${into}`;
    this.#disturbances.set(into, [...(this.#disturbances.get(into) ?? []), text]);
    this.#tell('quiet.overrun', undefined, text);
  }

  #takeDisturbances(bedId: string): readonly string[] {
    const taken = this.#disturbances.get(bedId) ?? [];
    this.#disturbances.delete(bedId);
    return taken;
  }

  #nextBedId(): string {
    this.#bedNumber += 1;
    return `${this.#options.plan.record.runId}-${this.#bedNumber}`.toLowerCase();
  }

  /** Told again only when it has changed: a run may have thousands of trials on one bed. */
  #describe(bed: TrialBed, trial: QueuedTrial): void {
    const { writer, clock, plan } = this.#options;
    const fields = describeBed(bed, plan.topologyOf(trial), trial.seed);
    const text = JSON.stringify(fields);
    if (this.#described.get(bed.id) === text) return;
    this.#described.set(bed.id, text);
    writer.event({ node: 'harness', event: 'bed.described', atNs: clock.nowNs(), fields });
  }

  #tell(event: string, label: TrialLabel | undefined, text = ''): void {
    const { observer, writer, clock } = this.#options;
    if (text !== '' && event !== 'trial.finished') observer?.stepped?.(label, text);
    writer.event({ node: 'harness', event, atNs: clock.nowNs(), fields: { ...label, text } });
  }
}

function labelOf(trial: QueuedTrial, bedId: string): TrialLabel {
  return {
    scenario: trial.point.scenario.name,
    point: trial.point.point,
    pointId: trial.point.pointId,
    trial: trial.trial,
    bedId,
  };
}

/** What the topology gives its nodes to keep to themselves. */
function secretsOf({ point }: QueuedTrial): readonly string[] {
  return [...new Set(point.topology.nodes.flatMap(({ environment }) => secretValuesOf(environment)))];
}
