/** A row of a table: what it is called, in its first cell, and what stands in the column that was asked for. */
export interface DocumentCell {
  readonly row: string;
  readonly cell: string;
}

/** A README's rows with something below the heading `document` or `documents`; empty cells and dashes are left out. */
export function documentCells(markdown: string): DocumentCell[] {
  return columnOf(markdown, (heading) => /^documents?$/.test(heading)).filter(({ cell }) =>
    /[^\s:–-]/.test(cell),
  );
}

/** Rows of a run's summary with what it printed below the heading `published`; the line under the headings is left out. */
export function publishedCells(markdown: string): DocumentCell[] {
  return columnOf(markdown, (heading) => heading === 'published').filter(
    ({ cell }) => !/^[\s:-]+$/.test(cell),
  );
}

function columnOf(markdown: string, isWanted: (heading: string) => boolean): DocumentCell[] {
  const cells: DocumentCell[] = [];
  let column: number | undefined;
  for (const line of markdown.split('\n')) {
    if (!line.startsWith('|')) {
      column = undefined;
      continue;
    }
    const row = line.split('|').slice(1, -1);
    if (column === undefined) {
      column = row.findIndex((cell) => isWanted(cell.trim()));
      continue;
    }
    if (column >= 0) cells.push({ row: row[0]?.trim() ?? '', cell: row[column]?.trim() ?? '' });
  }
  return cells;
}

/** Numbers in a text, without thousands separators. */
export const numbersIn = (text: string): string[] =>
  text.replace(/(\d),(?=\d{3})/g, '$1').match(/\d+(\.\d+)*/g) ?? [];
