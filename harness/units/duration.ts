import { SquallError } from '../errors/index.ts';

const MS_BY_UNIT: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Milliseconds of a duration such as `40s`, `1.5h`, `250ms`, `1m30s`, or `0`.
 * A bare number other than 0 is refused: a reader could take it for either unit.
 * @throws SquallError `bad-duration` (input)
 */
export function parseDurationMs(text: string): number {
  const trimmed = text.trim();
  if (trimmed === '0') return 0;
  const parts = [...trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|min|s|m|h|d)/gy)];
  if (parts.length === 0 || parts.map((part) => part[0]).join('') !== trimmed) {
    throw new SquallError(`duration "${text}": not understood; expected a number with a unit`, {
      code: 'bad-duration',
      blame: 'input',
      hint: 'Write it as 250ms, 40s, 1m30s, 2h or 0.',
    });
  }
  return parts.reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (MS_BY_UNIT[unit ?? ''] ?? Number.NaN),
    0,
  );
}

/** A duration for people: `850 ms`, `12.3 s`, `4 min 05 s`, `2 h 10 min`. */
export function formatDurationMs(ms: number): string {
  if (!Number.isFinite(ms)) return '-';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(1))} s`;
  const totalSeconds = Math.round(ms / 1_000);
  if (totalSeconds < 3_600) {
    return `${Math.floor(totalSeconds / 60)} min ${String(totalSeconds % 60).padStart(2, '0')} s`;
  }
  const totalMinutes = Math.round(totalSeconds / 60);
  return `${Math.floor(totalMinutes / 60)} h ${String(totalMinutes % 60).padStart(2, '0')} min`;
}
