import { createReadStream } from 'node:fs';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { z } from 'zod';
import { SquallError } from '../errors/index.ts';
import { SCHEMAS } from './schema.ts';
import {
  type PlanRecord,
  RECORD_VERSION,
  type RecordedEvent,
  type RunRecord,
  type TrialRecord,
} from './types.ts';

/** A trial's place in a run; the record is read when asked for, since a run may have thousands. */
export interface TrialRef {
  readonly pointId: string;
  readonly trial: number;
  readonly dir: string;
  /** False when its trial.json never came: the acting side was killed in the middle of it. */
  readonly finished: boolean;
}

export interface StoredRun {
  /** Links resolved, so that `reports/latest` names its run. */
  readonly dir: string;
  readonly plan: PlanRecord;
  /** Absent until the judge has written it. */
  readonly run: RunRecord | undefined;
  readonly trials: readonly TrialRef[];
}

/**
 * Reads a run's plan and, when there, its verdict, and lists its trials.
 * @throws SquallError `run-not-found`, `record-too-new`, `record-damaged` (all input)
 */
export async function readRun(runDir: string): Promise<StoredRun> {
  let dir: string;
  try {
    dir = await realpath(runDir);
  } catch (error) {
    throw notARun(runDir, error);
  }
  const plan = await readJson(join(dir, 'plan.json'), SCHEMAS.plan);
  if (!plan) throw notARun(runDir);
  const run = await readJson(join(dir, 'run.json'), SCHEMAS.run);
  return { dir, plan, run, trials: await listTrials(dir) };
}

/** @throws SquallError `record-too-new`, `record-damaged`; `trial-not-found` when there is no trial.json (input) */
export async function readTrial(trialDir: string): Promise<TrialRecord> {
  const trial = await readJson(join(trialDir, 'trial.json'), SCHEMAS.trial);
  if (trial) return trial;
  throw new SquallError(`${trialDir}: has no trial.json; expected a finished trial`, {
    code: 'trial-not-found',
    blame: 'input',
  });
}

/**
 * Events of a trial or of a run's timeline in the order of writing. Lines that do not parse (a torn last line of a killed
 * run) are skipped and counted in `damaged`.
 */
export async function* readEvents(
  dir: string,
  damaged: { lines: number } = { lines: 0 },
): AsyncGenerator<RecordedEvent> {
  const path = join(dir, 'events.jsonl');
  const input = createReadStream(path, { encoding: 'utf8' });
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const event = parseEvent(line);
      if (event) yield event;
      else if (line !== '') damaged.lines += 1;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new SquallError(`${path}: could not be read to its end`, { code: 'record-damaged', cause: error });
  } finally {
    input.destroy();
  }
}

/** All events in order of `atNs`. */
export async function readSortedEvents(dir: string): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const event of readEvents(dir)) events.push(event);
  return events.sort((a, b) => a.atNs - b.atNs);
}

/** One line of an events.jsonl; undefined when it is no event. */
export function parseEvent(line: string): RecordedEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  // Checked by hand: a schema's own check costs more than all the rest of reading.
  if (value === null || typeof value !== 'object') return undefined;
  const { node, event, atNs, fields } = value as Partial<RecordedEvent>;
  const whole =
    typeof node === 'string' &&
    typeof event === 'string' &&
    typeof atNs === 'number' &&
    typeof fields === 'object' &&
    fields !== null;
  return whole ? (value as RecordedEvent) : undefined;
}

async function listTrials(dir: string): Promise<TrialRef[]> {
  const refs: TrialRef[] = [];
  for (const pointId of await foldersIn(join(dir, 'trials'))) {
    for (const name of await foldersIn(join(dir, 'trials', pointId))) {
      const trial = Number(name);
      if (!Number.isInteger(trial) || trial < 1) continue;
      const trialDir = join(dir, 'trials', pointId, name);
      const finished = (await readdir(trialDir)).includes('trial.json');
      refs.push({ pointId, trial, dir: trialDir, finished });
    }
  }
  return refs.sort((a, b) => (a.pointId < b.pointId ? -1 : a.pointId > b.pointId ? 1 : a.trial - b.trial));
}

async function foldersIn(dir: string): Promise<string[]> {
  try {
    const entries = await readdir(dir, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function readJson<T extends { readonly recordVersion: number }>(
  path: string,
  schema: z.ZodType<T>,
): Promise<T | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const value = parseJson(path, text);
  refuseNewer(path, value);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new SquallError(`${path}: is not a record of version ${RECORD_VERSION}; ${problems.join('; ')}`, {
    code: 'record-damaged',
    blame: 'input',
    facts: { problems },
    hint: 'It was written by something else or changed by hand; see `squall schema record`.',
  });
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SquallError(`${path}: is not JSON`, { code: 'record-damaged', blame: 'input', cause: error });
  }
}

/** Looked at before the schema: a newer record is not a damaged one. */
function refuseNewer(path: string, value: unknown): void {
  const { recordVersion, squallVersion } = (value ?? {}) as {
    recordVersion?: unknown;
    squallVersion?: unknown;
  };
  if (typeof recordVersion !== 'number' || recordVersion <= RECORD_VERSION) return;
  const writer = typeof squallVersion === 'string' ? ` by Squall ${squallVersion}` : '';
  throw new SquallError(
    `${path}: was written${writer} as record version ${recordVersion}; this Squall reads up to version ${RECORD_VERSION}`,
    {
      code: 'record-too-new',
      blame: 'input',
      facts: { recordVersion, readable: RECORD_VERSION },
      hint: `Use ${writer ? `Squall ${String(squallVersion)} or a later one` : 'a later Squall'}.`,
    },
  );
}

function notARun(runDir: string, cause?: unknown): SquallError {
  return new SquallError(
    `${runDir}: is not a run; expected a folder with a plan.json, such as reports/${basename(runDir) === 'latest' ? '<runId>' : 'latest'}`,
    {
      code: 'run-not-found',
      blame: 'input',
      hint: 'Runs lie under reports/; `ls reports` lists them.',
      ...(cause === undefined ? {} : { cause }),
    },
  );
}
