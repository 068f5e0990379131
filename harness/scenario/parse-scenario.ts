import { type Problem, readDocument, requireNoProblems } from '../document/index.ts';
import { type ResolvedScenario, resolveScenario } from './resolve-scenario.ts';
import { rememberSource } from './scenario-place.ts';
import { SCENARIO } from './scenario-schema.ts';
import type { ScenarioSpec } from './types.ts';

/**
 * A scenario from YAML.
 * @throws SquallError `invalid-document` (input) with every problem, each with path, line and column
 */
export function parseScenario(
  text: string,
  file: string,
  home: { readonly suite: string; readonly folder?: string | undefined },
): ResolvedScenario {
  const document = readDocument(text, SCENARIO);
  const problems: Problem[] = [...document.problems];
  const spec = document.salvaged as ScenarioSpec | undefined;
  const resolved = spec && resolveScenario(spec, { ...home, writtenByHand: true });
  // What was left out for not fitting must not be reported again as missing.
  const known = new Set(problems.map((problem) => JSON.stringify(problem.path)));
  for (const problem of resolved?.problems ?? []) {
    if (known.has(JSON.stringify(problem.path))) continue;
    const place = document.locate(problem.path);
    problems.push(place ? { ...problem, place } : problem);
  }
  requireNoProblems('scenario', file, problems);
  const { scenario } = resolved as NonNullable<typeof resolved>;
  rememberSource(scenario, { file, locate: (path) => document.locate(path) });
  return scenario;
}
