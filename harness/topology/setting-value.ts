import { SquallError } from '../errors/index.ts';
import { parseBytes, parseDurationMs, parseRatio } from '../units/index.ts';
import type { SettingDescription } from './image-description.ts';
import { hasPlaceholder } from './placeholders.ts';
import type { Scalar } from './schema.ts';

/**
 * The text that carries a setting in the environment, in the setting's own unit.
 * A number is taken in that unit only when the setting's name says it (`probeIntervalMs: 500`) or the caller is code
 * (`bare: 'allowed'`); in a file a duration is otherwise written with its unit (`probeInterval: 500ms`).
 * @throws SquallError (input) with a sentence without subject
 */
export function settingText(
  setting: SettingDescription,
  value: Scalar,
  bare: 'refused' | 'allowed' = 'refused',
): string {
  if (typeof value === 'string' && hasPlaceholder(value)) return value;
  switch (setting.type) {
    case 'boolean':
      return String(booleanOf(value));
    case 'choice':
      return choiceOf(setting, String(value));
    case 'list':
    case 'text':
    case 'string':
      return String(value);
    default:
      return String(inBounds(setting, numberOf(setting, value, bare)));
  }
}

function booleanOf(value: Scalar): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  return refuse(value, 'true or false');
}

function choiceOf(setting: SettingDescription, value: string): string {
  const choices = setting.choices ?? [];
  return choices.length === 0 || choices.includes(value)
    ? value
    : refuse(value, `one of ${choices.join(', ')}`);
}

function numberOf(setting: SettingDescription, value: Scalar, bare: 'refused' | 'allowed'): number {
  if (typeof value === 'boolean') return refuse(value, `a number (${setting.type})`);
  const parse = PARSE_BY_UNIT[setting.unit ?? ''] ?? PARSE_BY_TYPE[setting.type];
  const text = String(value).trim();
  const plain = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text);
  const unitInName =
    setting.unit !== undefined && setting.name.toLowerCase().endsWith(setting.unit.toLowerCase());
  if (
    plain &&
    (parse === undefined || bare === 'allowed' || unitInName || (setting.unit ?? '') === 'ratio')
  ) {
    return wholeWhenAsked(setting, Number(text));
  }
  if (parse === undefined) return refuse(value, `a number (${setting.type})`);
  return wholeWhenAsked(setting, parse(text));
}

const PARSE_BY_UNIT: Readonly<Record<string, (text: string) => number>> = {
  ms: parseDurationMs,
  s: (text) => parseDurationMs(text) / 1_000,
  bytes: parseBytes,
  ratio: parseRatio,
};

const PARSE_BY_TYPE: Readonly<Record<string, (text: string) => number>> = {
  duration: parseDurationMs,
  bytes: parseBytes,
  size: parseBytes,
  ratio: parseRatio,
};

function wholeWhenAsked(setting: SettingDescription, value: number): number {
  const whole = ['integer', 'int', 'port', 'bytes', 'size'].includes(setting.type);
  return whole && !Number.isInteger(value) ? refuse(value, 'a whole number') : value;
}

function inBounds(setting: SettingDescription, value: number): number {
  const minimum = setting.minimum ?? (setting.type === 'port' ? 1 : Number.NEGATIVE_INFINITY);
  const maximum = setting.maximum ?? (setting.type === 'port' ? 65_535 : Number.POSITIVE_INFINITY);
  if (value < minimum) return refuse(value, `at least ${minimum}`);
  if (value > maximum) return refuse(value, `at most ${maximum}`);
  return value;
}

function refuse(value: Scalar, expected: string): never {
  throw new SquallError(`${JSON.stringify(value)} found; expected ${expected}`, {
    code: 'bad-setting',
    blame: 'input',
  });
}
