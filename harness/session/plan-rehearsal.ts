import { basename, dirname, resolve } from 'node:path';
import { SquallError } from '../errors/index.ts';
import {
  type Forecast,
  nameSides,
  type RollingUpgrade,
  type Room,
  rehearsalScenario,
  type WaveSize,
  waveSizes,
  whatLacks,
} from '../rehearsal/index.ts';
import type {
  ParameterLists,
  PlannedPoint,
  ResolvedScenario,
  RunPlan,
  ScenarioSelection,
} from '../scenario/index.ts';
import type { RehearsalSpec } from '../topology/index.ts';
import { formatBytes } from '../units/index.ts';
import { checkPlan } from './check-plan.ts';
import type { RunRequest } from './execute-run.ts';
import { makePlan } from './make-plan.ts';
import { planCosts } from './plan-costs.ts';
import { roomReader } from './rehearsal-room.ts';
import { requireKept, rollingUpgrade } from './rolling-upgrade.ts';

export interface RehearsalRequest extends Omit<RunRequest, 'selections' | 'judge' | 'warp'> {
  /** The topology's file and its `rehearsal`. */
  readonly topology: string;
  readonly spec: RehearsalSpec;
  /** What makes a wave. */
  readonly scenario: ResolvedScenario;
  readonly baseline: string;
  readonly candidates: readonly string[];
  /** In place of the topology's. */
  readonly waves?: number;
  readonly mostWaves?: number;
  /** No round begins after so long; the one that has begun is ended. */
  readonly budgetMs?: number;
  /** The baseline's roles are upgraded to each side and rolled back, node by node, as further phases of every wave. */
  readonly rolling?: boolean;
  /** Parameters of the scenario; several values are conditions under which all sides run. */
  readonly lists?: ParameterLists;
  readonly nowMs: () => number;
  /** What is free; of this host when absent. */
  readonly room?: () => Room;
}

export interface PlannedRehearsal {
  readonly forecast: Forecast;
  readonly room: Room;
  readonly plan: RunPlan;
}

/**
 * What a rehearsal would take, of the largest wave that there is room for. Nothing is started.
 * @throws SquallError (input) as `executeRehearsal`
 */
export async function planRehearsal(request: RehearsalRequest): Promise<PlannedRehearsal> {
  return (await fitRehearsal(request, sizesOf(request))).planned;
}

/** Sizes of the wave that may be tried, the one that is asked for first. */
export function sizesOf({ spec, scenario, lists = {} }: RehearsalRequest): readonly WaveSize[] {
  return waveSizes(spec, scenario.parameters, Object.keys(lists));
}

/** The first of these sizes that there is room for, or the last. @param because why none before them is tried */
export async function fitRehearsal(
  request: RehearsalRequest,
  sizes: readonly WaveSize[],
  because?: NonNullable<Forecast['smaller']>,
): Promise<{
  readonly sized: RehearsalRequest;
  readonly planned: PlannedRehearsal;
  readonly left: readonly WaveSize[];
}> {
  const [size = {}, ...left] = sizes;
  const sized = { ...request, spec: { ...request.spec, set: { ...request.spec.set, ...size } } };
  const planned = await forecastOf(sized, because);
  const { forecast, room } = planned;
  const lacking = left.length > 0 ? whatLacks(forecast, room, leastOf(request.spec)) : undefined;
  if (!lacking) return { sized, planned, left };
  const { what, neededBytes, freeBytes } = lacking;
  const why = `about ${formatBytes(neededBytes)} of ${what} were needed, and ${formatBytes(freeBytes)} are free`;
  return await fitRehearsal(request, left, because ?? { askedNodes: forecast.nodes, why });
}

export function leastOf({ abort }: RehearsalSpec): Partial<Room> {
  return {
    ...(abort.diskFree !== undefined && { diskFreeBytes: abort.diskFree }),
    ...(abort.memoryFree !== undefined && { memoryFreeBytes: abort.memoryFree }),
  };
}

async function forecastOf(
  request: RehearsalRequest,
  smaller: Forecast['smaller'],
): Promise<PlannedRehearsal> {
  const { selection, spec, rolling } = selectWaves(request);
  const plan = makePlan({ ...request, selections: [selection] });
  checkPlan(plan);
  if (rolling) for (const { topology } of plan.points) requireKept(rolling, topology);
  const beds = request.parallelBeds ?? 1;
  const costs = await planCosts(plan, beds, request.reportsDir);
  const sides = 1 + request.candidates.length;
  const share = spec.waves / spec.mostWaves;
  const nodes = Math.max(...plan.points.map(({ topology }) => topology.nodes.length));
  const limits = beds * Math.max(...plan.points.map(memoryOf));
  const forecast = {
    sides,
    conditions: plan.points.length / sides,
    waves: spec.waves,
    mostWaves: spec.mostWaves,
    nodes,
    firstLookMs: costs.durationMs * share,
    mostMs: costs.durationMs,
    // What the nodes may take at most is a better guess than what a node of ours takes, where the topology says it.
    memoryBytes: Math.max(costs.memoryBytes, limits),
    recordBytes: costs.diskBytes,
    waveBytes: (spec.diskPerWave ?? 0) * beds,
    basis: costs.basis,
    ...(smaller && { smaller }),
  };
  return { forecast, room: await roomReader(request).read(), plan };
}

function memoryOf({ topology }: PlannedPoint): number {
  // A limit is what a node must not pass; half of it is what such nodes were seen to need.
  return topology.nodes.reduce((sum, { resources }) => sum + (resources.memoryBytes ?? 0) / 2, 0);
}

/** The selection of a rehearsal's one scenario, and its `rehearsal` with what the call says in place of it. */
export function selectWaves(request: RehearsalRequest): {
  readonly selection: ScenarioSelection;
  readonly spec: RehearsalSpec;
  readonly rolling: RollingUpgrade | undefined;
} {
  const waves = request.waves ?? request.spec.waves;
  const mostWaves = Math.max(waves, request.mostWaves ?? request.spec.mostWaves);
  for (const [option, value] of [
    ['waves', waves],
    ['most-waves', mostWaves],
  ] as const) {
    if (Number.isInteger(value) && value >= 2) continue;
    throw new SquallError(`--${option} ${value}: expected a whole number from 2.`, {
      code: `bad-${option}`,
      blame: 'input',
    });
  }
  const spec = { ...request.spec, waves, mostWaves };
  const sides = nameSides(request.baseline, request.candidates);
  const rolling = request.rolling ? rollingUpgrade(spec, sides) : undefined;
  const scenario = rehearsalScenario(request.scenario, spec, sides, basename(request.topology), rolling);
  return {
    spec,
    rolling,
    selection: {
      scenario: { ...scenario, folder: dirname(resolve(request.topology)) },
      trials: mostWaves,
      atLeast: waves,
      ...(request.lists && { lists: request.lists }),
    },
  };
}
