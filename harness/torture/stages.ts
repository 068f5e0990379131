import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SeededStream } from '../random/index.ts';
import { parseEvent, type RecordedEvent } from '../record/index.ts';
import { nowNs } from '../testnet/index.ts';

/**
 * Stages of a run, in their order: `launch` begins with its process, `start` with its record (its bed comes next), `fault` when
 * the fault is in force, `release` when that begins to let go, `removal` when the trial is over, `report` when the run is.
 */
export const STAGES = ['launch', 'start', 'fault', 'release', 'removal', 'report'] as const;
export type Stage = (typeof STAGES)[number];

/**
 * Moments are drawn from so long after a stage's begin: less than it takes, or the next one would be met. From `launch` on they
 * reach up to the fault, over all that has no begin in the record. A fault's own begin is in the record within a second.
 */
const DRAWN_FROM_MS: Readonly<Record<Stage, number>> = {
  launch: 8_000,
  start: 2_000,
  fault: 2_500,
  release: 1_000,
  removal: 500,
  report: 400,
};

/** What makes a run stay in a stage long enough: a cut of 4 s, and a packet a second while it is released. */
const SETTINGS: Partial<Readonly<Record<Stage, readonly string[]>>> = {
  fault: ['cut=4s'],
  release: ['cut=4s', 'pace=1'],
};

export const drawLateness = (stage: Stage, chance: SeededStream): number =>
  Math.round(chance.next() * DRAWN_FROM_MS[stage]);

/** Parameters of the tormented scenario by which a stage lasts. */
export const settingsFor = (stage: Stage): readonly string[] => SETTINGS[stage] ?? [];

/**
 * When a stage of the run in this folder of reports begins, by its record, ns of CLOCK_MONOTONIC: also an instant that is planned
 * and still to come, and now where the record says no more than that it has begun. Undefined when it has not.
 */
export function stageBegin(reportsDir: string, stage: Stage): number | undefined {
  if (stage === 'launch') return nowNs();
  const dir = runDirs(reportsDir)[0];
  if (dir === undefined) return undefined;
  if (stage === 'start') return nowNs();
  if (stage === 'removal') return eventIn(join(dir, 'events.jsonl'), 'trial.finished')?.atNs;
  if (stage === 'report') return eventIn(join(dir, 'events.jsonl'), 'run.ended')?.atNs;
  for (const file of trialFiles(dir)) {
    const applied = eventIn(file, 'fault.applied');
    if (!applied) continue;
    return stage === 'fault' ? applied.atNs : applied.atNs + Number(applied.fields['forMs']) * 1e6;
  }
  return undefined;
}

/** Folders of the runs whose record has begun. */
export function runDirs(reportsDir: string): readonly string[] {
  return foldersIn(reportsDir)
    .filter((name) => name !== 'latest')
    .map((name) => join(reportsDir, name))
    .filter((dir) => existsSync(join(dir, 'plan.json')));
}

function trialFiles(runDir: string): readonly string[] {
  const trials = join(runDir, 'trials');
  return foldersIn(trials)
    .flatMap((point) => foldersIn(join(trials, point)).map((number) => join(trials, point, number)))
    .map((dir) => join(dir, 'events.jsonl'));
}

const foldersIn = (dir: string): readonly string[] => (existsSync(dir) ? readdirSync(dir) : []);

/** The first event of this name; the last line may still be being written. */
function eventIn(file: string, name: string): RecordedEvent | undefined {
  if (!existsSync(file)) return undefined;
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map(parseEvent)
    .find((event) => event?.event === name);
}
