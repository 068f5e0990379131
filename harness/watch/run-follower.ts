import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describeError, SquallError } from '../errors/index.ts';
import {
  parseEvent,
  type RecordedEvent,
  type RunRecord,
  readRun,
  readTrial,
  type StoredRun,
  trialDirOf,
} from '../record/index.ts';
import { LineTail, lastLines } from './line-tail.ts';
import { RunStory, trialKey } from './run-story.ts';
import { TrialStory } from './trial-story.ts';
import type { RunView } from './views.ts';

/** Judging all trials again takes time: it is done no more often than this, and costs no more than a tenth of the time. */
const JUDGE_EVERY_MS = 3_000;
const JUDGE_SHARE = 10;
/** Finished trials that a person looked at are kept in memory: so many. */
const OPENED_LIMIT = 4;
const LOG_TAIL_BYTES = 64 * 1024;

export interface RunFollowerOptions {
  /** CLOCK_MONOTONIC. */
  readonly nowNs: () => number;
  /** Whether the process that runs it lives; undefined when that cannot be known. */
  readonly ownerAlive: (owner: string) => boolean | undefined;
  /** Judges what there is. */
  readonly judge: (stored: StoredRun) => Promise<RunRecord>;
  /** Every event of the run and of its trials, as it comes. */
  readonly onEvent?: (event: RecordedEvent, trial: TrialStory | undefined) => void;
}

/** Reads a run's record while it grows. Nothing is asked of the process that writes it. */
export class RunFollower {
  readonly dir: string;
  readonly #options: RunFollowerOptions;
  readonly #story: RunStory;
  readonly #runTail: LineTail;
  readonly #trialTails = new Map<string, LineTail>();
  readonly #opened = new Map<string, TrialStory>();
  readonly #done = new Set<string>();
  #run: RunRecord | undefined;
  #judged: RunRecord | undefined;
  #judgeProblem: string | undefined;
  #judgeDueNs = 0;
  #judgedTrials = 0;

  private constructor(stored: StoredRun, options: RunFollowerOptions) {
    this.dir = stored.dir;
    this.#options = options;
    this.#story = new RunStory(stored.plan);
    this.#runTail = new LineTail(join(stored.dir, 'events.jsonl'));
    this.#run = stored.run;
  }

  /** @throws SquallError `run-not-found`, `record-too-new`, `record-damaged` (input) */
  static async open(runDir: string, options: RunFollowerOptions): Promise<RunFollower> {
    const follower = new RunFollower(await readRun(runDir), options);
    await follower.poll();
    return follower;
  }

  get running(): readonly TrialStory[] {
    return this.#story.active;
  }

