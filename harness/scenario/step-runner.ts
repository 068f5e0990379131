import { SquallError } from '../errors/index.ts';
import type { AppliedFault } from '../fault/index.ts';
import { createConditionMatcher, type RecordedEvent } from '../record/index.ts';
import { parseDurationMs } from '../units/index.ts';
import { requireAction } from './action.ts';
import { requireAccepted } from './ask-node.ts';
import { faultRequest } from './fault-request.ts';
import type { PlannedPoint } from './plan-run.ts';
import type { TrialBed, TrialClock } from './ports.ts';
import type { QuietWindows } from './quiet-windows.ts';
import { stepFaults } from './step-problems.ts';
import { timedSteps, timelineFrom } from './timeline.ts';
import { trialContext } from './trial-context.ts';
import type { Condition, FaultStep, Step, TrialContext } from './types.ts';
import { AWAITED_NODE_ENDED, untilEnded } from './until-ended.ts';

/** Arming (rules in, queues bound, overhead measured) begins this long before the instant at which a fault is due. */
export const ARM_LEAD_MS = 1_500;
const NS = 1e6;
/** Errors that mean that what was awaited did not come. */
const MISSED: ReadonlySet<string> = new Set(['wait-timed-out', AWAITED_NODE_ENDED]);

/** An awaited condition did not come, and the step says what that means. */
export class MissedCondition extends Error {
  readonly orElse: 'void' | 'fail';
  constructor(message: string, orElse: 'void' | 'fail') {
    super(message);
    this.name = 'MissedCondition';
    this.orElse = orElse;
  }
}

/**
 * Executes a trial's steps on a timeline: `cursorNs` is where the scenario is, as opposed to the moment at which we
 * noticed. Waits count from the cursor, so lateness does not add up.
 */
export class StepRunner {
  readonly #bed: TrialBed;
  readonly #clock: TrialClock;
  readonly #quiet: QuietWindows;
  readonly #planned: PlannedPoint;
  readonly #seed: string;
  readonly #warp: number;
  readonly #signal: AbortSignal;
  readonly #trialMark: number;
  readonly #applied = new Map<string, AppliedFault>();
  readonly #bookings: { release(): void }[] = [];
  /** Fault steps whose instants are booked. */
  readonly #booked = new Set<Step>();
  #phaseMark: number;
  /** Where the scenario's timeline is, CLOCK_MONOTONIC. */
  cursorNs: number;
  /** Time spent on waiting for other beds' critical windows: part of no bound and no budget. */
  waitedForQuietMs = 0;
  /** What is being awaited, for the message of a hang. */
  awaiting = 'the first step';

  constructor(options: {
    readonly bed: TrialBed;
    readonly clock: TrialClock;
    readonly quiet: QuietWindows;
    readonly planned: PlannedPoint;
    readonly seed: string;
    readonly warp: number;
    readonly signal: AbortSignal;
    /** The trial's first event in the bed's log. */
    readonly trialMark: number;
    readonly startNs: number;
  }) {
    this.#bed = options.bed;
    this.#clock = options.clock;
    this.#quiet = options.quiet;
    this.#planned = options.planned;
    this.#seed = options.seed;
    this.#warp = options.warp;
    this.#signal = options.signal;
    this.#trialMark = options.trialMark;
    this.#phaseMark = options.trialMark;
    this.cursorNs = options.startNs;
  }

  beginPhase(first: boolean): void {
    this.#phaseMark = first ? this.#trialMark : this.#bed.events.mark();
  }

