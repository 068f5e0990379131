import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { checkProblems } from '../check/index.ts';
import { type Problem, requireNoProblems } from '../document/index.ts';
import { describeError, SquallError } from '../errors/index.ts';
import {
  parseScenario,
  placeIn,
  type ResolvedScenario,
  requireScenario,
  type ScenarioSpec,
} from '../scenario/index.ts';
import { collect } from './collector.ts';
import { type FoundSuite, findSuite, requireSuite } from './find-suite.ts';

/** A suite as data, every scenario validated. Nothing has been started. */
export interface LoadedSuite {
  readonly name: string;
  readonly folder: string;
  readonly scenarios: readonly ResolvedScenario[];
}

/** Modules run once a process, so what they described is kept. */
const described = new Map<string, Promise<readonly ScenarioSpec[]>>();

/**
 * Loads a suite by folder, file or name. TypeScript suites run (and may register measures, checks and predicates), YAML
 * scenarios are read; all problems of a file are reported together.
 * @throws SquallError `suite-not-found`, `suite-broken`, `invalid-document`, `scenario-clash`, `empty-suite` (input)
 */
export async function loadSuite(word: string, cwd = process.cwd()): Promise<LoadedSuite> {
  const found = requireSuite(word, cwd);
  const home = { suite: found.name, folder: found.folder };
  const scenarios: ResolvedScenario[] = [];
  for (const file of found.codeFiles) {
    for (const spec of await describedBy(file)) scenarios.push(requireScenario(spec, home));
  }
  for (const file of found.dataFiles) scenarios.push(parseScenario(await readFile(file, 'utf8'), file, home));
  for (const word of new Set(scenarios.flatMap((one) => one.uses ?? []))) await useSuite(word, found.folder);
  requireDistinct(found, scenarios);
  requireChecks(found, scenarios);
  return { name: found.name, folder: found.folder, scenarios };
}

/**
 * Runs a suite's code for what it registers (measures, checks, predicates); its scenarios are left out.
 * @param folder where the document lies that names it
 * @throws SquallError `suite-not-found`, `suite-broken` (input)
 */
export async function useSuite(word: string, folder: string): Promise<void> {
  const found = findSuite(word, folder) ?? requireSuite(word);
  for (const file of found.codeFiles) await describedBy(file);
}

async function describedBy(file: string): Promise<readonly ScenarioSpec[]> {
  const known = described.get(file);
  if (known) return await known;
  const loading = collect(() => import(pathToFileURL(file).href)).catch((error: unknown) => {
    if (error instanceof SquallError) throw error;
    throw new SquallError(`suite ${file}: could not be loaded: ${describeError(error)}`, {
      code: 'suite-broken',
      blame: 'input',
      cause: error,
    });
  });
  described.set(file, loading);
  return await loading;
}

/** Checks may be registered by the suite itself, so they can be looked up only now. */
function requireChecks(found: FoundSuite, scenarios: readonly ResolvedScenario[]): void {
  const fromCode: Problem[] = [];
  for (const scenario of scenarios) {
    const problems = scenario.checks.flatMap((check, index) =>
      checkProblems(check).map((message) => ({ path: ['checks', index], message })),
    );
    const source = placeIn(scenario, []);
    if (!source) fromCode.push(...problems.map((one) => ({ ...one, path: [scenario.name, ...one.path] })));
    else
      requireNoProblems(
        'scenario',
        source.file,
        problems.map((one) => located(scenario, one)),
      );
  }
  requireNoProblems('suite', found.name, fromCode);
}

function located(scenario: ResolvedScenario, problem: Problem): Problem {
  const place = placeIn(scenario, problem.path)?.place;
  return place ? { ...problem, place } : problem;
}

function requireDistinct(found: FoundSuite, scenarios: readonly ResolvedScenario[]): void {
  if (scenarios.length === 0) {
    throw new SquallError(
      `suite ${found.name}: no scenario in it; expected describeScenario(…) in suite.ts.`,
      {
        code: 'empty-suite',
        blame: 'input',
      },
    );
  }
  const seen = new Set<string>();
  for (const { name } of scenarios) {
    if (seen.has(name.toLowerCase())) {
      throw new SquallError(
        `suite ${found.name}: two scenarios are called "${name}"; expected distinct names.`,
        {
          code: 'scenario-clash',
          blame: 'input',
        },
      );
    }
    seen.add(name.toLowerCase());
  }
}
