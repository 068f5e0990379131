import { excludedRate } from '../stats/index.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Part } from './part.ts';

/** What one part came to. */
export interface Figures {
  readonly part: string;
  readonly title: string;
  /** Attempts that meet what they are meant for. */
  readonly wanted: number;
  readonly done: number;
  /** Attempts whose torment met what it was meant for. */
  readonly met: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
  /** Longest time until nothing was left, ms. */
  readonly slowestGoneMs?: number;
  readonly seconds: number;
  /** The rate of attempts that go wrong which these exclude, one-sided 95 %; absent when one went wrong. */
  readonly excludedRatio?: number;
  readonly whyNot?: string;
}

export function figuresOf(part: Part, wanted: number, entries: readonly LedgerEntry[]): Figures {
  const own = entries.filter((entry) => entry.part === part.name);
  const outcomes: Record<string, number> = {};
  for (const { outcome } of own) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  const problems = own.flatMap((entry) =>
    entry.problems.map((problem) => `${part.name} ${entry.number}: ${problem}`),
  );
  const gone = own.flatMap(({ facts }) => (typeof facts['goneMs'] === 'number' ? [facts['goneMs']] : []));
  const met = own.filter((entry) => entry.met).length;
  const whyNot = part.whyNot?.();
  return {
    part: part.name,
    title: part.title,
    wanted,
    done: own.length,
    met,
    outcomes,
    problems,
    ...(gone.length > 0 && { slowestGoneMs: Math.max(...gone) }),
    seconds: Math.round(own.reduce((sum, { tookMs }) => sum + tookMs, 0) / 1_000),
    ...(met > 0 && problems.length === 0 && { excludedRatio: excludedRate(0, met) }),
    ...(whyNot !== undefined && { whyNot }),
  };
}

/** Nothing went wrong, and as many as were wanted met what they were meant for. What could not be done is not passed. */
export function isPassed({ wanted, met, problems }: Figures): boolean {
  return problems.length === 0 && met >= wanted;
}

export function renderFigures(figures: readonly Figures[]): string {
  const rows = figures.map((one) => [
    isPassed(one) ? '✓' : '✗',
    one.part,
    `${one.done}`,
    `${one.met}/${one.wanted}`,
    Object.entries(one.outcomes)
      .map(([outcome, count]) => `${count} ${outcome}`)
      .join(', ') ||
      (one.whyNot ?? 'not done'),
    one.slowestGoneMs === undefined ? '–' : `${(one.slowestGoneMs / 1_000).toFixed(1)} s`,
    one.excludedRatio === undefined ? '–' : `< ${(one.excludedRatio * 100).toFixed(1)} %`,
    `${one.problems.length}`,
  ]);
  const table = [['', 'torment', 'done', 'met', 'came to', 'gone after', 'excludes', 'wrong'], ...rows];
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((line) => line[column]?.length ?? 0)),
  );
  const lines = table.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const problems = figures.flatMap((one) => one.problems);
  return `${[...lines, ...problems.map((problem) => `  ${problem}`)].join('\n')}\n`;
}
