import { EXIT, type ExitCode } from '../errors/index.ts';
import type { RunRecord, Verdict } from '../record/index.ts';
import { clopperPearson } from '../stats/index.ts';
import type { CheckLine } from './check-lines.ts';
import { type CheckOutcomes, checkKey, isOfRun, lineKey } from './history.ts';

/** How often a check passed in several runs of one thing. */
export interface Stability {
  readonly passed: number;
  readonly runs: number;
  /** Of the pass rate, two-sided 95 %, exact. */
  readonly low: number;
  readonly high: number;
}

const ORDER: readonly Verdict[] = ['fail', 'inconclusive', 'pass'];

/** The pass rate of each check over runs in which it passed or failed. */
export function stabilityOf(runs: readonly CheckOutcomes[]): ReadonlyMap<string, Stability> {
  const keys = new Set(runs.flatMap((run) => [...run.keys()]));
  return new Map(
    [...keys].flatMap((key) => {
      const known = runs.map((run) => run.get(key)).filter((one) => one === 'pass' || one === 'fail');
      if (known.length === 0) return [];
      const passed = known.filter((one) => one === 'pass').length;
      const { low, high } = clopperPearson(passed, known.length);
      return [[key, { passed, runs: known.length, low, high }]];
    }),
  );
}

export function isUnstable({ passed, runs }: Stability): boolean {
  return passed > 0 && passed < runs;
}

/**
 * The lines of several runs as one list: each check by the run in which it ended worst.
 */
export function mergeLines(runs: readonly (readonly CheckLine[])[]): CheckLine[] {
  const merged = new Map<string, CheckLine>();
  for (const line of runs.flat()) {
    const key = `${line.suite}/${line.scenario}: ${line.check}`;
    const known = merged.get(key);
    if (!known || ORDER.indexOf(line.verdict) < ORDER.indexOf(known.verdict)) merged.set(key, line);
  }
  return [...merged.values()];
}

/**
 * Lines with what other runs of the same commit say. A check's points are those of all runs: the last of a soak may have been cancelled
 * before it judged any. A check that passed and failed there is unstable, and passing now makes
 * it no pass: an invariant is broken by the one failure; of an estimate, a comparison, a mutant, and a check that must fail, it
 * is open.
 */
export function withStability(
  lines: readonly CheckLine[],
  runs: readonly Pick<RunRecord, 'points'>[],
  stability: ReadonlyMap<string, Stability>,
  showAll: boolean,
): CheckLine[] {
  return lines.map((line) => {
    if (isOfRun(line)) return withOwnStability(line, stability.get(lineKey(line)), showAll);
    const own = runs
      .flatMap(({ points }) => points)
      .filter((point) => point.suite === line.suite && point.scenario === line.scenario)
      .flatMap((point) =>
        point.checks
          .filter((check) => check.title === line.check)
          .map((check) => ({
            check,
            pointId: point.pointId,
            seen: stability.get(checkKey(point.suite, point.scenario, check.title, point.point)),
          })),
      )
      .flatMap(({ seen, ...rest }) => (seen ? [{ ...rest, seen }] : []))
      .sort((a, b) => a.seen.passed / a.seen.runs - b.seen.passed / b.seen.runs);
    const flipped = own.find(({ seen }) => isUnstable(seen));
    const [worst] = own;
    if (!flipped) return showAll && worst ? { ...line, stability: worst.seen } : line;
    const broken = flipped.check.kind === 'invariant' && flipped.check.expected === undefined;
    const verdict: Verdict = broken ? 'fail' : 'inconclusive';
    return {
      ...line,
      verdict: ORDER.indexOf(verdict) < ORDER.indexOf(line.verdict) ? verdict : line.verdict,
      pointId: flipped.pointId,
      stability: flipped.seen,
      unstable: true,
    };
  });
}

function withOwnStability(line: CheckLine, seen: Stability | undefined, showAll: boolean): CheckLine {
  if (!seen) return line;
  if (!isUnstable(seen)) return showAll ? { ...line, stability: seen } : line;
  const verdict: Verdict = line.verdict === 'fail' ? 'fail' : 'inconclusive';
  return { ...line, verdict, stability: seen, unstable: true };
}

/** What unstable checks make of an exit code; nothing that they say is weaker than what is there. */
export function exitOfUnstable(lines: readonly CheckLine[]): ExitCode {
  const unstable = lines.filter((line) => line.unstable);
  if (unstable.some((line) => line.verdict === 'fail')) return EXIT.fail;
  return unstable.length > 0 ? EXIT.inconclusive : EXIT.pass;
}
