import {
  Fields,
  isMessageHash,
  parseAccount,
  parseBase64,
  parseJson,
  SIZE,
  WireError,
} from '../session-kit/index.ts';
import type { StoredMessage } from './message.ts';

/** Messages that a node hands to another, as one body. */
export function encodeBatch(messages: readonly StoredMessage[]): Buffer {
  return Buffer.from(
    JSON.stringify({
      messages: messages.map(({ account, namespace, hash, timestampMs, expiryMs, data }) => ({
        pubkey: account,
        namespace,
        hash,
        timestamp: timestampMs,
        expiry: expiryMs,
        data: data.toString('base64'),
      })),
    }),
  );
}

/** @throws WireError */
export function parseBatch(body: Uint8Array): StoredMessage[] {
  const fields = new Fields(parseJson(body));
  return fields.require('messages', fields.list('messages')).map((item) => {
    const message = new Fields(item, 'message');
    const account = parseAccount(message.get('pubkey'));
    const hash = message.require('hash', message.text('hash'));
    const data = parseBase64(message.require('data', message.text('data')));
    if (!account || !isMessageHash(hash) || !data || data.length > SIZE.messageMaxBytes)
      throw new WireError('wrong-shape', 'message: expected pubkey, hash and data');
    return {
      account: account.id,
      namespace: message.integer('namespace') ?? 0,
      hash,
      timestampMs: message.require('timestamp', message.timestampMs('timestamp')),
      expiryMs: message.require('expiry', message.timestampMs('expiry')),
      data,
    };
  });
}

/** Parts of at most so many bytes of data, at least one message each. */
export function inBatches(messages: readonly StoredMessage[], maxBytes: number): StoredMessage[][] {
  const batches: StoredMessage[][] = [];
  let [batch, sizeBytes]: [StoredMessage[], number] = [[], 0];
  for (const message of messages) {
    if (batch.length > 0 && sizeBytes + message.data.length > maxBytes) {
      batches.push(batch);
      [batch, sizeBytes] = [[], 0];
    }
    batch.push(message);
    sizeBytes += message.data.length;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
