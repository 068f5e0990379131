/** Cells of a README's tables that stand below the heading `document` or `documents`; empty ones and dashes are left out. */
export function documentCells(markdown: string): string[] {
  const cells: string[] = [];
  let column: number | undefined;
  for (const line of markdown.split('\n')) {
    if (!line.startsWith('|')) {
      column = undefined;
      continue;
    }
    const row = line.split('|').slice(1, -1);
    if (column === undefined) {
      column = row.findIndex((cell) => /^documents?$/.test(cell.trim()));
      continue;
    }
    const cell = row[column]?.trim() ?? '';
    if (/[^\s:–-]/.test(cell)) cells.push(cell);
  }
  return cells;
}

/** Numbers in a text, without thousands separators. */
export const numbersIn = (text: string): string[] =>
  text.replace(/(\d),(?=\d{3})/g, '$1').match(/\d+(\.\d+)*/g) ?? [];
