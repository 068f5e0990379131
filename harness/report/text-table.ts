/** A table in plain text: columns as wide as their widest cell, numbers to the right. */
export function textTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  options: { readonly rightFrom?: number } = {},
): string {
  const rightFrom = options.rightFrom ?? header.length;
  const widths = header.map((title, column) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[column] ?? ''))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => {
        const room = ' '.repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(cell)));
        return column >= rightFrom ? room + cell : cell + room;
      })
      .join('  ')
      .trimEnd();
  return [line(header), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Columns that text takes: combining marks none, wide East Asian and emoji characters two. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{Mark}/u.test(character)) continue;
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
        character,
      )
        ? 2
        : 1;
  }
  return width;
}
