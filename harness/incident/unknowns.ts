import type { Problem, ProblemPath } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import type { SeededStream } from '../random/index.ts';
import type { ParameterValue } from '../record/index.ts';
import { type ParameterSpec, readParameter } from '../scenario/index.ts';
import type { UnknownSpec } from './incident-schema.ts';
import type { IncidentValues } from './types.ts';

/** An unknown as a scenario's parameter, its lowest value or first choice as the default. */
export function parameterOf(spec: UnknownSpec): ParameterSpec {
  const { type, description, choices } = spec;
  return { type, description, default: optionsOf(spec)?.[0] ?? spec.from ?? 0, ...(choices && { choices }) };
}

/** What a value is chosen from, where it is no range. */
function optionsOf({ type, choices }: UnknownSpec): readonly ParameterValue[] | undefined {
  if (type === 'boolean') return [false, true];
  return choices;
}

/** The two ends of a range, durations in ms. @throws SquallError `bad-parameter` (input) */
function rangeOf(name: string, spec: UnknownSpec): readonly [number, number] {
  const read = (end: ParameterValue | undefined): number =>
    Number(
      readParameter(name, { type: spec.type, description: '', default: 0 }, end === 0 ? 0 : String(end)),
    );
  return [read(spec.from), read(spec.to)];
}

/** What is wrong with the unknowns, by path. */
export function unknownProblems(unknown: Readonly<Record<string, UnknownSpec>>): Problem[] {
  const problems: Problem[] = [];
  for (const [name, spec] of Object.entries(unknown)) {
    const path: ProblemPath = ['unknown', name];
    const report = (message: string): void => void problems.push({ path, message });
    if (!/^[a-z][a-zA-Z0-9-]*$/.test(name)) report('expected a name of letters, digits and dashes');
    const ranged = spec.from !== undefined && spec.to !== undefined;
    if (spec.type === 'boolean') continue;
    if (spec.type === 'choice') {
      if (!spec.choices) report('a choice needs its "choices"');
      continue;
    }
    if (!ranged) {
      report('a range needs "from" and "to"');
      continue;
    }
    try {
      const [from, to] = rangeOf(name, spec);
      if (from > to) report(`"from" is above "to"; expected a range that rises`);
    } catch (error) {
      if (!(error instanceof SquallError)) throw error;
      report(error.message);
    }
  }
  return problems;
}

/** The lowest values and first choices: a way for a document to be tried before anything is drawn. */
export function lowestValues(unknown: Readonly<Record<string, UnknownSpec>>): IncidentValues {
  return Object.fromEntries(
    Object.entries(unknown).map(([name, spec]) => [name, optionsOf(spec)?.[0] ?? rangeOf(name, spec)[0]]),
  );
}

/**
 * Values for `attempts` attempts, so that few attempts still cover every range: each unknown is cut into as many strata
 * as there are attempts, each stratum is drawn from once, and the strata of different unknowns are paired by chance
 * (McKay, Beckman and Conover 1979). Choices take turns in the same way.
 */
export function drawValues(
  unknown: Readonly<Record<string, UnknownSpec>>,
  attempts: number,
  stream: SeededStream,
): IncidentValues[] {
  const columns = Object.entries(unknown).map(([name, spec]) => {
    const own = stream.derive(name);
    const strata = own.shuffle(Array.from({ length: attempts }, (_, index) => index));
    return [name, strata.map((stratum) => valueAt(name, spec, (stratum + own.next()) / attempts))] as const;
  });
  return Array.from({ length: attempts }, (_, attempt) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[attempt] as ParameterValue])),
  );
}

/** The value at a share of the way through the range, 0 to just under 1. */
function valueAt(name: string, spec: UnknownSpec, share: number): ParameterValue {
  const options = optionsOf(spec);
  if (options) return options[Math.floor(share * options.length)] as ParameterValue;
  const [from, to] = rangeOf(name, spec);
  if (spec.type === 'integer') return from + Math.floor(share * (to - from + 1));
  const value = from + share * (to - from);
  // To what a reader would write: 23.4 s, not 23417 ms.
  return spec.type === 'duration' ? Math.min(to, Math.max(from, Math.round(value / 100) * 100)) : value;
}
