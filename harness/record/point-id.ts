import { createHash } from 'node:crypto';
import { formatDurationMs } from '../units/index.ts';
import type { ParameterShape, ParameterValue, Point } from './types.ts';

const NAME_LIMIT_BYTES = 120;

/**
 * Directory-safe name of a point: `cutoff=8,outage=40s,variant=shipped`, parameters in the order given.
 * What a file system would not take, or too long a name, is replaced and told apart by a hash of the whole point.
 */
export function pointIdOf(point: Point, parameters: readonly ParameterShape[] = []): string {
  const entries = Object.entries(point);
  if (entries.length === 0) return 'default';
  const plain = entries
    .map(
      ([name, value]) =>
        `${name}=${shortText(
          value,
          parameters.find((one) => one.name === name),
        )}`,
    )
    .join(',');
  const safe = plain.replace(/[^A-Za-z0-9=,._%+-]/g, '_').replace(/^\.+/, '_');
  if (safe === plain && safe.length <= NAME_LIMIT_BYTES) return safe;
  const hash = createHash('sha256').update(JSON.stringify(entries)).digest('hex').slice(0, 10);
  return `${safe.slice(0, NAME_LIMIT_BYTES - 11)}~${hash}`;
}

/** A parameter's value for people: `40 s`, `30 %`, `shipped`. */
export function formatParameter(value: ParameterValue, shape?: ParameterShape): string {
  if (typeof value === 'number' && shape?.type === 'duration')
    return value === 0 ? '0 s' : formatDurationMs(value);
  if (typeof value === 'number' && shape?.type === 'ratio')
    return `${Number((value * 100).toPrecision(6))} %`;
  return String(value);
}

function shortText(value: ParameterValue, shape: ParameterShape | undefined): string {
  if (typeof value === 'number' && shape?.type === 'duration') {
    return value % 1000 === 0 ? `${value / 1000}s` : `${value}ms`;
  }
  return String(value);
}
