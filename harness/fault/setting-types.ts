import { z } from 'zod';
import { describeError } from '../errors/index.ts';
import { parseBytes, parseDurationMs, parseRatio } from '../units/index.ts';

/** How a warp of w changes a setting: durations are divided by it, rates multiplied. */
export type WarpRule = 'divide' | 'multiply' | 'none';

/** One setting of a fault: its schema (text or number in, number out), its unit and what it means. */
export interface Setting {
  readonly schema: z.ZodType;
  readonly unit: string;
  readonly default?: string | number | boolean;
  readonly description: string;
  readonly warp: WarpRule;
}

function parsed(parse: (text: string) => number, expected: string): z.ZodType<number> {
  return z.union([z.number(), z.string()]).transform((value, context) => {
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    try {
      return parse(String(value));
    } catch (error) {
      context.addIssue({ code: 'custom', message: `${describeError(error)} Expected ${expected}.` });
      return z.NEVER;
    }
  });
}

interface Options {
  readonly default?: number;
  readonly min?: number;
  readonly max?: number;
}

function bounded(schema: z.ZodType<number>, { min = 0, max = Number.MAX_SAFE_INTEGER }: Options) {
  return schema.pipe(z.number().min(min).max(max));
}

function withDefault(setting: Omit<Setting, 'default'>, value: Options['default']): Setting {
  return value === undefined ? setting : { ...setting, default: value };
}

/** Milliseconds; text such as `250ms` or `2s` is accepted. */
export function durationMs(description: string, options: Options = {}): Setting {
  const schema = bounded(parsed(parseDurationMs, 'a duration such as 250ms'), options);
  return withDefault({ schema, unit: 'ms', description, warp: 'divide' }, options.default);
}

/** 0..1; text such as `30%` is accepted. */
export function ratio(description: string, options: Options = {}): Setting {
  const schema = bounded(parsed(parseRatio, 'a share such as 30%'), { max: 1, ...options });
  return withDefault({ schema, unit: 'ratio 0..1', description, warp: 'none' }, options.default);
}

/** Bytes; text such as `64KiB` is accepted. */
export function sizeBytes(description: string, options: Options = {}): Setting {
  const schema = bounded(parsed(parseBytes, 'a size such as 64KiB'), options);
  return withDefault({ schema, unit: 'bytes', description, warp: 'none' }, options.default);
}

/** Bytes a second; text such as `64KiB` is accepted. */
export function bytesPerSecond(description: string, options: Options = {}): Setting {
  const schema = bounded(parsed(parseBytes, 'bytes a second such as 64KiB'), { min: 1, ...options });
  return withDefault({ schema, unit: 'bytes/s', description, warp: 'multiply' }, options.default);
}

export function count(
  unit: string,
  description: string,
  options: Options & { warp?: WarpRule } = {},
): Setting {
  const number = parsed(Number, `a number of ${unit}`).pipe(z.number().int());
  return withDefault(
    { schema: bounded(number, options), unit, description, warp: options.warp ?? 'none' },
    options.default,
  );
}

export function decimal(unit: string, description: string, options: Options = {}): Setting {
  const schema = bounded(parsed(Number, `a number of ${unit}`), options);
  return withDefault({ schema, unit, description, warp: 'none' }, options.default);
}

export function choice<T extends string>(
  description: string,
  choices: readonly [T, ...T[]],
  initial?: T,
): Setting {
  const setting = {
    schema: z.enum(choices),
    unit: choices.join(' | '),
    description,
    warp: 'none' as const,
  };
  return initial === undefined ? setting : { ...setting, default: initial };
}

export function flag(description: string, initial: boolean): Setting {
  const schema = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);
  return { schema, unit: 'true | false', description, default: initial, warp: 'none' };
}

export function text(description: string, initial?: string): Setting {
  const setting = { schema: z.string(), unit: 'text', description, warp: 'none' as const };
  return initial === undefined ? setting : { ...setting, default: initial };
}
