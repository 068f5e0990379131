import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { SquallError } from '../errors/index.ts';
import { writeAtomically } from '../record/index.ts';
import { fillOverrides, type ResolvedScenario, type RunPlan } from '../scenario/index.ts';
import { redactTopology } from './redact-topology.ts';
import { topologyFile } from './topology-resolver.ts';

export const INPUTS_FILE = 'inputs.json';
const INPUTS_VERSION = 1;

const scenarioInputs = z.object({
  suite: z.string(),
  name: z.string(),
  /** The scenario as it was resolved, without its functions and without a path of the machine it ran on. */
  data: z.record(z.string(), z.unknown()),
  /** Where it holds functions that the data cannot: its suite is needed to run it again. */
  code: z.array(z.string()),
  /** Name of a file under `topologies`. */
  topology: z.string(),
  /** What each of the points that ran changed of the topology. */
  points: z.array(
    z.object({
      pointId: z.string(),
      point: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
      warp: z.number(),
      trials: z.number(),
      overrides: z.record(z.string(), z.unknown()),
    }),
  ),
});

const INPUTS = z.object({
  inputsVersion: z.literal(INPUTS_VERSION),
  seed: z.string(),
  scenarios: z.array(scenarioInputs),
  topologies: z.record(z.string(), z.object({ text: z.string(), redacted: z.array(z.string()) })),
});

/** All that a run was given: enough to run it again on another machine. */
export type RunInputs = z.output<typeof INPUTS>;
export type ScenarioInputs = RunInputs['scenarios'][number];

/** The inputs of a plan. Secrets of topologies are blanked. */
export function inputsOf(plan: RunPlan, cwd = process.cwd()): RunInputs {
  const topologies: Record<string, { text: string; redacted: string[] }> = {};
  const scenarios = [...new Set(plan.points.map(({ scenario }) => scenario))].map(
    (scenario): ScenarioInputs => {
      const file = topologyFile(scenario, cwd);
      const { text, redacted } = redactTopology(readFileSync(file, 'utf8'));
      const topology = nameFor(basename(file), text, topologies);
      topologies[topology] = { text, redacted: [...redacted] };
      const points = plan.points.filter((point) => point.scenario === scenario);
      const { folder: _folder, overrides: _overrides, ...rest } = scenario;
      return {
        suite: scenario.suite,
        name: scenario.name,
        data: JSON.parse(JSON.stringify(rest)) as Record<string, unknown>,
        code: functionsIn(rest),
        topology,
        points: points.map(({ pointId, point, warp, trials }) => ({
          pointId,
          point,
          warp,
          trials,
          overrides: fillOverrides(scenario, point) as Record<string, unknown>,
        })),
      };
    },
  );
  return { inputsVersion: INPUTS_VERSION, seed: plan.record.seed, scenarios, topologies };
}

export async function writeInputs(dir: string, plan: RunPlan, cwd?: string): Promise<void> {
  await writeAtomically(join(dir, INPUTS_FILE), `${JSON.stringify(inputsOf(plan, cwd), undefined, 2)}\n`);
}

/** @throws SquallError `no-inputs`, `record-damaged` (input) */
export function readInputs(dir: string): RunInputs {
  let text: string;
  try {
    text = readFileSync(join(dir, INPUTS_FILE), 'utf8');
  } catch (cause) {
    throw new SquallError(
      `${dir}: has no ${INPUTS_FILE}, so what it ran is not known; expected a run of this version.`,
      {
        code: 'no-inputs',
        blame: 'input',
        cause,
      },
    );
  }
  const parsed = INPUTS.safeParse(parseJson(dir, text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SquallError(`${join(dir, INPUTS_FILE)}: ${issue?.path.join('.')}: ${issue?.message}`, {
    code: 'record-damaged',
    blame: 'input',
  });
}

function parseJson(dir: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SquallError(`${join(dir, INPUTS_FILE)}: is not JSON`, {
      code: 'record-damaged',
      blame: 'input',
      cause,
    });
  }
}

/** Two topologies of one name and different texts, of two suites, are told apart. */
function nameFor(name: string, text: string, taken: Readonly<Record<string, { text: string }>>): string {
  for (let number = 1; ; number += 1) {
    const tried = number === 1 ? name : name.replace(/(\.ya?ml)$/, `-${number}$1`);
    if (taken[tried] === undefined || taken[tried].text === text) return tried;
  }
}

/** Paths of the functions in a value. */
function functionsIn(value: unknown, path = ''): string[] {
  if (typeof value === 'function') return [path];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    functionsIn(inner, path === '' ? key : `${path}.${key}`),
  );
}

/** A scenario from its inputs, its topology in `folder`; the suite's own code stands where it had functions. */
export function scenarioFrom(
  inputs: ScenarioInputs,
  folder: string,
  ofSuite: ResolvedScenario | undefined,
): ResolvedScenario {
  const overrides = new Map(inputs.points.map(({ point, overrides: own }) => [keyOf(point), own]));
  const code = ofSuite && inputs.code.length > 0 ? { phases: ofSuite.phases, ...seedCondition(ofSuite) } : {};
  return {
    ...(inputs.data as unknown as ResolvedScenario),
    ...code,
    topology: inputs.topology,
    folder,
    overrides: (point) => overrides.get(keyOf(point)) ?? {},
  };
}

function seedCondition({ seedWhere }: ResolvedScenario): Pick<ResolvedScenario, 'seedWhere'> {
  return seedWhere ? { seedWhere } : {};
}

function keyOf(point: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.entries(point).sort(([a], [b]) => (a < b ? -1 : 1)));
}
