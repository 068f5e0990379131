import { normalCdf } from './distributions.ts';
import { median } from './quantile.ts';

export interface RankTest {
  /** Mann–Whitney U of the second sample: pairs in which its value is the larger, ties half. */
  readonly u: number;
  /** Two-sided. */
  readonly pValue: number;
  readonly method: 'exact' | 'normal approximation';
  /** U / (n·m): the chance that a value of the second sample exceeds one of the first. */
  readonly superiority: number;
}

/** Pairs up to which the exact distribution is counted (without ties). */
const EXACT_PAIRS_LIMIT = 2_500;

/**
 * Mann–Whitney rank test of two independent samples (Mann and Whitney 1947), two-sided. Exact without ties while
 * n·m ≤ 2,500; else normal with tie and continuity correction. A sample that is empty gives p = 1.
 * Infinite values (censored) rank last, tied with one another.
 */
export function rankTest(first: readonly number[], second: readonly number[]): RankTest {
  const n = first.length;
  const m = second.length;
  if (n === 0 || m === 0) return { u: 0, pValue: 1, method: 'exact', superiority: Number.NaN };
  const { ranksOfSecond, tieTerm } = rank(first, second);
  const u = ranksOfSecond - (m * (m + 1)) / 2;
  const superiority = u / (n * m);
  if (tieTerm === 0 && n * m <= EXACT_PAIRS_LIMIT) {
    return { u, pValue: exactPValue(u, n, m), method: 'exact', superiority };
  }
  const spread = Math.sqrt(varianceOfU(n, m, tieTerm));
  const distance = Math.max(0, Math.abs(u - (n * m) / 2) - 0.5);
  const pValue = spread === 0 ? 1 : Math.min(1, 2 * (1 - normalCdf(distance / spread, 0, 1)));
  return { u, pValue, method: 'normal approximation', superiority };
}

/**
 * The rank test over strata (van Elteren 1960): each stratum's U against its expectation, weighted by 1 / (n + m + 1), so
 * that conditions differing in size or level do not blur the sides. One stratum is the plain test. Two-sided p.
 */
export function stratifiedRankTest(
  strata: readonly { readonly baseline: readonly number[]; readonly candidate: readonly number[] }[],
): number {
  const whole = strata.filter(({ baseline, candidate }) => baseline.length > 0 && candidate.length > 0);
  if (whole.length === 1) return rankTest(whole[0]?.baseline ?? [], whole[0]?.candidate ?? []).pValue;
  let distance = 0;
  let spread = 0;
  for (const { baseline, candidate } of whole) {
    const [n, m] = [baseline.length, candidate.length];
    const { ranksOfSecond, tieTerm } = rank(baseline, candidate);
    const weight = 1 / (n + m + 1);
    distance += weight * (ranksOfSecond - (m * (m + 1)) / 2 - (n * m) / 2);
    spread += weight ** 2 * varianceOfU(n, m, tieTerm);
  }
  return spread === 0 ? 1 : Math.min(1, 2 * (1 - normalCdf(Math.abs(distance) / Math.sqrt(spread), 0, 1)));
}

/** Hodges–Lehmann estimate of the shift: the median of all differences, second minus first. */
export function medianShift(first: readonly number[], second: readonly number[]): number {
  return median(second.flatMap((b) => first.map((a) => b - a)));
}

function varianceOfU(n: number, m: number, tieTerm: number): number {
  const total = n + m;
  return ((n * m) / 12) * (total + 1 - tieTerm / (total * (total - 1)));
}

function rank(
  first: readonly number[],
  second: readonly number[],
): { readonly ranksOfSecond: number; readonly tieTerm: number } {
  const all = [
    ...first.map((value) => ({ value, fromSecond: false })),
    ...second.map((value) => ({ value, fromSecond: true })),
  ].sort((a, b) => (a.value < b.value ? -1 : a.value > b.value ? 1 : 0));
  let ranksOfSecond = 0;
  let tieTerm = 0;
  for (let start = 0; start < all.length; ) {
    let end = start;
    while (end < all.length && all[end]?.value === all[start]?.value) end += 1;
    const ties = end - start;
    const sharedRank = (start + 1 + end) / 2;
    for (let index = start; index < end; index += 1) if (all[index]?.fromSecond) ranksOfSecond += sharedRank;
    tieTerm += ties ** 3 - ties;
    start = end;
  }
  return { ranksOfSecond, tieTerm };
}

/** Counts the arrangements with each U by the recurrence f(u; n, m) = f(u − m; n − 1, m) + f(u; n, m − 1), as shares. */
function exactPValue(u: number, n: number, m: number): number {
  // shares[j][u] after adding i of the first sample; each step mixes by the chance of which sample holds the largest.
  let previous: number[][] = Array.from({ length: m + 1 }, () => [1]);
  for (let i = 1; i <= n; i += 1) {
    const current: number[][] = [[1]];
    for (let j = 1; j <= m; j += 1) {
      const size = i * j + 1;
      const shares = new Array<number>(size).fill(0);
      const withFirst = previous[j] as number[];
      const withSecond = current[j - 1] as number[];
      for (let k = 0; k < size; k += 1) {
        // Largest from the first sample: adds nothing to U of the second. From the second: beats all i of the first.
        shares[k] =
          ((withFirst[k] ?? 0) * i) / (i + j) + ((k >= i ? (withSecond[k - i] ?? 0) : 0) * j) / (i + j);
      }
      current.push(shares);
    }
    previous = current;
  }
  const distribution = previous[m] as number[];
  const extreme = Math.min(u, n * m - u);
  let tail = 0;
  for (let k = 0; k <= extreme; k += 1) tail += distribution[k] ?? 0;
  return Math.min(1, 2 * tail);
}
