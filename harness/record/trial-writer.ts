import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SquallError } from '../errors/index.ts';
import { CAPTURE_FOLDER } from './capture-files.ts';
import { LineFile } from './line-file.ts';
import { NodeLog, type NodeLogLimits } from './node-log.ts';
import { blankValues, redactEvent, redactTrial } from './redact.ts';
import type { RecordedEvent, TrialRecord } from './types.ts';
import { writeAtomically } from './write-atomically.ts';

/** Bounds of what one trial may leave on the disk. */
export interface TrialLimits extends NodeLogLimits {
  /** Of events.jsonl; what comes after is counted as lost and the trial marked truncated. Default 512 MiB. */
  readonly eventsBytes: number;
}

const DEFAULT_LIMITS: TrialLimits = {
  eventsBytes: 512 * 1024 * 1024,
  logBytes: 8 * 1024 * 1024,
  tailBytes: 64 * 1024,
  secrets: [],
};
/** Names of events are a node's to choose; more than this many are counted together. */
const NAMES_LIMIT = 500;
/** Events are on the disk so soon, for those who watch a trial from there; a write a second is no load. */
const FLUSH_AFTER_MS = 1_000;
const OTHER_NAMES = '(other)';

/** Writes one trial while it runs. Everything it takes is in order; nothing is lost below its limits. */
export class TrialWriter {
  readonly dir: string;
  readonly #events: LineFile;
  readonly #logs = new Map<string, NodeLog>();
  readonly #limits: TrialLimits;
  readonly #byName = new Map<string, number>();
  #count = 0;
  #lost = 0;
  #finished = false;

  /** Use `openTrial`. */
  constructor(dir: string, limits: TrialLimits) {
    this.dir = dir;
    this.#limits = limits;
    this.#events = new LineFile(join(dir, 'events.jsonl'), { flushAfterMs: FLUSH_AFTER_MS });
  }

  /** Takes one event; false asks the caller to wait for `drained` before giving more. */
  event(event: RecordedEvent): boolean {
    // What nodes say is theirs, but for the secrets that they were given; a bundle blanks what looks like one as well.
    const text = JSON.stringify(event.node === 'harness' ? redactEvent(event) : event);
    const line = `${blankValues(text, this.#limits.secrets)}\n`;
    if (this.#events.sizeBytes + line.length > this.#limits.eventsBytes) {
      this.#lost += 1;
      return true;
    }
    this.#count += 1;
    const name = this.#byName.has(event.event) || this.#byName.size < NAMES_LIMIT ? event.event : OTHER_NAMES;
    this.#byName.set(name, (this.#byName.get(name) ?? 0) + 1);
    return this.#events.write(line);
  }

  /** The bounded log of one node, the same one each time. */
  log(node: string): NodeLog {
    let log = this.#logs.get(node);
    if (!log) {
      log = new NodeLog(this.dir, node, this.#limits);
      this.#logs.set(node, log);
    }
    return log;
  }

  /** Resolves when nothing is held in memory. @throws SquallError `record-write-failed` */
  async drained(): Promise<void> {
    await this.#events.drained();
    for (const log of this.#logs.values()) await log.drained();
  }

  /** What was written so far, for `TrialRecord.events`; lines lost on the way here are added by whoever counted them. */
  get events(): TrialRecord['events'] {
    return {
      count: this.#count,
      lost: this.#lost,
      truncated: this.#lost > 0,
      byName: Object.fromEntries([...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }

  /**
   * Ends the trial: events and record are on the disk when this resolves, trial.json last, so that a trial.json always
   * stands for a whole trial. Node logs and event counts are filled in from what was written. Secrets are redacted.
   * @returns the record as written
   * @throws SquallError `record-write-failed`, `trial-finished-twice`
   */
  async finish(record: TrialRecord): Promise<TrialRecord> {
    if (this.#finished) {
      throw new SquallError(`trial ${record.trial} of ${record.pointId}: finished twice`, {
        code: 'trial-finished-twice',
      });
    }
    this.#finished = true;
    await this.#events.close({ durable: true });
    for (const log of this.#logs.values()) await log.close();
    const mine = this.events;
    const complete = redactTrial({
      ...record,
      events: {
        ...mine,
        lost: Math.max(record.events.lost, mine.lost),
        truncated: record.events.truncated || mine.truncated,
      },
      nodes: record.nodes.map((node) => {
        const written = this.#logs.get(node.name)?.summary;
        if (!written) return node;
        const lostLines = Math.max(node.log?.lostLines ?? 0, written.lostLines);
        return {
          ...node,
          log: { ...written, lostLines, truncated: written.truncated || node.log?.truncated === true },
        };
      }),
    });
    await writeAtomically(join(this.dir, 'trial.json'), `${JSON.stringify(complete)}\n`);
    return complete;
  }
}

/**
 * Opens the record of one trial under a run's folder; what an earlier, unfinished try left there is written over.
 * @param trial - `pointId` as planned, `trial` 1-based within the point, voids included
 */
export async function openTrial(
  runDir: string,
  trial: { readonly pointId: string; readonly trial: number },
  limits: Partial<TrialLimits> = {},
): Promise<TrialWriter> {
  const dir = trialDirOf(runDir, trial);
  await mkdir(join(dir, 'logs'), { recursive: true });
  // Of another try: a trial without captures would leave them beside its record.
  await rm(join(dir, CAPTURE_FOLDER), { recursive: true, force: true });
  return new TrialWriter(dir, { ...DEFAULT_LIMITS, ...limits });
}

/** Where a trial lies: `trials/<point>/<n>`. */
export function trialDirOf(
  runDir: string,
  trial: { readonly pointId: string; readonly trial: number },
): string {
  return join(runDir, 'trials', trial.pointId, String(trial.trial));
}
