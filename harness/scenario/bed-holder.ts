import { describeError } from '../errors/index.ts';
import type { LineListener } from '../testnet/index.ts';
import type { ResolvedTopology } from '../topology/index.ts';
import type { CostModel } from './estimate.ts';
import type { PlannedTrial } from './plan-run.ts';
import type { BedFactory, TrialBed, TrialClock } from './ports.ts';
import type { HeavyTurn, QuietWindows } from './quiet-windows.ts';

/** An interrupted run ends within three seconds, reports included; removing a large bed takes longer. */
const HURRY_MS = 1_500;

/** A bed that is ready for a trial. */
export interface ReadyBed {
  readonly bed: TrialBed;
  readonly reused: boolean;
  readonly trialOnBed: number;
  readonly overheadMs: number;
  /** The trial's first event in the bed's log. */
  readonly mark: number;
  /** The nodes have found each other: what disturbs other beds is over. May be called twice. */
  settled(): void;
}

/** Holds at most one bed and makes it ready for one trial after another: reset where that will do, else a new one. */
export class BedHolder {
  readonly #factory: BedFactory;
  readonly #topologyOf: (trial: PlannedTrial) => ResolvedTopology;
  readonly #quiet: QuietWindows;
  readonly #clock: TrialClock;
  readonly #nextBedId: () => string;
  readonly #costs: CostModel;
  readonly #onNews: (text: string) => void;
  readonly #onLeft: (text: string) => void;
  #bed: TrialBed | undefined;
  #shape: string | undefined;
  #nodes = 0;
  #trials = 0;
  #dirty = false;
  /** Takes the log lines of the trial that runs now. */
  onLine: LineListener = () => undefined;

  constructor(options: {
    readonly factory: BedFactory;
    readonly topologyOf: (trial: PlannedTrial) => ResolvedTopology;
    readonly quiet: QuietWindows;
    readonly clock: TrialClock;
    readonly nextBedId: () => string;
    readonly costs: CostModel;
    readonly onNews: (text: string) => void;
    /** Something of a bed could not be removed. */
    readonly onLeft: (text: string) => void;
  }) {
    this.#factory = options.factory;
    this.#topologyOf = options.topologyOf;
    this.#quiet = options.quiet;
    this.#clock = options.clock;
    this.#nextBedId = options.nextBedId;
    this.#costs = options.costs;
    this.#onNews = options.onNews;
    this.#onLeft = options.onLeft;
  }

  /** Shape of the bed that is there and could be used again. */
  get shape(): string | undefined {
    return this.#dirty ? undefined : this.#shape;
  }

  get bed(): TrialBed | undefined {
    return this.#bed;
  }

  async prepare(trial: PlannedTrial, signal: AbortSignal): Promise<ReadyBed> {
    const { point } = trial;
    const beganNs = this.#clock.nowNs();
    const usable = this.#bed !== undefined && !this.#dirty && this.#shape === point.shape;
    const fits = usable && (this.#trials === 0 || point.bed === 'reuse');
    if (fits) {
      const ready = await this.#reset(trial, beganNs, signal);
      if (ready) return ready;
    }
    await this.#discardEarlier(signal);
    return await this.#start(trial, beganNs, signal);
  }

  /** After a trial: a bed that is not clean is never used again. */
  trialEnded(clean: boolean): void {
    if (!clean) this.#dirty = true;
    if (this.#bed) this.#bed.events.forget(this.#bed.events.mark());
  }

  /** What an engine does not let go of one trial's bed says nothing about the next trial, whose bed has a network of its own. */
  async #discardEarlier(signal: AbortSignal): Promise<void> {
    const id = this.#bed?.id;
    try {
      await this.discard(signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#onLeft(`bed ${id} could not be removed: ${describeError(error)}`);
    }
  }

  /** Removes the bed, if there is one, when that disturbs nobody; at once when the signal aborts. */
  async discard(signal: AbortSignal): Promise<void> {
    const bed = this.#bed;
    if (!bed) return;
    this.#forget();
    let turn: HeavyTurn | undefined;
    try {
      turn = await this.#quiet.begin(bed.id, this.#nodes * this.#costs.removeMsPerNode, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    try {
      await bed.remove();
    } finally {
      turn?.end();
    }
  }

  /** Removes the bed at once, whomever that disturbs: the run is ending. In a hurry, what takes long is left to the watchdog. */
  async abandon(how: { readonly inHurry: boolean }): Promise<void> {
    const bed = this.#bed;
    this.#forget();
    if (how.inHurry) await bed?.removeWithin(HURRY_MS);
    else await bed?.remove();
  }

  /** Gives the bed away: somebody else answers for it from now on. */
  giveAway(): TrialBed | undefined {
    const bed = this.#bed;
    this.#forget();
    return bed;
  }

  #forget(): void {
    this.#bed = undefined;
    this.#shape = undefined;
    this.#trials = 0;
    this.#dirty = false;
  }

  async #reset(trial: PlannedTrial, beganNs: number, signal: AbortSignal): Promise<ReadyBed | undefined> {
    const bed = this.#bed as TrialBed;
    const turn = await this.#quiet.begin(bed.id, this.#workMs(this.#costs.resetMsPerNode), signal);
    try {
      const mark = bed.events.mark();
      await bed.resetTo(this.#topologyOf(trial), signal);
      return this.#ready(bed, true, beganNs, mark, turn);
    } catch (error) {
      turn.end();
      signal.throwIfAborted();
      this.#onNews(`bed ${bed.id} could not be reset and is replaced: ${describeError(error)}`);
      this.#dirty = true;
      return undefined;
    }
  }

  async #start(trial: PlannedTrial, beganNs: number, signal: AbortSignal): Promise<ReadyBed> {
    const { point } = trial;
    const bedId = this.#nextBedId();
    this.#nodes = point.topology.nodes.length;
    const turn = await this.#quiet.begin(bedId, this.#workMs(this.#costs.startMsPerNode), signal);
    try {
      this.#onNews(`bed ${bedId}: starting ${this.#nodes} nodes`);
      const bed = await this.#factory.start({
        topology: this.#topologyOf(trial),
        bedId,
        seed: trial.seed,
        onLine: (node, stream, line) => this.onLine(node, stream, line),
        onProgress: ({ stage, text }) => {
          if (stage === 'images' || stage === 'failed') this.#onNews(`bed ${bedId}: ${text}`);
        },
        signal,
      });
      this.#bed = bed;
      this.#shape = point.shape;
      this.#trials = 0;
      this.#dirty = false;
      return this.#ready(bed, false, beganNs, 0, turn);
    } catch (error) {
      turn.end();
      throw error;
    }
  }

  /** What a start or a reset takes together with the storm in which the nodes find each other. */
  #workMs(msPerNode: number): number {
    return this.#nodes * (msPerNode + this.#costs.settleMsPerNode);
  }

  #ready(bed: TrialBed, reused: boolean, beganNs: number, mark: number, turn: HeavyTurn): ReadyBed {
    this.#trials += 1;
    const overheadMs = (this.#clock.nowNs() - beganNs) / 1e6;
    return { bed, reused, trialOnBed: this.#trials, overheadMs, mark, settled: () => turn.end() };
  }
}
