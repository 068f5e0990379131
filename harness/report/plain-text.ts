/**
 * Makes text of unknown origin fit for one line of a terminal or a page: control characters (escape sequences, carriage
 * returns, bells) become visible symbols, and characters that turn the direction of text or take no room are named.
 */
export function plainText(text: string, limit = Number.POSITIVE_INFINITY): string {
  const shown = text.replace(/\p{Surrogate}/gu, '\ufffd').replace(UNFIT, nameCharacter);
  return shown.length <= limit ? shown : `${shown.slice(0, Math.max(0, limit - 1))}…`;
}

/** `plainText` for text of several lines: line ends stay. */
export function plainLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => plainText(line))
    .join('\n');
}

// C0 and C1 controls, delete; bidirectional marks, embeddings and isolates; zero-width characters; line and paragraph ends.
const UNFIT = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

function nameCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x09) return ' ';
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '␡';
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}
