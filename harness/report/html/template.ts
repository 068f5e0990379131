import { asText } from '../markup.ts';

/** Markup that may stand in a page as it is: made by `html`, or by a renderer that escapes by itself. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Part = Markup | string | number | undefined | false | null | readonly Part[];

/**
 * A page is written in this and nothing else: what is put in is text, whatever it looks like, unless it was made by `html`
 * itself. Attributes must be quoted.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(
    strings.map((text, index) => text + (index < parts.length ? render(parts[index]) : '')).join(''),
  );
}

/** Parts side by side. */
export function join(parts: readonly Part[], between = ''): Markup {
  return new Markup(parts.map(render).join(between));
}

function render(part: Part): string {
  if (part === undefined || part === null || part === false) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(render).join('');
  return asText(String(part));
}
