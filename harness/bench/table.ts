/** One line of the bench's table: ours against something measured in the same run, or against a stated limit. */
export interface Row {
  readonly what: string;
  readonly ours: number;
  /** The other side; absent where the row is held against a limit alone. */
  readonly other?: number;
  readonly unit: string;
  /** ours ÷ other, or ours itself where there is no other. */
  readonly figure: number;
  readonly figureUnit: string;
  /** The most (or, with `atLeast`, the least) that is wanted. */
  readonly limit: number;
  readonly atLeast?: boolean;
  /** The least that is wanted besides the most, where two shapes are to be alike. */
  readonly least?: number;
  /** Beside the figure of another program on another machine: said to be alike or unlike, and no promise of ours. */
  readonly compared?: true;
}

/** NaN where one of them is: a round that failed leaves no figure of the others either. */
export const median = (values: readonly number[]): number => {
  if (values.some(Number.isNaN)) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
};

/** A row of ours against the other side's, by their medians. */
export function ratioRow(
  what: string,
  ours: readonly number[],
  other: readonly number[],
  unit: string,
  limit: number,
): Row {
  const figure = median(ours) / median(other);
  return { what, ours: median(ours), other: median(other), unit, figure, figureUnit: '×', limit };
}

export const within = (row: Row): boolean =>
  row.atLeast
    ? row.figure >= row.limit
    : row.figure <= row.limit && row.figure >= (row.least ?? Number.NEGATIVE_INFINITY);

/** What became of a row, in a word. */
export function standing(row: Row): string {
  if (isMissing(row)) return 'missing';
  if (row.compared) return within(row) ? 'alike' : 'unlike';
  return within(row) ? 'within' : 'beyond';
}

/** What is wanted of a row, in words. */
export function wanted({ limit, least, atLeast, figureUnit }: Row): string {
  const range = least === undefined ? `${atLeast ? 'at least' : 'at most'} ${limit}` : `${least} to ${limit}`;
  return `${range} ${figureUnit}`.trim();
}

/** A figure that was to be measured and was not. */
export const isMissing = ({ figure }: Row): boolean => !Number.isFinite(figure);

/** What keeps a bench from passing, a sentence a row: figures that are missing, and those beyond what is wanted. */
export function benchProblems(rows: readonly Row[]): {
  readonly missing: string[];
  readonly beyond: string[];
} {
  const measured = rows.filter((row) => !isMissing(row));
  return {
    missing: rows
      .filter(isMissing)
      .map(({ what }) => `${what}: no figure; expected one. Look at what was said above, and measure again.`),
    beyond: measured
      .filter((row) => !within(row) && !row.compared)
      .map((row) => `${row.what}: ${withUnit(row.figure, row.figureUnit)}; expected ${wanted(row)}.`),
  };
}

const withUnit = (value: number, unit: string): string =>
  Number.isFinite(value) ? `${short(value)} ${unit}`.trim() : '–';

const short = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);

/** The rows as lines of a table, below its heading. */
export function tableLines(rows: readonly Row[]): string[] {
  const cells = rows.map((row) => [
    row.what,
    withUnit(row.ours, row.unit),
    row.other === undefined ? '–' : withUnit(row.other, row.unit),
    withUnit(row.figure, row.figureUnit),
    wanted(row),
    standing(row),
  ]);
  const table = [['measure', 'Squall', 'bare', 'figure', 'wanted', ''], ...cells];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((line) => line[column]!.length)));
  return table.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
