import { randomBytes } from 'node:crypto';
import { basename, join } from 'node:path';
import { countOf } from '../check/index.ts';
import { asIncident, drawSchedule, type Exploration } from '../exploration/index.ts';
import {
  describeCase,
  drawCases,
  type Incident,
  type IncidentCase,
  type Oracle,
  pausesText,
  scenarioOf,
} from '../incident/index.ts';
import type { Point } from '../record/index.ts';
import { defaultPoint, requireScenario } from '../scenario/index.ts';
import { formatDurationMs } from '../units/index.ts';
import { checkPlan } from './check-plan.ts';
import { makePlan } from './make-plan.ts';
import { type PlanCosts, planCosts } from './plan-costs.ts';
import { type TopologyResolver, topologyResolver } from './topology-resolver.ts';

/** What is planned, and where earlier runs are looked at for what trials take. */
interface PlanWith {
  readonly command: readonly string[];
  readonly reportsDir: string;
  /** Drawn at random when absent. */
  readonly seed?: string;
  readonly parallelBeds?: number;
}

export interface ReproPlanRequest extends PlanWith {
  readonly incident: Incident;
  readonly attempts: number;
  readonly batch: number;
  readonly confirm: number;
  readonly oracle?: Oracle;
  readonly shrinkTrials: number;
  readonly out?: string;
}

export interface ExplorePlanRequest extends PlanWith {
  readonly exploration: Exploration;
  readonly forMs: number;
  readonly batch: number;
  readonly corpus: string;
}

/** Where the oracle follows how often it shows: what that is where it shows in most trials. */
const USUAL_ORACLE_TRIALS = 3;

/**
 * What `squall repro` would do with an incident, for people. Every way that it would try is planned, and nothing is started.
 * @throws SquallError (input) for whatever of it could not be run
 */
export async function planRepro(request: ReproPlanRequest): Promise<string> {
  const { incident, attempts, batch, confirm, oracle, shrinkTrials, out } = request;
  const seed = request.seed ?? randomSeed();
  const cases = drawCases(incident, attempts, seed);
  const [first] = cases;
  if (!first) return '';
  const fixes = Object.entries(incident.fix);
  const before = Object.fromEntries(fixes.map(([name, fix]) => [name, fix.before]));
  const after = Object.fromEntries(fixes.map(([name, fix]) => [name, fix.after]));
  const sides = fixes.length > 0 ? [before, after] : [before];
  const planned = planner({ ...request, seed }, incident);
  for (const one of cases.slice(1)) planned.check(one, sides);
  const search = await planned.cost(first, [before], Math.min(batch, attempts));
  const measure = await planned.cost(first, sides, confirm);
  const asked = oracle?.of ?? USUAL_ORACLE_TRIALS;
  const question = await planned.cost(first, [before], asked);
  const searchMs = search.costs.durationMs * Math.ceil(attempts / batch);
  const measureMs = confirm === 0 ? 0 : measure.costs.durationMs;
  const shrinkMs = question.costs.durationMs * Math.ceil(shrinkTrials / asked);
  const both = sides.length > 1 ? ' before the fix and after it' : '';
  const stages = [
    `searched   up to ${countOf(attempts, 'way')}, a trial each, about ${formatDurationMs(searchMs)}`,
    ...(confirm > 0
      ? [`measured   ${countOf(confirm, 'trial')}${both}, about ${formatDurationMs(measureMs)}`]
      : []),
    ...(shrinkTrials > 0
      ? [
          `shrunk     up to ${countOf(shrinkTrials, 'trial')}, about ${formatDurationMs(shrinkMs)}`,
          ...(confirm > 0 ? [`measured   again, about ${formatDurationMs(measureMs)}`] : []),
        ]
      : []),
  ];
  const wholeMs = searchMs + shrinkMs + measureMs * (shrinkTrials > 0 ? 2 : 1);
  return lines(
    `incident ${incident.name}, seed ${seed}: the first of ${countOf(attempts, 'way')} is`,
    `  ${describeCase(first)}`,
    `  ${pausesText(first.pauses, incident.idleMs)}`,
    trialText(search),
    ...stages.map((stage) => `  ${stage}`),
    `at most about ${formatDurationMs(wholeMs)} (${search.costs.basis}); the sooner it shows, the sooner it ends`,
    `writes ${out ?? join(incident.folder, `${incident.name}.scenario.yaml`)}`,
  );
}

/**
 * What `squall explore` would do, for people: the first batch of schedules is drawn and planned, and nothing is started.
 * @throws SquallError (input) for whatever of it could not be run
 */
export async function planExplore(request: ExplorePlanRequest): Promise<string> {
  const { exploration, forMs, batch, corpus } = request;
  const seed = request.seed ?? randomSeed();
  const incident = asIncident(exploration, exploration.name);
  const schedules = Array.from({ length: batch }, (_, number) => drawSchedule(exploration, seed, number));
  const planned = planner({ ...request, seed }, incident);
  for (const one of schedules) planned.check(one, [{}]);
  const longest = schedules.reduce((most, one) => (spanOf(one) > spanOf(most) ? one : most));
  const cost = await planned.cost(longest, [{}], batch);
  const batches = Math.max(1, Math.floor(forMs / cost.costs.durationMs));
  return lines(
    `exploration ${exploration.name}, seed ${seed}: ${batch} schedules such as`,
    ...schedules.map((one) => `  ${describeCase(one)}`),
    trialText(cost),
    `  about ${countOf(batches * batch, 'schedule')} in ${formatDurationMs(forMs)}, were nothing found (${cost.costs.basis})`,
    `keeps what it finds in ${corpus}`,
  );
}

interface Planned {
  readonly nodes: number;
  readonly trialMs: number;
  readonly costs: PlanCosts;
}

/** Plans cases of an incident, with images and topologies read once. */
function planner(given: PlanWith & { readonly seed: string }, incident: Incident) {
  const home = { suite: basename(incident.folder), folder: incident.folder };
  const resolver: TopologyResolver = topologyResolver({});
  const plan = (one: IncidentCase, points: readonly Point[], trials: number) => {
    const scenario = requireScenario(scenarioOf(incident, one, { name: incident.name }), home);
    const whole = points.map((point) => ({ ...defaultPoint(scenario.parameters), ...point }));
    const selections = [{ scenario, points: whole, trials: Math.max(1, trials) }];
    const made = makePlan({ selections, seed: given.seed, command: given.command, resolver });
    checkPlan(made);
    return made;
  };
  return {
    check: (one: IncidentCase, points: readonly Point[]): void => void plan(one, points, 1),
    cost: async (one: IncidentCase, points: readonly Point[], trials: number): Promise<Planned> => {
      const made = plan(one, points, trials);
      const [point] = made.points;
      const costs = await planCosts(made, given.parallelBeds, given.reportsDir);
      return { nodes: point?.topology.nodes.length ?? 0, trialMs: point?.phasesMs ?? 0, costs };
    },
  };
}

function trialText({ nodes, trialMs, costs }: Planned): string {
  return `a trial has ${countOf(nodes, 'node')} and takes ${formatDurationMs(trialMs)}; ${countOf(costs.parallelBeds, 'bed')} at once (${costs.why})`;
}

function spanOf({ happenings, watchMs }: IncidentCase): number {
  const ends = happenings.map(
    ({ atMs, action }) => atMs + (action.verb === 'fault' ? (action.forMs ?? 0) : 0),
  );
  return Math.max(0, ...ends) + watchMs;
}

function randomSeed(): string {
  return randomBytes(4).readUInt32BE().toString();
}

function lines(...all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('');
}
