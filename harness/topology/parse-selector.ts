import { SquallError } from '../errors/index.ts';
import { parseRatio } from '../units/index.ts';

/** A selector as a tree; see `select` for what it means. */
export interface Selector {
  readonly text: string;
  readonly terms: readonly { readonly without: boolean; readonly atom: SelectorAtom }[];
}

export type SelectorFilter =
  /** 1-based within the role; an open end is absent. */
  | { readonly kind: 'index'; readonly from?: number; readonly to?: number; readonly text: string }
  | { readonly kind: 'label'; readonly key: string; readonly value: string };

export type SelectorAtom =
  /** `*`, a role, or a node's name. */
  | { readonly kind: 'name'; readonly name: string; readonly filters: readonly SelectorFilter[] }
  | { readonly kind: 'pick'; readonly count: number; readonly of: Selector }
  | { readonly kind: 'share'; readonly ratio: number; readonly of: Selector };

/**
 * Reads `role`, `role[3]`, `role[1..3]`, `role[2..]`, `role[key=value]`, a node's name, `*`, unions by comma, `!` for
 * without, `pick(3,SELECTOR)` and `share(30%,SELECTOR)`.
 * @throws SquallError `bad-selector` (input) with the place
 */
export function parseSelector(text: string): Selector {
  const reader = new SelectorReader(text);
  const selector = reader.union();
  reader.end();
  return selector;
}

/** Whether it draws by chance, so that it needs a stream. */
export function isRandomSelector(selector: Selector): boolean {
  return selector.terms.some(({ atom }) => atom.kind !== 'name');
}

class SelectorReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  union(): Selector {
    const start = this.#at;
    const terms = [this.#term()];
    while (this.#take(',')) terms.push(this.#term());
    return { text: this.#text.slice(start, this.#at).trim(), terms };
  }

  end(): void {
    this.#space();
    if (this.#at < this.#text.length) this.#refuse('a comma or the end');
  }

  #term() {
    const without = this.#take('!');
    return { without, atom: this.#atom() };
  }

  #atom(): SelectorAtom {
    const name = this.#take('*')
      ? '*'
      : this.#word(/[A-Za-z0-9][A-Za-z0-9-]*/y, 'a role, a node name, *, pick(…) or share(…)');
    if ((name === 'pick' || name === 'share') && this.#take('(')) {
      const amount = this.#word(/[0-9.]+%?/y, name === 'pick' ? 'a whole number' : 'a share such as 30%');
      const atom =
        name === 'pick'
          ? { kind: name, count: this.#count(amount) }
          : { kind: name, ratio: this.#ratio(amount) };
      if (!this.#take(',')) this.#refuse('a comma');
      const of = this.union();
      if (!this.#take(')')) this.#refuse('")"');
      return { ...atom, of } as SelectorAtom;
    }
    const filters: SelectorFilter[] = [];
    while (this.#take('[')) {
      filters.push(this.#filter());
      if (!this.#take(']')) this.#refuse('"]"');
    }
    return { kind: 'name', name, filters };
  }

  #filter(): SelectorFilter {
    const start = this.#at;
    const from = this.#optional(/\d+(?![\w-]*=)/y);
    if (this.#take('..')) {
      const to = this.#optional(/\d+/y);
      if (from === undefined && to === undefined) this.#refuse('a number on one side of ".."');
      return this.#index(from, to, start);
    }
    if (from !== undefined) return this.#index(from, from, start);
    const key = this.#word(/[A-Za-z0-9][\w.-]*/y, 'a number, a range such as 1..3, or key=value');
    if (!this.#take('=')) this.#refuse('"="');
    return { kind: 'label', key, value: this.#word(/[^\],[()]+/y, 'a value').trim() };
  }

  #index(from: string | undefined, to: string | undefined, start: number): SelectorFilter {
    const low = from === undefined ? undefined : Number(from);
    const high = to === undefined ? undefined : Number(to);
    if (low === 0 || high === 0) this.#refuse('a number from 1 on (nodes are counted from 1)');
    if (low !== undefined && high !== undefined && low > high)
      this.#refuse(`a range that rises, not ${low}..${high}`);
    return {
      kind: 'index',
      ...(low === undefined ? {} : { from: low }),
      ...(high === undefined ? {} : { to: high }),
      text: this.#text.slice(start, this.#at).trim(),
    };
  }

  #count(text: string): number {
    const count = Number(text);
    if (!Number.isInteger(count)) this.#refuse('a whole number');
    return count;
  }

  #ratio(text: string): number {
    try {
      return parseRatio(text);
    } catch (cause) {
      return this.#refuse('a share such as 30% or 0.3', cause);
    }
  }

  #word(pattern: RegExp, expected: string): string {
    return this.#optional(pattern) ?? this.#refuse(expected);
  }

  #optional(pattern: RegExp): string | undefined {
    this.#space();
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #take(token: string): boolean {
    this.#space();
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  #space(): void {
    while (this.#text[this.#at] === ' ') this.#at += 1;
  }

  #refuse(expected: string, cause?: unknown): never {
    const found =
      this.#at >= this.#text.length ? 'the end' : `"${this.#text.slice(this.#at, this.#at + 12)}"`;
    throw new SquallError(
      `selector "${this.#text}": ${found} found at character ${this.#at + 1}; expected ${expected}`,
      {
        code: 'bad-selector',
        blame: 'input',
        facts: { selector: this.#text, column: this.#at + 1 },
        hint: 'Write role, role[3], role[1..3], role[key=value], a node name, *, a,b, !a, pick(3,role) or share(30%,role).',
        cause,
      },
    );
  }
}
