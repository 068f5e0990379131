import { SIZE } from './sizes.ts';
import { WireError } from './wire-error.ts';

export interface JsonLimits {
  /** Bytes of the whole text; 10 MiB by default. */
  readonly maxBytes?: number;
  /** Brackets inside brackets; 32 by default. */
  readonly maxDepth?: number;
  /**
   * What becomes of whole numbers that a number cannot hold exactly (above 2^53 − 1): refused by default, or given as the
   * text of their digits, which is how 64-bit swarm ids come through.
   */
  readonly bigIntegers?: 'refuse' | 'text';
}

const DIGITS = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * JSON of a stranger: its size, encoding, depth and numbers are looked at before it is believed to be JSON.
 * @throws WireError too-large, invalid-utf8, too-deep, unsafe-number or not-json
 */
export function parseJson(bytes: Uint8Array, limits: JsonLimits = {}): unknown {
  const { maxBytes = SIZE.bodyMaxBytes, maxDepth = SIZE.jsonDepthMax, bigIntegers = 'refuse' } = limits;
  if (bytes.length > maxBytes) {
    throw new WireError('too-large', `JSON: ${bytes.length} bytes found; expected at most ${maxBytes}`);
  }
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    throw new WireError('invalid-utf8', 'JSON: bytes found that are no UTF-8', cause);
  }
  const checked = checkTokens(text, maxDepth, bigIntegers);
  try {
    return JSON.parse(checked);
  } catch (cause) {
    throw new WireError(
      'not-json',
      'JSON: what was found is none',
      cause instanceof Error ? cause : undefined,
    );
  }
}

/** Passes over the text once, string by string. @returns the text, with big integers put into quotes where that is wanted */
function checkTokens(text: string, maxDepth: number, bigIntegers: 'refuse' | 'text'): string {
  let depth = 0;
  let kept = '';
  let keptTo = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === '"') {
      at = endOfString(text, at);
    } else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > maxDepth)
        throw new WireError('too-deep', `JSON: more than ${maxDepth} levels found; expected fewer`);
    } else if (character === ']' || character === '}') {
      depth -= 1;
    } else if (character === '-' || (character >= '0' && character <= '9')) {
      DIGITS.lastIndex = at;
      const number = DIGITS.exec(text)?.[0] ?? character;
      if (!isExact(number)) {
        if (bigIntegers === 'refuse' || !/^-?[0-9]{1,40}$/.test(number)) {
          throw new WireError(
            'unsafe-number',
            `JSON: the number ${number.slice(0, 40)} found; expected none beyond 2^53 − 1`,
          );
        }
        kept += `${text.slice(keptTo, at)}"${number}"`;
        keptTo = at + number.length;
      }
      at += number.length - 1;
    }
  }
  return keptTo === 0 ? text : kept + text.slice(keptTo);
}

/** @returns the index of the closing quote, or the end of a text that has none (and is no JSON then) */
function endOfString(text: string, open: number): number {
  for (let quote = text.indexOf('"', open + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote;
  }
  return text.length;
}

function isExact(number: string): boolean {
  if (number.length < 16 && !/[eE]/.test(number)) return true;
  const value = Number(number);
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}
