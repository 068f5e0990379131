import { WireError } from './wire-error.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Times before this are seconds that somebody took for milliseconds. */
const TIMESTAMP_MIN_MS = 1_000_000_000;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Padded or not, as Node alone would take anything for base64. */
export function parseBase64(text: string): Buffer | undefined {
  const bare = text.replace(/=+$/, '');
  return BASE64.test(text) && bare.length % 4 !== 1 ? Buffer.from(bare, 'base64') : undefined;
}

/**
 * The fields of a JSON object that came from somewhere else. An absent field and a null are the same; anything of another
 * type than asked for throws WireError `wrong-shape`, which says which field it was.
 */
export class Fields {
  readonly raw: Readonly<Record<string, unknown>>;

  /** @throws WireError `wrong-shape` when it is no object */
  constructor(value: unknown, subject = 'body') {
    if (!isRecord(value)) throw wrong(subject, 'an object');
    this.raw = value;
  }

  /** Whatever it is; undefined when it is absent, null or not the object's own. */
  get(name: string): unknown {
    return Object.hasOwn(this.raw, name) ? (this.raw[name] ?? undefined) : undefined;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** The first of several names that is there: a field and its older spelling. */
  anyOf(...names: readonly string[]): string | undefined {
    return names.find((name) => this.has(name));
  }

  text(name: string): string | undefined {
    return this.#typed(name, 'string', (value) => typeof value === 'string');
  }

  boolean(name: string): boolean | undefined {
    return this.#typed(name, 'boolean', (value) => typeof value === 'boolean');
  }

  integer(name: string): number | undefined {
    return this.#typed(name, 'integer', Number.isSafeInteger);
  }

  /** A whole number, or one as text, which older clients send. */
  looseInteger(name: string): number | undefined {
    const value = this.get(name);
    if (typeof value === 'string' && /^-?\d{1,15}$/.test(value)) return Number(value);
    return this.integer(name);
  }

  timestampMs(name: string): number | undefined {
    const value = this.looseInteger(name);
    if (value !== undefined && value < TIMESTAMP_MIN_MS) throw wrong(name, 'a timestamp in milliseconds');
    return value;
  }

  /** @returns `count` bytes of hexadecimal or base64 text */
  bytes(name: string, count: number): Buffer | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const bytes = parseKeyText(text, count);
    if (!bytes) throw wrong(name, `${count} bytes as hexadecimal or base64`);
    return bytes;
  }

  /** A text, or several of them. */
  texts(name: string): readonly string[] | undefined {
    return this.#listOf(name, (value) => typeof value === 'string', 'string array');
  }

  integers(name: string): readonly number[] | undefined {
    return this.#listOf(name, Number.isSafeInteger, 'integer array');
  }

  list(name: string): readonly unknown[] | undefined {
    return this.#typed(name, 'array', Array.isArray);
  }

  /** @throws WireError when it is absent */
  require<T>(name: string, value: T | undefined): T {
    if (value === undefined) throw new WireError('wrong-shape', `Required field '${name}' missing`);
    return value;
  }

  #typed<T>(name: string, type: string, fits: (value: unknown) => boolean): T | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (!fits(value)) throw wrong(name, type);
    return value as T;
  }

  #listOf<T>(name: string, fits: (value: unknown) => boolean, type: string): readonly T[] | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (!list.every(fits)) throw wrong(name, type);
    return list as readonly T[];
  }
}

export function parseKeyText(text: string, count: number): Buffer | undefined {
  if (text.length === count * 2 && /^[0-9a-fA-F]*$/.test(text)) return Buffer.from(text, 'hex');
  const bytes = text.length <= count * 2 ? parseBase64(text) : undefined;
  return bytes?.length === count ? bytes : undefined;
}

export function wrong(name: string, expected: string): WireError {
  return new WireError('wrong-shape', `Invalid value given for '${name}': expected ${expected}`);
}
