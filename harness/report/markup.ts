import { plainLines, plainText } from './plain-text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Text as text in HTML or XML, element or attribute, on one line. Legal in XML 1.0: no control character is left. */
export function asText(text: string, limit?: number): string {
  return escapeMarkup(plainText(text, limit).replace(NOT_XML, '�'));
}

/** The same for several lines. */
export function asLines(text: string): string {
  return escapeMarkup(plainLines(text).replace(NOT_XML, '�'));
}

// What plainText leaves and XML 1.0 still refuses: U+FFFE and U+FFFF.
const NOT_XML = /[\ufffe\uffff]/g;
