import { Fields, isRecord, parseBase64 } from './fields.ts';
import { isMessageHash } from './storage-request.ts';
import { WireError } from './wire-error.ts';

/** What a client reads from answers with status 200; anything of another shape is a WireError `wrong-shape`. */

export interface StoredAnswer {
  readonly hash: string;
  /** Ed25519 keys of the members that have it. */
  readonly stored: readonly string[];
  readonly failed: readonly string[];
}

/** Answer to `store`. @throws WireError `wrong-shape` */
export function parseStored(body: unknown): StoredAnswer {
  const fields = new Fields(body);
  const swarm = new Fields(fields.get('swarm'), 'swarm').raw;
  const hash = fields.require('hash', fields.text('hash'));
  if (!isMessageHash(hash)) throw new WireError('wrong-shape', 'hash: expected 43 characters of base64');
  const members = Object.entries(swarm);
  const isFailed = (answer: unknown): boolean => !isRecord(answer) || Object.hasOwn(answer, 'failed');
  return {
    hash,
    stored: members.filter(([, answer]) => !isFailed(answer)).map(([key]) => key),
    failed: members.filter(([, answer]) => isFailed(answer)).map(([key]) => key),
  };
}

export interface RetrievedMessage {
  readonly hash: string;
  readonly timestampMs: number;
  readonly expiryMs: number;
  readonly data: Buffer;
}

export interface RetrievedAnswer {
  readonly messages: readonly RetrievedMessage[];
  readonly more: boolean;
}

/** Answer to `retrieve`. @throws WireError `wrong-shape` */
export function parseRetrieved(body: unknown): RetrievedAnswer {
  const fields = new Fields(body);
  const list = fields.require('messages', fields.list('messages'));
  return { messages: list.map(parseMessage), more: fields.boolean('more') ?? false };
}

function parseMessage(item: unknown): RetrievedMessage {
  const fields = new Fields(item, 'message');
  const data = parseBase64(fields.require('data', fields.text('data')));
  if (!data) throw new WireError('wrong-shape', 'data: expected base64');
  return {
    hash: fields.require('hash', fields.text('hash')),
    timestampMs: fields.require('timestamp', fields.integer('timestamp')),
    expiryMs: fields.require('expiration', fields.integer('expiration')),
    data,
  };
}

/** The time of the node, from the answer to `info`. @throws WireError `wrong-shape` */
export function parseInfo(body: unknown): { readonly timestampMs: number } {
  const fields = new Fields(body);
  return { timestampMs: fields.require('timestamp', fields.timestampMs('timestamp')) };
}