  /**
   * One step, its templates filled in, with the steps that follow it in the trial.
   * @returns a detail for the record
   * @throws MissedCondition, and whatever the bed throws
   */
  async run(step: Step, following: readonly Step[]): Promise<string | undefined> {
    if ('wait' in step) return await this.#wait(step.wait, following[0]);
    // The packet agent answers when a fault is scheduled: whoever acts next must find it in force.
    if (stepFaults(step).length === 0) await this.#clock.sleepUntilNs(this.cursorNs, this.#signal);
    if ('until' in step) return await this.#until(step.until, step.within, step.orElse ?? 'fail');
    if ('lift' in step) return await this.#lift(step.lift);
    if ('admin' in step) return await this.#admin(step.admin);
    if ('exec' in step) return await this.#exec(step.exec);
    if ('do' in step) {
      const { action, parameters = {} } = step.do;
      const act = requireAction(action);
      return await this.#code(`action "${action}"`, (trial) => act(trial, parameters));
    }
    if ('run' in step) return await this.#code('the code of the suite', step.run);
    return await this.#applyFaults(stepFaults(step), 'background' in step && step.background === true, [
      step,
      ...following,
    ]);
  }

  /** Gives back what was booked and has not passed. */
  close(): void {
    for (const booking of this.#bookings.splice(0)) booking.release();
  }

  async #code(what: string, run: (trial: TrialContext) => Promise<void>): Promise<undefined> {
    this.awaiting = what;
    await run(
      trialContext({
        planned: this.#planned,
        seed: this.#seed,
        warp: this.#warp,
        signal: this.#signal,
        bed: this.#bed,
        trialMark: this.#trialMark,
        wait: async (duration) => void (await this.#wait(duration, undefined)),
        until: async (condition, within) => void (await this.#until(condition, within, 'fail')),
      }),
    );
    this.#catchUp();
    return undefined;
  }

  async #wait(duration: string, next: Step | undefined): Promise<undefined> {
    const waitMs = parseDurationMs(duration) / this.#warp;
    this.cursorNs += waitMs * NS;
    this.awaiting = `the end of a wait of ${duration}`;
    // The fault that follows is armed before it is due.
    const earlyMs = next !== undefined && stepFaults(next).length > 0 ? Math.min(ARM_LEAD_MS, waitMs) : 0;
    await this.#clock.sleepUntilNs(this.cursorNs - earlyMs * NS, this.#signal);
    return undefined;
  }

  async #until(condition: Condition, within: string, orElse: 'void' | 'fail' | 'continue'): Promise<string> {
    const nodes = this.#nodesOf(condition);
    const matcher = untilEnded(createConditionMatcher(condition, nodes), condition, nodes);
    this.awaiting = matcher.what;
    const since = 'predicate' in condition ? this.#trialMark : this.#phaseMark;
    const withinMs = parseDurationMs(within) / this.#warp;
    try {
      const event = await this.#bed.events.waitFor(matcher, { withinMs, since, signal: this.#signal });
      this.cursorNs = Math.max(this.cursorNs, event.atNs, matcher.latestNs());
      return `${matcher.what}: ${event.node}`;
    } catch (error) {
      this.#signal.throwIfAborted();
      const missed = error instanceof SquallError && MISSED.has(error.code);
      if (!missed) throw error;
      this.#catchUp();
      this.#bed.events.emit('condition.missed', {
        awaited: matcher.what,
        within,
        progress: matcher.progress(),
      });
      if (orElse !== 'continue') throw new MissedCondition(error.message, orElse);
      return `${matcher.what}: not seen, went on`;
    }
  }

  #nodesOf(condition: Condition): readonly string[] {
    const all = this.#bed.nodes().map((node) => node.name);
    if ('predicate' in condition) return all;
    if (condition.on !== undefined) return this.#bed.select(condition.on, this.#seed);
    return condition.count === 'all' ? all : [];
  }

  async #applyFaults(
    steps: readonly FaultStep[],
    background: boolean,
    fromHere: readonly Step[],
  ): Promise<string> {
    const { faults } = this.#bed;
    const plans = steps.map((step) => faults.plan(faultRequest(step, this.#seed, this.#warp)));
    const ids = plans.map((plan) => plan.id).join(', ');
    if (!this.#booked.has(fromHere[0] as Step)) await this.#book(fromHere, ids);
    this.awaiting = `${ids} to bite`;
    const dueNs = this.cursorNs;
    const applied = await faults.apply(plans, this.#signal, { atNs: dueNs });
    for (const fault of applied) this.#applied.set(fault.plan.id, fault);
    this.cursorNs = Math.max(dueNs, ...applied.map((fault) => fault.appliedNs));
    const targets = applied.map((fault) => `${fault.plan.id} on ${fault.plan.targets.length}`).join(', ');
    if (!background && steps.some((step) => step.for !== undefined)) {
      this.awaiting = `${ids} to lift`;
      await this.#untilLifted(applied.filter((fault) => fault.plan.forMs !== undefined));
    }
    return targets;
  }

  /** Waits until no other bed is disturbed by what is known of the timeline from here, nor this one by others. */
  async #book(fromHere: readonly Step[], ids: string): Promise<void> {
    this.awaiting = `a quiet moment for ${ids}`;
    const askedNs = this.#clock.nowNs();
    const instants = timelineFrom(fromHere, this.#warp);
    const leadMs = Math.max(ARM_LEAD_MS, (this.cursorNs - askedNs) / NS);
    const booking = await this.#quiet.instants(this.#bed.id, instants, leadMs, this.#signal);
    const startNs = booking.startMs * NS;
    this.waitedForQuietMs += Math.max(0, (startNs - this.cursorNs) / NS);
    this.cursorNs = startNs;
    this.#bookings.push(booking);
    for (const step of timedSteps(fromHere)) this.#booked.add(step);
  }

  async #untilLifted(faults: readonly AppliedFault[]): Promise<void> {
    const records = await abortable(Promise.all(faults.map((fault) => fault.lifted)), this.#signal);
    this.cursorNs = Math.max(this.cursorNs, ...records.map((record) => record.liftedNs ?? 0));
  }

  async #lift(id: string): Promise<string> {
    this.awaiting = `${id === '*' ? 'all faults' : id} to be lifted`;
    if (id === '*') {
      await this.#bed.faults.liftAll(this.cursorNs);
      this.#catchUp();
      return 'all';
    }
    const record = await this.#bed.faults.lift(id, this.cursorNs);
    this.cursorNs = Math.max(this.cursorNs, record.liftedNs ?? this.#clock.nowNs());
    return id;
  }

  async #admin(request: {
    readonly on: string;
    readonly method: 'GET' | 'POST';
    readonly path: string;
    readonly body?: unknown;
  }): Promise<string> {
    this.awaiting = `answers to ${request.method} ${request.path}`;
    const names = this.#bed.select(request.on, this.#seed);
    await Promise.all(
      names.map(async (name) => {
        const { method, path } = request;
        const answer = await this.#bed.admin(name, method, path, request.body, { signal: this.#signal });
        requireAccepted({ node: name, method, path }, answer);
      }),
    );
    this.#catchUp();
    return `${names.length} nodes`;
  }

  async #exec(request: { readonly on: string; readonly command: readonly string[] }): Promise<string> {
    this.awaiting = `the end of ${request.command.join(' ')}`;
    const names = this.#bed.select(request.on, this.#seed);
    for (const name of names) {
      const { exitCode, stderr } = await this.#bed.exec(name, request.command, this.#signal);
      this.#bed.events.emit('exec.ended', { node: name, command: request.command, exitCode });
      if (exitCode === 0) continue;
      throw new SquallError(
        `node ${name}: ${request.command.join(' ')} ended with ${exitCode}; expected 0: ${stderr.slice(0, 400)}`,
        { code: 'exec-failed', facts: { node: name, exitCode } },
      );
    }
    this.#catchUp();
    return `${names.length} nodes`;
  }

  #catchUp(): void {
    this.cursorNs = Math.max(this.cursorNs, this.#clock.nowNs());
  }
}

async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    stop = () => signal.removeEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stop();
  }
}

/** The last event as a message names it. */
export function describeLast(event: RecordedEvent | undefined, nowNs: number): string {
  if (!event) return 'no event at all';
  return `${event.event} from ${event.node} ${Math.round((nowNs - event.atNs) / NS)} ms ago`;
}
