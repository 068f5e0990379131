import { SquallError } from '../errors/index.ts';
import {
  type EnoughSpec,
  type HostClass,
  type PlannedScenario,
  type PlanRecord,
  type Point,
  RECORD_VERSION,
} from '../record/index.ts';
import type { ResolvedTopology } from '../topology/index.ts';
import { requireAction } from './action.ts';
import { bedShape } from './bed-shape.ts';
import { bedUseOf } from './bed-use.ts';
import { type CostModel, estimatePhasesMs, REFERENCE_COSTS } from './estimate.ts';
import { isGatePoint } from './gate-point.ts';
import { expandGrid, type ParameterLists, requireGrid } from './grid.ts';
import { pairedId, pointId } from './point-id.ts';
import type { ResolvedScenario } from './resolve-scenario.ts';
import { stepsAt } from './steps-at.ts';
import { trialSeed } from './trial-seed.ts';
import type { BedUse } from './types.ts';
import { addWarpAxis, refuseWarp, warpOf } from './warp-axis.ts';

/** What is to run of one scenario. */
export interface ScenarioSelection {
  readonly scenario: ResolvedScenario;
  /** The scenario's default grid when absent. */
  readonly grid?: string;
  readonly lists?: ParameterLists;
  /** These points instead of a grid's. */
  readonly points?: readonly Point[];
  /** Trials a point; the grid's or the scenario's when absent. */
  readonly trials?: number;
  /** Counted trials from which on a point is whole, where a comparison decides how many more there are to be. */
  readonly atLeast?: number;
  /** Only points whose `scenario/pointId` matches. */
  readonly grep?: RegExp;
  /** Times faster than real time; several: every point at each of them. The plan's when absent. */
  readonly warps?: readonly number[];
}

export interface PlannedPoint {
  /** Position in the plan. */
  readonly index: number;
  readonly scenario: ResolvedScenario;
  readonly point: Point;
  readonly pointId: string;
  readonly trials: number;
  /** When fewer trials will do. */
  readonly enough?: EnoughSpec;
  readonly atLeast?: number;
  readonly topology: ResolvedTopology;
  /** Trials of points with the same shape can share a bed. */
  readonly shape: string;
  readonly bed: BedUse;
  /** Times faster than real time. */
  readonly warp: number;
  readonly phasesMs: number;
}

export interface PlannedTrial {
  readonly point: PlannedPoint;
  /** 1-based: which of the point's counted trials this is to be. */
  readonly slot: number;
  readonly seed: string;
}

export interface RunPlan {
  readonly record: PlanRecord;
  readonly points: readonly PlannedPoint[];
  /** In the order in which beds take them. */
  readonly trials: readonly PlannedTrial[];
  /** The topology of one trial: the point's, with the trial's own seed. */
  readonly topologyOf: (trial: PlannedTrial) => ResolvedTopology;
}

export interface PlanOptions {
  readonly runId: string;
  readonly seed: string;
  /** Of selections that name none. */
  readonly warp: number;
  readonly squallVersion: string;
  readonly startedAt: string;
  readonly command: readonly string[];
  readonly repeat?: string;
  readonly host: HostClass;
  /** Without a seed where none of a trial is known yet. */
  readonly resolveTopology: (
    scenario: ResolvedScenario,
    point: Point,
    how: { readonly warp: number; readonly seed?: string },
  ) => ResolvedTopology;
  readonly costs?: CostModel;
}

/**
 * Expands selections into points and orders their trials: points that can share a bed together, all points once before
 * any a second time, and the sides of a comparison next to each other. Every topology is resolved and every action looked
 * up, so that what is wrong is known before anything starts.
 * @throws SquallError `nothing-selected`, `warp-refused`, `unknown-action` (input), and what resolving throws
 */
export function planRun(selections: readonly ScenarioSelection[], options: PlanOptions): RunPlan {
  const points: PlannedPoint[] = [];
  const prefixOf = idPrefixes(selections.map(({ scenario }) => scenario));
  for (const selection of selections) {
    const warps = selection.warps ?? [options.warp];
    const { scenario, lists } = addWarpAxis(selection.scenario, selection.lists ?? {}, warps);
    const grid = selection.points ? undefined : requireGrid(scenario, selection.grid ?? scenario.defaultGrid);
    const trials = selection.trials ?? grid?.trials ?? scenario.trials;
    for (const point of selection.points ??
      expandGrid(scenario, grid ?? { description: '', axes: {} }, lists)) {
      const id = `${prefixOf(selection.scenario)}${pointId(scenario, point)}`;
      if (selection.grep && !selection.grep.test(`${scenario.name}/${id}`)) continue;
      const warp = warpOf(point, warps);
      refuseWarp(scenario, warp);
      requireActions(scenario, point);
      const topology = options.resolveTopology(scenario, point, { warp });
      points.push({
        index: points.length,
        scenario,
        point,
        pointId: id,
        trials,
        // Who says how many trials there are to be gets as many.
        ...(selection.trials === undefined && grid?.enough && { enough: grid.enough }),
        ...(selection.atLeast !== undefined && { atLeast: selection.atLeast }),
        topology,
        shape: bedShape(topology),
        bed: bedUseOf(scenario, point),
        warp,
        phasesMs: estimatePhasesMs(scenario, point, warp, options.costs ?? REFERENCE_COSTS),
      });
    }
  }
  if (points.length === 0) {
    throw new SquallError('plan: no point is left to run; expected at least one.', {
      code: 'nothing-selected',
      blame: 'input',
      hint: 'Loosen --grep, --scenario or the parameters.',
    });
  }
  return {
    record: planRecord(points, options),
    points,
    trials: orderTrials(points, options.seed),
    topologyOf: ({ point, seed }) =>
      options.resolveTopology(point.scenario, point.point, { warp: point.warp, seed }),
  };
}

