import type { BoxKey } from './box.ts';
import { type ByteReader, readAll, SyntaxFailure } from './byte-reader.ts';
import { joined, word16 } from './byte-writer.ts';
import { type PublicKey, readKey, readX25519, writeKey, writeX25519 } from './public-key.ts';
import { SIZE } from './sizes.ts';

/** Version of the encryption between clients: with `_` and `K` headers, and nothing newer. */
const CLIENT_VERSION = 1;
const NONCE_BYTES = 24;

/** What one client says to the other through a queue (`smpClientMessage`, `smpConfirmation`). */
export interface ClientMessage {
  /** In a confirmation of a queue that is not secured yet: the key that is to secure it. */
  readonly senderKey: PublicKey | undefined;
  readonly body: Uint8Array;
}

/** `smpEncMessage`, as it is sent: `senderDhKey` is told in a confirmation only. */
export interface SealedClientMessage {
  readonly senderDhKey: Uint8Array | undefined;
  readonly nonce: Uint8Array;
  readonly sealed: Uint8Array;
}

/**
 * `smpEncMessage`, the content of SEND.
 * @param senderDhKey the sender's X25519 key, in a confirmation, for the receiver to come to the same box
 * @throws SquallError `smp-too-long`
 */
export function sealClientMessage(
  box: BoxKey,
  nonce: Uint8Array,
  message: ClientMessage,
  senderDhKey?: Uint8Array,
): Buffer {
  const header = message.senderKey ? joined('K', writeKey(message.senderKey)) : joined('_');
  const paddedBytes = senderDhKey ? SIZE.clientConfirmation : SIZE.clientMessage;
  const sealed = box.sealPadded(nonce, joined(header, message.body), paddedBytes);
  const publicHeader = senderDhKey ? joined('1', writeX25519(senderDhKey)) : joined('0');
  return joined(word16(CLIENT_VERSION), publicHeader, nonce, sealed);
}

/** @returns undefined when it is no `smpEncMessage` */
export function parseClientMessage(bytes: Uint8Array): SealedClientMessage | undefined {
  return readAll(bytes, (reader) => {
    reader.word16();
    return {
      senderDhKey: reader.maybe(() => readX25519(reader)),
      nonce: reader.take(NONCE_BYTES),
      sealed: reader.tail(),
    };
  });
}

/** @returns undefined when it was not sealed for this box, or holds something else */
export function openClientMessage(
  box: BoxKey,
  { nonce, sealed }: SealedClientMessage,
): ClientMessage | undefined {
  const bytes = box.openPadded(nonce, sealed);
  return bytes && readAll(bytes, readClientMessage);
}

function readClientMessage(reader: ByteReader): ClientMessage {
  const header = reader.character();
  if (header !== '_' && header !== 'K') throw new SyntaxFailure('expected _ or K');
  const senderKey = header === 'K' ? readKey(reader) : undefined;
  return { senderKey, body: reader.tail() };
}
