import { SquallError } from '../errors/index.ts';
import type { Point } from '../record/index.ts';
import { formatParameter } from './parameter.ts';
import type { ParameterSpec } from './types.ts';

const PLACEHOLDER = /\$\{([^}]*)\}/g;

/**
 * Replaces `${parameter}` in every text of a value, as deep as it goes. A text that is nothing but one placeholder
 * becomes the parameter's value itself (a number stays a number), except for durations, which become texts (`40s`).
 * @throws SquallError `unknown-placeholder` (input)
 */
export function fillTemplate<T>(
  value: T,
  parameters: Readonly<Record<string, ParameterSpec>>,
  point: Point,
): T {
  return fill(value, parameters, point) as T;
}

function fill(value: unknown, parameters: Readonly<Record<string, ParameterSpec>>, point: Point): unknown {
  if (typeof value === 'string') return fillText(value, parameters, point);
  if (Array.isArray(value)) return value.map((item) => fill(item, parameters, point));
  if (value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, fill(inner, parameters, point)]),
    );
  }
  return value;
}

function fillText(text: string, parameters: Readonly<Record<string, ParameterSpec>>, point: Point): unknown {
  const lookUp = (name: string) => {
    const value = point[name];
    if (value === undefined || !(name in parameters)) {
      throw new SquallError(
        `"${text}": \${${name}} is no parameter; expected one of ${Object.keys(parameters).join(', ') || 'none'}.`,
        { code: 'unknown-placeholder', blame: 'input' },
      );
    }
    return value;
  };
  const whole = /^\$\{([^}]*)\}$/.exec(text)?.[1];
  if (whole !== undefined && parameters[whole]?.type !== 'duration') return lookUp(whole);
  return text.replaceAll(PLACEHOLDER, (_, name: string) => formatParameter(parameters[name], lookUp(name)));
}

/** Names of the placeholders in every text of a value. */
export function placeholdersIn(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(PLACEHOLDER)].map((match) => match[1] ?? '');
  if (Array.isArray(value)) return value.flatMap(placeholdersIn);
  if (value !== null && typeof value === 'object') return Object.values(value).flatMap(placeholdersIn);
  return [];
}
