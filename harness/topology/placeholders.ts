/**
 * Placeholders in settings, environment and commands, replaced once the bed's addresses are known:
 *   {name} {role} {index} {address} {fleet}                      of the node itself
 *   {address:SELECTOR}                                           of one other node; the selector must give exactly one
 *   {addresses:SELECTOR} {names:SELECTOR} {peers:SELECTOR}       comma lists; a peer is name@address
 *   {count:SELECTOR}                                             how many
 * `{{name}}` stays `{name}`, `${name}` stays as it is, and braces around anything else (JSON) are left alone.
 */

const PATTERN = /(\$?\{?)\{([a-z]+)(?::([^{}]*))?\}(\}?)/g;

export const OWN_WORDS: readonly string[] = ['name', 'role', 'index', 'address', 'fleet'];
export const SELECTOR_WORDS: readonly string[] = ['address', 'addresses', 'names', 'peers', 'count'];

export interface Placeholder {
  readonly text: string;
  readonly word: string;
  readonly selector?: string;
}

/** Replaces every placeholder by what `resolve` says. */
export function replacePlaceholders(text: string, resolve: (placeholder: Placeholder) => string): string {
  return text.replace(
    PATTERN,
    (whole, before: string, word: string, selector: string | undefined, after: string) => {
      if (before === '$') return whole;
      const inner = selector === undefined ? `{${word}}` : `{${word}:${selector}}`;
      if (before.endsWith('{') && after === '}') return `${before.slice(0, -1)}${inner}`;
      const value = resolve({ text: inner, word, ...(selector === undefined ? {} : { selector }) });
      return `${before}${value}${after}`;
    },
  );
}

export function findPlaceholders(text: string): Placeholder[] {
  const found: Placeholder[] = [];
  replacePlaceholders(text, (placeholder) => {
    found.push(placeholder);
    return '';
  });
  return found;
}

export function hasPlaceholder(text: string): boolean {
  return findPlaceholders(text).length > 0;
}
