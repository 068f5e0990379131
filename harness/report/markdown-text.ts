import { plainText } from './plain-text.ts';

const CELL_LIMIT = 400;

/** Text that Markdown takes for nothing else, whatever a node has put into it. */
export function markdownText(raw: string): string {
  return plainText(raw, CELL_LIMIT)
    .replace(/[\\`*_{}[\]()#+|~!]/g, (character) => `\\${character}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;');
}

/** A code span holds no back quote, and a bar would end a table's cell. */
export function markdownCode(raw: string): string {
  return `\`${plainText(raw).replaceAll('`', "'")}\``;
}

/** Cells are Markdown already. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
