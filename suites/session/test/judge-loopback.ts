import type { ParameterValue, Point, ScenarioSpec } from '../../../harness/index.ts';
import { matchesPoint } from '../../../harness/record/index.ts';
import { loopbackTrial } from './loopback-trial.ts';

export interface Broken {
  readonly title: string;
  readonly found: unknown;
}

/**
 * What a trial on loopback breaks of a row's bounds at a point; those that hold where the fix is on are what a mutant is judged by.
 */
export async function brokenOnLoopback(
  scenario: ScenarioSpec,
  point: Readonly<Record<string, ParameterValue>>,
  part: number,
): Promise<{ readonly broken: readonly Broken[]; readonly judged: number; readonly events: number }> {
  const { measures, events } = await loopbackTrial(scenario, point as Point, { part });
  const judged = scenario.checks.filter(
    ({ check, where }) => check === 'measure-bound' && matchesPoint(point as Point, where),
  );
  const broken = judged.flatMap(({ title, parameters }) => {
    const found = measures[String(parameters['measure'])];
    return holds(found, String(parameters['op']), Number(parameters['value'])) ? [] : [{ title, found }];
  });
  return { broken, judged: judged.length, events: events.length };
}

function holds(found: unknown, op: string, value: number): boolean {
  if (typeof found !== 'number') return false;
  return { '=': found === value, '<=': found <= value, '>=': found >= value }[op] ?? false;
}