/** Suites are loaded by now, so an action that none has registered is a mistake of the document. */
function requireActions(scenario: ResolvedScenario, point: Point): void {
  for (const phase of scenario.phases) {
    for (const step of stepsAt(scenario, phase, point)) if ('do' in step) requireAction(step.do.action);
  }
}

/**
 * Point ids name folders of one run, so they begin with the scenario where there are several, and with its suite too
 * where two suites call a scenario the same.
 */
function idPrefixes(scenarios: readonly ResolvedScenario[]): (scenario: ResolvedScenario) => string {
  const distinct = [...new Map(scenarios.map((one) => [`${one.suite}/${one.name}`, one])).values()];
  if (distinct.length < 2) return () => '';
  return ({ suite, name }) =>
    distinct.filter((one) => one.name === name).length > 1 ? `${suite},${name},` : `${name},`;
}

/**
 * Shapes in the order of their first point; within a shape slot by slot, sides of one point next to each other. Which
 * side comes first changes from slot to slot, or with two beds each side would always run on the same one. Sides that
 * differ in their image have shapes of their own; on fresh beds they take turns all the same.
 */
export function orderTrials(points: readonly PlannedPoint[], seed: string): PlannedTrial[] {
  const groups = new Map<string, PlannedPoint[]>();
  const shapeOfPair = new Map<string, string>();
  for (const point of points) {
    const paired = `${pairKey(point)}/fresh`;
    const shape = (point.bed === 'fresh' && shapeOfPair.get(paired)) || point.shape;
    if (point.bed === 'fresh') shapeOfPair.set(paired, shape);
    groups.set(shape, [...(groups.get(shape) ?? []), point]);
  }
  return [...groups.values()].flatMap((group) => {
    const pairs = new Map<string, PlannedPoint[]>();
    for (const point of group) {
      const key = pairKey(point);
      pairs.set(key, [...(pairs.get(key) ?? []), point]);
    }
    const rounds = Math.max(...group.map((point) => point.trials));
    return Array.from({ length: rounds }, (_, round) => round + 1).flatMap((slot) =>
      [...pairs.values()]
        .flatMap((sides) => rotated(sides, slot - 1))
        .filter((point) => slot <= point.trials)
        .map((point) => ({ point, slot, seed: trialSeed(seed, point.scenario, point.point, slot) })),
    );
  });
}

/** The same for all sides of a point. */
function pairKey({ scenario, point }: PlannedPoint): string {
  const { suite, seedAs, name, parameters } = scenario;
  return `${suite}/${seedAs ?? name}/${pairedId(parameters, point)}`;
}

function rotated<T>(list: readonly T[], by: number): T[] {
  const at = by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

function planRecord(points: readonly PlannedPoint[], options: PlanOptions): PlanRecord {
  const scenarios = [...new Set(points.map((point) => point.scenario))];
  return {
    recordVersion: RECORD_VERSION,
    runId: options.runId,
    squallVersion: options.squallVersion,
    startedAt: options.startedAt,
    command: options.command,
    ...(options.repeat !== undefined && { repeat: options.repeat }),
    seed: options.seed,
    warp: Math.max(...points.map((point) => point.warp)),
    host: options.host,
    scenarios: scenarios.map((scenario) => plannedScenario(scenario, points)),
  };
}

function gateMeasured({ gate }: ResolvedScenario): Pick<PlannedScenario['points'][number], 'gate'> {
  return gate ? { gate: { defect: gate.defect, ...gate.power } } : {};
}

function plannedScenario(scenario: ResolvedScenario, points: readonly PlannedPoint[]): PlannedScenario {
  return {
    suite: scenario.suite,
    scenario: scenario.name,
    description: scenario.description,
    kills: (scenario.kills ?? []).map((kill) => kill.mutant),
    points: points
      .filter((point) => point.scenario === scenario)
      .map(({ point, pointId: id, trials, enough, atLeast, phasesMs, warp }) => ({
        point,
        pointId: id,
        trials,
        ...(enough && { enough }),
        ...(atLeast !== undefined && { atLeast }),
        estimatedMs: Math.round(phasesMs),
        warp,
        ...(isGatePoint({ scenario, point, warp }) && gateMeasured(scenario)),
      })),
    checks: scenario.checks,
    expectations: scenario.expect ?? [],
    ...(scenario.waivers && { waivers: scenario.waivers }),
    ...(scenario.mayHang && { mayHang: true }),
    published: scenario.published ?? [],
    parameters: Object.entries(scenario.parameters).map(([name, { type, description }]) => ({
      name,
      type,
      description,
    })),
    measure: scenario.measure,
    measures: scenario.measures,
    plots: scenario.plots ?? [],
    ...(scenario.aggregates && { aggregates: scenario.aggregates }),
    ...(scenario.comparisons && { comparisons: scenario.comparisons }),
  };
}
