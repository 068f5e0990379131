import type { HostMeasure, HostRecord } from '../record/index.ts';

/**
 * Whether the host let a trial be. One measure over its threshold spoils it; a measure that could not be taken leaves
 * the verdict unknown unless another has spoiled it already.
 * @param failures sentences about what could not be measured
 */
export function judgeHost(measures: readonly HostMeasure[], failures: readonly string[]): HostRecord {
  const over = measures.filter((measure) => measure.exceeded);
  const reasons = [
    ...over.map(({ name, value, threshold, unit }) => {
      const shown = `${Number(value.toPrecision(3))}${unit === '' ? '' : ` ${unit}`}`;
      return `${name}: ${shown}; expected at most ${threshold}`;
    }),
    ...failures,
  ];
  if (over.length > 0) return { verdict: 'spoiled', measures, reasons };
  if (failures.length > 0 || measures.length === 0) {
    return { verdict: 'unknown', measures, reasons: reasons.length > 0 ? reasons : ['nothing was measured'] };
  }
  return { verdict: 'quiet', measures, reasons };
}
