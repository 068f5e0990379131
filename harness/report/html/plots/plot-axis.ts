import type { PlannedScenario, Point } from '../../../record/index.ts';
import { parseDurationMs } from '../../../units/index.ts';

/** A parameter as a numeric axis: durations in seconds, shares in percent, other numbers as they are. */
export interface PlotAxis {
  readonly label: string;
  valueOf(point: Point): number | undefined;
  format(value: number): string;
  /** Of the values that occur, as many as there is room for. */
  ticks(values: readonly number[], room: number): number[];
}

export function axisOf(parameter: string, scenario: PlannedScenario): PlotAxis {
  const type = scenario.parameters?.find((one) => one.name === parameter)?.type;
  const unit = type === 'duration' ? ' (s)' : type === 'ratio' ? ' (%)' : '';
  return {
    label: `${parameter}${unit}`,
    valueOf(point) {
      const value = point[parameter];
      if (typeof value === 'number')
        return type === 'duration' ? value / 1_000 : type === 'ratio' ? value * 100 : value;
      return typeof value === 'string' ? secondsOf(value) : undefined;
    },
    format: (value) => String(Number(value.toPrecision(6))),
    ticks(values, room) {
      const all = [...new Set(values)].sort((a, b) => a - b);
      const span = (all.at(-1) ?? 0) - (all[0] ?? 0);
      // Values that lie too close together to be written side by side lose their tick, from the left.
      const gap = span / Math.max(1, room);
      const kept: number[] = [];
      for (const value of all.reverse()) {
        const right = kept.at(-1);
        if (right === undefined || right - value >= gap) kept.push(value);
      }
      return kept.reverse();
    },
  };
}

function secondsOf(text: string): number | undefined {
  if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  return /^\d+(\.\d+)?(ms|s|m|min|h|d)$/.test(text) ? parseDurationMs(text) / 1_000 : undefined;
}
