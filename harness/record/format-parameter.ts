import { formatDurationMs } from '../units/index.ts';
import type { ParameterShape, ParameterValue } from './types.ts';

/** A parameter's value for people: `40 s`, `30 %`, `shipped`. Without its shape, as it is stored. */
export function formatParameter(value: ParameterValue, shape?: ParameterShape): string {
  if (typeof value === 'number' && shape?.type === 'duration') return durationText(value);
  if (typeof value === 'number' && shape?.type === 'ratio')
    return `${Number((value * 100).toPrecision(6))} %`;
  return String(value);
}

/** An axis of outages reads better as 65 s and 130 s than as minutes with seconds. */
function durationText(ms: number): string {
  return ms % 1_000 === 0 && ms < 600_000 ? `${ms / 1_000} s` : formatDurationMs(ms);
}
