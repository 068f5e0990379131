import { Fields, parseBase64 } from './fields.ts';
import type { LayerKey } from './onion-cipher.ts';
import { parseJson } from './parse-json.ts';
import { WireError } from './wire-error.ts';

export interface InnerAnswer {
  readonly status: number;
  /** JSON where it was JSON, or text. */
  readonly body: unknown;
}

/**
 * A destination's answer as it goes back over the path: {status, body}, sealed, and as base64 unless asked otherwise. A JSON
 * body becomes text inside the JSON unless `json` was asked for.
 */
export function sealAnswer(
  answer: InnerAnswer,
  key: LayerKey,
  options: { readonly json: boolean; readonly base64: boolean },
): Buffer {
  const { status, body } = answer;
  const content = typeof body === 'string' || options.json ? body : JSON.stringify(body);
  const sealed = key.seal(Buffer.from(JSON.stringify({ status, body: content })));
  return options.base64 ? Buffer.from(sealed.toString('base64')) : sealed;
}

/**
 * Opens an answer that came over a path. Only one that opens is the destination's.
 * @param bytes the body of the outer answer
 * @throws WireError `not-authentic` when anybody could have written it; another fault when the destination wrote nonsense
 */
export function openAnswer(bytes: Uint8Array, key: LayerKey): InnerAnswer {
  const text = Buffer.from(bytes).toString('latin1');
  const sealed = parseBase64(text.trim()) ?? Buffer.from(bytes);
  const fields = new Fields(parseJson(key.open(sealed)), 'onion answer');
  const status = fields.require('status', fields.integer('status'));
  if (status < 100 || status > 999) throw new WireError('wrong-shape', 'status: expected 100 to 999');
  return { status, body: unpacked(fields.get('body')) };
}

/** JSON inside a text inside JSON, as storage servers send it. */
function unpacked(body: unknown): unknown {
  if (typeof body !== 'string' || !/^\s*[[{]/.test(body)) return body;
  try {
    return parseJson(Buffer.from(body));
  } catch (error) {
    // A text that only begins like JSON stays the text that it is.
    if (error instanceof WireError && error.code === 'not-json') return body;
    throw error;
  }
}

const NOT_FOUND = /^(?:502 Bad Gateway\s*)?Next node not found: ([0-9a-fA-F]{64})/;

/** The node that a relay says it does not know, from the plain text of its 502. Not authentic. */
export function missingNode(text: string): string | undefined {
  return NOT_FOUND.exec(text)?.[1]?.toLowerCase();
}
