import { isChunkKey } from './chunk-key.ts';

/** What goes between nodes; a chunk's bytes follow its message. */
export type Message =
  | { readonly kind: 'hello'; readonly name: string; readonly version: string; readonly knowsBusy: boolean }
  /** Keys that the other side should hold. */
  | { readonly kind: 'sync'; readonly id: number; readonly keys: readonly string[] }
  | { readonly kind: 'synced'; readonly id: number; readonly keys: readonly string[] }
  | { readonly kind: 'verify'; readonly id: number; readonly keys: readonly string[] }
  /** Places in the list of keys of those that are here, and of those known as paid for. */
  | {
      readonly kind: 'verified';
      readonly id: number;
      readonly present: readonly number[];
      readonly paid: readonly number[];
    }
  | { readonly kind: 'fetch'; readonly id: number; readonly key: string; readonly pastSilence: boolean }
  | { readonly kind: 'chunk'; readonly id: number }
  | { readonly kind: 'not-found'; readonly id: number }
  | { readonly kind: 'error'; readonly id: number; readonly reason: string }
  | { readonly kind: 'busy'; readonly id: number; readonly waitMs: number }
  /** The node ends on purpose. */
  | { readonly kind: 'bye' };

type Fields = Readonly<Record<string, unknown>>;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 1_024;
const areKeys = (value: unknown): boolean => Array.isArray(value) && value.every(isChunkKey);
const arePlaces = (value: unknown): boolean => Array.isArray(value) && value.every(isCount);

const FITS: Readonly<Record<Message['kind'], (fields: Fields) => boolean>> = {
  hello: ({ name, version, knowsBusy }) => isText(name) && isText(version) && typeof knowsBusy === 'boolean',
  sync: ({ id, keys }) => isCount(id) && areKeys(keys),
  synced: ({ id, keys }) => isCount(id) && areKeys(keys),
  verify: ({ id, keys }) => isCount(id) && areKeys(keys),
  verified: ({ id, present, paid }) => isCount(id) && arePlaces(present) && arePlaces(paid),
  fetch: ({ id, key, pastSilence }) => isCount(id) && isChunkKey(key) && typeof pastSilence === 'boolean',
  chunk: ({ id }) => isCount(id),
  'not-found': ({ id }) => isCount(id),
  error: ({ id, reason }) => isCount(id) && isText(reason),
  busy: ({ id, waitMs }) => isCount(id) && isCount(waitMs),
  bye: () => true,
};

/** A message that came, or undefined when it is none: it is not ours and may be anything. */
export function parseMessage(text: string): Message | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Fields;
  const { kind } = fields;
  if (typeof kind !== 'string' || !Object.hasOwn(FITS, kind)) return undefined;
  return FITS[kind as Message['kind']](fields) ? (value as Message) : undefined;
}
