import type { Place, ProblemPath } from '../document/index.ts';
import type { ResolvedScenario } from './resolve-scenario.ts';
import { stepFaults } from './step-problems.ts';
import type { FaultStep } from './types.ts';

interface Source {
  readonly file: string;
  readonly locate: (path: ProblemPath) => Place | undefined;
}

/** Beside the scenarios, not in them: a scenario is data that is written into records. */
const sources = new WeakMap<ResolvedScenario, Source>();

export function rememberSource(scenario: ResolvedScenario, source: Source): void {
  sources.set(scenario, source);
}

/** File and place of what stands at a path of a scenario that was read from YAML; undefined for one from code or a copy. */
export function placeIn(
  scenario: ResolvedScenario,
  path: ProblemPath,
): { readonly file: string; readonly place: Place | undefined } | undefined {
  const source = sources.get(scenario);
  return source && { file: source.file, place: source.locate(path) };
}

/** `file:line:column` of what stands at a path; undefined for a scenario from code or a copy of one. */
export function placeTextIn(scenario: ResolvedScenario, path: ProblemPath): string | undefined {
  const source = placeIn(scenario, path);
  return source?.place && `${source.file}:${source.place.line}:${source.place.column}`;
}

/** Where a fault's step is written: the first whose fault has its kind and id, as far as these say no parameter's value. */
export function placeOfFault(scenario: ResolvedScenario, { kind, id }: FaultStep): string | undefined {
  for (const [phase, { steps }] of scenario.phases.entries()) {
    const step = steps.findIndex((one) =>
      stepFaults(one).some((fault) => fault.kind === kind && (fault.id === id || fault.id?.includes('${'))),
    );
    if (step >= 0) return placeTextIn(scenario, ['phases', phase, 'steps', step]);
  }
  return undefined;
}
