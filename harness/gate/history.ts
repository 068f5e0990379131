import { z } from 'zod';
import type { RunRecord } from '../record/index.ts';
import type { CheckLine } from './check-lines.ts';

/** How each check of one run ended: pass, fail, or nothing to learn from (inconclusive, waived). */
export type CheckOutcomes = ReadonlyMap<string, 'pass' | 'fail' | 'open'>;

export interface HistoryRun {
  readonly runId: string;
  readonly at: string;
  /** Full hash; absent where files differed from the commit, or there is no repository. */
  readonly commit?: string;
  readonly outcomes: CheckOutcomes;
}

/** Runs kept, the newest last. */
const RUNS_LIMIT = 200;
const LETTERS = { pass: 'p', fail: 'f', open: 'o' } as const;

const FILE = z.looseObject({
  version: z.literal(1),
  checks: z.array(z.string()),
  runs: z.array(
    z.looseObject({
      runId: z.string(),
      at: z.string(),
      commit: z.exactOptional(z.string()),
      /** A letter a check, in their order; `-` where the run did not judge it. */
      outcomes: z.string().regex(/^[pfo-]*$/),
    }),
  ),
});

/**
 * The outcomes of a run: a check at a point is told apart by its scenario, its title and the point's own values, a
 * comparison or a mutant by its line.
 */
export function outcomesOf(run: RunRecord, lines: readonly CheckLine[]): CheckOutcomes {
  const atPoints = run.points.flatMap((point) =>
    point.checks.map(
      (check) => [checkKey(point.suite, point.scenario, check.title, point.point), outcomeOf(check)] as const,
    ),
  );
  const ofRun = lines.filter(isOfRun).map((line) => [lineKey(line), outcomeOf(line)] as const);
  return new Map([...atPoints, ...ofRun]);
}

function outcomeOf({
  verdict,
  waived,
}: Pick<CheckLine, 'verdict'> & { readonly waived?: unknown }): 'pass' | 'fail' | 'open' {
  return waived || verdict === 'inconclusive' ? 'open' : verdict;
}

/** What is judged once a run, and not at each point. */
export function isOfRun({ kind }: CheckLine): boolean {
  return kind === 'comparison' || kind === 'mutant';
}

export function lineKey({ suite, scenario, check }: CheckLine): string {
  return checkKey(suite, scenario, check, {});
}

export function checkKey(
  suite: string,
  scenario: string,
  title: string,
  point: Readonly<Record<string, unknown>>,
): string {
  const values = Object.entries(point).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${suite}/${scenario}: ${title} [${values.map(([name, value]) => `${name}=${value}`).join(',')}]`;
}

/** Reads a history; a text that is none has no runs, since it only remembers. */
export function parseHistory(text: string | undefined): HistoryRun[] {
  if (text === undefined) return [];
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
  const parsed = FILE.safeParse(raw);
  if (!parsed.success) return [];
  const { checks, runs } = parsed.data;
  return runs.map(({ runId, at, commit, outcomes }) => ({
    runId,
    at,
    ...(commit !== undefined && { commit }),
    outcomes: new Map(
      [...outcomes].flatMap((letter, index) => {
        const outcome = (['pass', 'fail', 'open'] as const).find((one) => LETTERS[one] === letter);
        const check = checks[index];
        return outcome && check !== undefined ? [[check, outcome]] : [];
      }),
    ),
  }));
}

/** The file's text: each check's name once, a letter a check and run. */
export function formatHistory(runs: readonly HistoryRun[]): string {
  const kept = runs.slice(-RUNS_LIMIT);
  const checks = [...new Set(kept.flatMap((run) => [...run.outcomes.keys()]))];
  const lines = kept.map(({ outcomes, ...run }) => {
    const letters = checks.map((check) => {
      const outcome = outcomes.get(check);
      return outcome === undefined ? '-' : LETTERS[outcome];
    });
    return JSON.stringify({ ...run, outcomes: letters.join('') });
  });
  const names = checks.map((check) => JSON.stringify(check));
  return `{"version":1,"checks":[\n${names.join(',\n')}\n],"runs":[\n${lines.join(',\n')}\n]}\n`;
}
