import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Point, type TrialRecord, writeAtomically } from '../record/index.ts';
import { type CostModel, type PlannedPoint, REFERENCE_COSTS } from '../scenario/index.ts';

/** Kept beside the reports: what beds and trials of earlier runs on this machine took. */
const FILE = 'durations.json';
/** Weight of a new run against all before it. */
const WEIGHT = 0.5;

/** Points kept, the newest last; a project has few hundred. */
const POINTS_LIMIT = 2_000;

interface Measured {
  startMsPerNode?: number;
  resetMsPerNode?: number;
  settleMsPerNode?: number;
  trials?: number;
  /** Whole trials, warm-up included, in real ms by point. */
  points?: Readonly<Record<string, number>>;
}

/** What runs cost on this machine. */
export interface MeasuredCosts {
  readonly costs: CostModel;
  /** Where the figures come from, for people. */
  readonly basis: string;
  /** A trial of the point without its warm-up: as measured here, else as its steps say. */
  trialMsOf(point: PlannedPoint): number;
}

/** The cost model, with what was measured in place of what is assumed. */
export async function measuredCosts(reportsDir: string): Promise<MeasuredCosts> {
  const measured = await readMeasured(reportsDir);
  if (!measured.trials) {
    return {
      costs: REFERENCE_COSTS,
      basis: 'assumed; no earlier run here',
      trialMsOf: ({ phasesMs }) => phasesMs,
    };
  }
  const { trials, points = {}, ...figures } = measured;
  const costs = { ...REFERENCE_COSTS, ...figures };
  return {
    costs,
    basis: `beds as measured in ${trials} earlier trials here`,
    trialMsOf({ scenario, point, warp, topology, phasesMs }) {
      const wholeMs = points[pointKey(scenario.suite, scenario.name, point, warp)];
      if (wholeMs === undefined) return phasesMs;
      return Math.max(0, wholeMs - topology.nodes.length * costs.settleMsPerNode);
    },
  };
}

function pointKey(suite: string, scenario: string, point: Point, warp: number): string {
  const values = Object.entries(point).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${suite}/${scenario} ${values.map(([name, value]) => `${name}=${value}`).join(',')} at warp ${warp}`;
}

/** Learns from the trials of a run. */
export async function learnCosts(reportsDir: string, trials: readonly TrialRecord[]): Promise<void> {
  const ready = trials.filter((trial) => trial.outcome === 'completed' && trial.nodes.length > 0);
  if (ready.length === 0) return;
  const before = await readMeasured(reportsDir);
  const perNode = (reused: boolean): number | undefined =>
    mean(
      ready
        .filter((trial) => trial.bed.reused === reused)
        .map((trial) => trial.overheadMs / trial.nodes.length),
    );
  const started = blend(before.startMsPerNode, perNode(false));
  const reset = blend(before.resetMsPerNode, perNode(true));
  const warmUps = ready.flatMap((trial) => {
    const [first] = trial.phases;
    return first?.name === 'warm-up' ? [(first.endNs - trial.startNs) / 1e6 / trial.nodes.length] : [];
  });
  const settled = blend(before.settleMsPerNode, mean(warmUps));
  const after: Measured = {
    ...(started !== undefined && { startMsPerNode: started }),
    ...(reset !== undefined && { resetMsPerNode: reset }),
    ...(settled !== undefined && { settleMsPerNode: settled }),
    trials: (before.trials ?? 0) + ready.length,
    points: learnPoints(before.points ?? {}, ready),
  };
  await writeAtomically(join(reportsDir, FILE), `${JSON.stringify(after, undefined, 2)}\n`);
}

function learnPoints(
  before: Readonly<Record<string, number>>,
  trials: readonly TrialRecord[],
): Record<string, number> {
  const wholes = new Map<string, number[]>();
  for (const trial of trials) {
    const key = pointKey(trial.suite, trial.scenario, trial.point, trial.warp);
    wholes.set(key, [...(wholes.get(key) ?? []), (trial.endNs - trial.startNs) / 1e6]);
  }
  const learned = [...wholes].map(
    ([key, all]) => [key, Math.round(blend(before[key], mean(all)) ?? 0)] as const,
  );
  const others = Object.entries(before).filter(([key]) => !wholes.has(key));
  return Object.fromEntries([...others, ...learned].slice(-POINTS_LIMIT));
}

function blend(before: number | undefined, now: number | undefined): number | undefined {
  if (now === undefined) return before;
  return before === undefined ? now : before * (1 - WEIGHT) + now * WEIGHT;
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function readMeasured(reportsDir: string): Promise<Measured> {
  try {
    return JSON.parse(await readFile(join(reportsDir, FILE), 'utf8')) as Measured;
  } catch (error) {
    // Missing at first; damaged is as good as missing, since it is only an estimate.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
