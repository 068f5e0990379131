import type { BoxKey } from './box.ts';
import { readAll } from './byte-reader.ts';
import { flag, joined } from './byte-writer.ts';
import { SIZE } from './sizes.ts';

/** `rcvMsgBody`: what a server delivers in MSG once it is opened. */
export type DeliveredMessage =
  | {
      readonly kind: 'message';
      readonly sentAtS: number;
      readonly notify: boolean;
      readonly message: Uint8Array;
    }
  /** Senders were turned away since the queue was full; it has been emptied now. */
  | { readonly kind: 'quota'; readonly sentAtS: number };

/** @param messageId the nonce */
export function sealDelivered(box: BoxKey, messageId: Uint8Array, delivered: DeliveredMessage): Buffer {
  const time = Buffer.alloc(8);
  time.writeBigInt64BE(BigInt(Math.floor(delivered.sentAtS)));
  const body =
    delivered.kind === 'quota'
      ? joined('QUOTA ', time)
      : joined(time, flag(delivered.notify), ' ', delivered.message);
  return box.sealPadded(messageId, body, SIZE.delivered);
}

/** @returns undefined when it is not the server's */
export function openDelivered(
  box: BoxKey,
  messageId: Uint8Array,
  sealed: Uint8Array,
): DeliveredMessage | undefined {
  const body = box.openPadded(messageId, sealed);
  if (!body) return undefined;
  return readAll(body, (reader) => {
    const start = reader.take(8);
    if (start.subarray(0, 6).toString('latin1') === 'QUOTA ') {
      const time = joined(start.subarray(6), reader.take(6));
      return { kind: 'quota', sentAtS: Number(time.readBigInt64BE()) };
    }
    const notify = reader.flag();
    reader.word();
    reader.space();
    return { kind: 'message', sentAtS: Number(start.readBigInt64BE()), notify, message: reader.tail() };
  });
}
