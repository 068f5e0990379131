import { SquallError } from '../errors/index.ts';
import {
  type Choice,
  chooseWithinBudget,
  type GateConfig,
  type GateEntry,
  type Shard,
  unitsOfShard,
} from '../gate/index.ts';
import { estimateRun, type PlannedPoint, type RunPlan } from '../scenario/index.ts';
import { gateUnits, type PlannedUnit, type SuiteScenarios, selectionsOf, wantedKey } from './gate-units.ts';
import { makePlan, type PlanRequest } from './make-plan.ts';
import { measuredCosts } from './measured-costs.ts';
import { type KnownMutant, mutantClaims, unclaimedMutants } from './mutants.ts';
import { costsOf, defaultBeds, requireSubnets } from './plan-costs.ts';
import { topologyResolver } from './topology-resolver.ts';
import { unreachedChecks } from './unreached-checks.ts';

export interface GatePlanRequest extends Omit<PlanRequest, 'selections'> {
  readonly config: GateConfig;
  readonly mode: 'quick' | 'full';
  readonly suiteOf: SuiteScenarios;
  readonly mutants: readonly KnownMutant[];
  /** In place of the file's. */
  readonly budgetMs?: number;
  readonly shard?: Shard;
  /** Only entries with one of these tags. */
  readonly tags?: readonly string[];
  readonly parallelBeds?: number;
  readonly reportsDir: string;
}

export interface GatePlan extends Choice<PlannedUnit> {
  readonly run: RunPlan;
  /** Where the durations come from. */
  readonly basis: string;
  /** Of images of which the gate is to run all mutants, those that no scenario claims. */
  readonly uncovered: readonly KnownMutant[];
}

/**
 * What a gate would run: the entries' units, of them the shard's, of these what the budget has room for. Starts nothing.
 * @throws SquallError (input) for whatever is wrong with the entries, and `budget-too-small`
 */
export async function planGate(request: GatePlanRequest): Promise<GatePlan> {
  const { shard, budgetMs } = request;
  const all = gateUnits(entriesOf(request), request.suiteOf, request.mutants);
  requireReached(all);
  // Both plans have the same points: what they need is resolved once.
  const resolver =
    request.resolver ?? topologyResolver({ ...(request.cwd !== undefined && { cwd: request.cwd }) });
  const whole = makePlan({ ...request, resolver, selections: selectionsOf(all) });
  const planned = new Map(whole.points.map((point) => [wantedKey(point.scenario, point.point), point]));
  // By the reference machine's figures, so that every shard's job splits in the same way.
  const units = shard
    ? unitsOfShard(all, shard, (unit) => estimateRun(costsOf(pointsOf([unit], planned)), 1).durationMs)
    : all;
  if (units.length === 0) {
    throw new SquallError(
      `gate: shard ${shard?.index}/${shard?.total} is empty; there are only ${all.length} parts.`,
      {
        code: 'nothing-selected',
        blame: 'input',
        hint: `Split it into at most ${all.length}.`,
      },
    );
  }
  const { costs, basis, trialMsOf } = await measuredCosts(request.reportsDir);
  const { beds, lightBeds } =
    request.parallelBeds === undefined
      ? defaultBeds(whole, costs.memoryBytesPerNode)
      : { beds: request.parallelBeds, lightBeds: 0 };
  const choice = chooseWithinBudget(
    units,
    budgetMs,
    (some) => estimateRun(costsOf(pointsOf(some, planned), trialMsOf), beds, costs, lightBeds).durationMs,
  );
  const run = makePlan({
    ...request,
    resolver,
    selections: selectionsOf(choice.chosen),
    seed: whole.record.seed,
  });
  if (request.parallelBeds !== undefined) requireSubnets(run, request.parallelBeds);
  return { ...choice, run, basis, uncovered: uncoveredIn(request) };
}

/** A gate with a check that no grid reaches looks as if it guarded more than it does. */
function requireReached(units: readonly PlannedUnit[]): void {
  const scenarios = new Set(
    // Mutants are judged at their own point only, by the checks of that point.
    units.flatMap((unit) => (unit.claim ? [unit.claim.scenario] : unit.wanted.map((one) => one.scenario))),
  );
  const unreached = [...scenarios].flatMap((scenario) =>
    unreachedChecks(scenario).map((title) => `${scenario.suite}/${scenario.name}: "${title}"`),
  );
  if (unreached.length === 0) return;
  throw new SquallError(
    `gate: judged at no point of any grid, so that they can never fail: ${unreached.join('; ')}.`,
    {
      code: 'check-unreached',
      blame: 'input',
      hint: 'Mend their "where", or take them out.',
    },
  );
}

function uncoveredIn(request: GatePlanRequest): readonly KnownMutant[] {
  const entries = entriesOf(request);
  const claims = [...new Set(entries.map(({ suite }) => suite))].flatMap((suite) =>
    mutantClaims(request.suiteOf(suite), request.mutants).map((claim) => ({ suite, ...claim })),
  );
  const whole = entries.filter(({ mutants }) => mutants === 'all').map(({ suite }) => suite);
  const images = new Set(claims.filter(({ suite }) => whole.includes(suite)).map(({ image }) => image));
  return unclaimedMutants(
    request.mutants.filter(({ image }) => images.has(image)),
    claims,
  );
}

function entriesOf({ config, mode, tags }: GatePlanRequest): readonly GateEntry[] {
  const entries = mode === 'full' ? (config.full ?? config.quick) : config.quick;
  if (!tags) return entries;
  const tagged = entries.filter((entry) => entry.tags.some((tag) => tags.includes(tag)));
  if (tagged.length > 0) return tagged;
  const known = [...new Set(entries.flatMap((entry) => entry.tags))].sort();
  throw new SquallError(`gate: no entry of --${mode} has the tag ${tags.join(' or ')}.`, {
    code: 'nothing-selected',
    blame: 'input',
    hint: known.length > 0 ? `There are: ${known.join(', ')}.` : 'No entry has a tag.',
  });
}

/** The points of several units, each once, with the most trials that any of them wants. */
function pointsOf(units: readonly PlannedUnit[], planned: ReadonlyMap<string, PlannedPoint>): PlannedPoint[] {
  const points = new Map<string, PlannedPoint>();
  for (const { scenario, point, trials } of units.flatMap((unit) => unit.wanted)) {
    const key = wantedKey(scenario, point);
    const found = planned.get(key);
    if (!found) throw new Error(`the gate's plan lacks ${key}`);
    points.set(key, { ...found, trials: Math.max(trials, points.get(key)?.trials ?? 0) });
  }
  return [...points.values()];
}