  /** Reads what has come since. */
  async poll(): Promise<void> {
    for (let more = true; more; ) {
      const read = await this.#runTail.read();
      more = read.more;
      for (const line of read.lines) this.#takeRunLine(line);
    }
    for (const story of this.#story.active) await this.#readTrial(story);
    await this.#takeRecords();
    await this.#judgeAgain();
  }

  view(): RunView {
    const { owner } = this.#story;
    return this.#story.view({
      nowNs: this.#options.nowNs(),
      ownerAlive: owner === undefined ? undefined : this.#options.ownerAlive(owner),
      run: this.#run,
      judged: this.#judged,
      judgeProblem: this.#judgeProblem,
    });
  }

  /** A trial by its key: a running one as it stands, a finished one read from its record; undefined when there is none. */
  async trial(key: string): Promise<TrialStory | undefined> {
    const running = this.#story.active.find((story) => story.key === key);
    if (running) return running;
    const opened = this.#opened.get(key);
    if (opened) return opened;
    const story = await this.#readFinished(key);
    if (!story) return undefined;
    this.#opened.set(key, story);
    const [oldest] = this.#opened.keys();
    if (this.#opened.size > OPENED_LIMIT && oldest !== undefined) this.#opened.delete(oldest);
    return story;
  }

  /** The last lines of a node's log; undefined until its trial has ended, since logs are on the disk only then. */
  async logTail(key: string, node: string): Promise<readonly string[] | undefined> {
    const dir = this.#dirOf(key);
    if (dir === undefined || !existsSync(join(dir, 'trial.json'))) return undefined;
    const path = (await readTrial(dir)).nodes.find(({ name }) => name === node)?.log?.path;
    // A record may be somebody else's: its paths lead nowhere but to its logs.
    if (path === undefined || !/^logs\/[^/]+$/.test(path)) return undefined;
    return await lastLines(join(dir, path), LOG_TAIL_BYTES);
  }

  #takeRunLine(line: string): void {
    const event = parseEvent(line);
    if (!event) return;
    const begun = this.#story.take(event);
    if (begun) {
      const dir = this.#dirOf(begun.key);
      if (dir !== undefined) this.#trialTails.set(begun.key, new LineTail(join(dir, 'events.jsonl')));
    }
    this.#options.onEvent?.(event, undefined);
  }

  async #readTrial(story: TrialStory): Promise<void> {
    const tail = this.#trialTails.get(story.key);
    if (!tail) return;
    for (let more = true; more; ) {
      const read = await tail.read();
      more = read.more;
      for (const line of read.lines) {
        const event = parseEvent(line);
        if (!event) continue;
        story.take(event);
        this.#options.onEvent?.(event, story);
      }
    }
  }

  /** Records that have come: of the trials that were seen to run, and of those before. */
  async #takeRecords(): Promise<void> {
    const { trials, run } = await readRun(this.dir);
    this.#run = run;
    for (const ref of trials) {
      const key = trialKey(ref);
      if (!ref.finished || this.#done.has(key)) continue;
      this.#done.add(key);
      const story = this.#story.active.find((one) => one.key === key);
      if (story) await this.#readTrial(story);
      this.#trialTails.delete(key);
      try {
        const record = await readTrial(ref.dir);
        story?.end(record);
        if (story) this.#opened.set(key, story);
        this.#story.finish(record);
      } catch (error) {
        if (!(error instanceof SquallError) || error.blame !== 'input') throw error;
        this.#judgeProblem = describeError(error);
      }
    }
  }

  async #judgeAgain(): Promise<void> {
    const { nowNs, judge } = this.#options;
    if (this.#run && this.#story.ended) return;
    if (this.#judgedTrials === this.#done.size || nowNs() < this.#judgeDueNs) return;
    const beganNs = nowNs();
    this.#judgedTrials = this.#done.size;
    try {
      this.#judged = await judge(await readRun(this.dir));
      this.#judgeProblem = undefined;
    } catch (error) {
      this.#judgeProblem = describeError(error);
    }
    const tookMs = (nowNs() - beganNs) / 1e6;
    this.#judgeDueNs = nowNs() + Math.max(JUDGE_EVERY_MS, tookMs * JUDGE_SHARE) * 1e6;
  }

  async #readFinished(key: string): Promise<TrialStory | undefined> {
    const dir = this.#dirOf(key);
    if (dir === undefined || !existsSync(join(dir, 'trial.json'))) return undefined;
    const record = await readTrial(dir);
    const { scenario, pointId, trial, bed, startNs } = record;
    const story = new TrialStory(
      { key, scenario, pointId, trial, bedId: bed.id, startNs },
      this.#story.bedOf(bed.id),
    );
    const tail = new LineTail(join(dir, 'events.jsonl'));
    for (let more = true; more; ) {
      const read = await tail.read();
      more = read.more;
      for (const line of read.lines) {
        const event = parseEvent(line);
        if (event) story.take(event);
      }
    }
    story.end(record);
    return story;
  }

  /** Only points of the plan name folders, whatever a key says. */
  #dirOf(key: string): string | undefined {
    const at = key.lastIndexOf('#');
    const [pointId, trial] = [key.slice(0, at), Number(key.slice(at + 1))];
    const known = this.#story.plan.scenarios.some(({ points }) =>
      points.some((point) => point.pointId === pointId),
    );
    return known && Number.isInteger(trial) && trial > 0
      ? trialDirOf(this.dir, { pointId, trial })
      : undefined;
  }
}
