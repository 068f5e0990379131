import { SquallError } from '../errors/index.ts';
import type { ParameterValue, Point } from '../record/index.ts';
import { parseDurationMs, parseRatio } from '../units/index.ts';
import type { ParameterSpec } from './types.ts';

/**
 * The value of a parameter as points hold it: durations in ms, ratios 0..1, everything else as itself.
 * Texts are read by the parameter's type. A number given for a duration is ms, as in points; where people write values
 * by hand (the command line, YAML) it arrives as a text, or is refused before.
 * @throws SquallError `bad-parameter` (input)
 */
export function readParameter(name: string, spec: ParameterSpec, raw: ParameterValue): ParameterValue {
  const value = convert(name, spec, raw);
  if (spec.choices && !spec.choices.includes(String(value))) {
    throw bad(name, raw, `one of ${spec.choices.join(', ')}`);
  }
  if (typeof value === 'number') {
    if (spec.minimum !== undefined && value < spec.minimum) {
      throw bad(name, raw, `at least ${formatParameter(spec, spec.minimum)}`);
    }
    if (spec.maximum !== undefined && value > spec.maximum) {
      throw bad(name, raw, `at most ${formatParameter(spec, spec.maximum)}`);
    }
  }
  return value;
}

function convert(name: string, spec: ParameterSpec, raw: ParameterValue): ParameterValue {
  switch (spec.type) {
    case 'duration':
      if (typeof raw === 'number' && raw >= 0) return raw;
      if (typeof raw !== 'string') throw bad(name, raw, 'a duration such as 40s or 1m30s');
      return parsed(name, raw, parseDurationMs, 'a duration such as 40s or 1m30s');
    case 'ratio':
      return parsed(name, String(raw), parseRatio, 'a share such as 30% or 0.3');
    case 'integer':
    case 'number': {
      const value = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
      if (typeof value !== 'number' || !Number.isFinite(value)) throw bad(name, raw, 'a number');
      if (spec.type === 'integer' && !Number.isInteger(value)) throw bad(name, raw, 'a whole number');
      return value;
    }
    case 'boolean':
      if (raw === true || raw === 'true') return true;
      if (raw === false || raw === 'false') return false;
      throw bad(name, raw, 'true or false');
    case 'choice':
    case 'text':
      return String(raw);
  }
}

function parsed(name: string, raw: string, parse: (text: string) => number, expected: string): number {
  try {
    return parse(raw);
  } catch (error) {
    if (error instanceof SquallError) throw bad(name, raw, expected);
    throw error;
  }
}

function bad(name: string, raw: ParameterValue, expected: string): SquallError {
  return new SquallError(`parameter ${name}: ${JSON.stringify(raw)} does not fit; expected ${expected}.`, {
    code: 'bad-parameter',
    blame: 'input',
    facts: { parameter: name, value: raw },
  });
}

/** A value as it is written on the command line and in point ids: `40s`, `8`, `0.3`, `shipped`. */
export function formatParameter(spec: ParameterSpec | undefined, value: ParameterValue): string {
  if (spec?.type !== 'duration' || typeof value !== 'number') return String(value);
  return value % 1000 === 0 ? `${value / 1000}s` : `${value}ms`;
}

/** Every parameter at its default, in the order of their declaration. */
export function defaultPoint(parameters: Readonly<Record<string, ParameterSpec>>): Point {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, spec]) => [name, readParameter(name, spec, spec.default)]),
  );
}
