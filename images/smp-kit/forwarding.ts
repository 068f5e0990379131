import { answerNonce, type BoxKey } from './box.ts';
import { type ByteReader, readAll } from './byte-reader.ts';
import { joined, short, word16 } from './byte-writer.ts';
import { readX25519, writeX25519 } from './public-key.ts';
import { SIZE } from './sizes.ts';
import { encodeBatch, parseBatch, type ReceivedTransmission, type Transmission } from './transmission.ts';

/*
 * client ── PFWD {version, key, s2r(transmission)} ──▶ proxy ── RFWD {p2r(id, version, key, s2r(…))} ──▶ relay
 *        ◀── PRES {s2r(answer)} ──────────────────         ◀── RRES {p2r(id, s2r(answer))} ──────────
 *
 * s2r is boxed with a key of the client's for this one command and the relay's key of the session; p2r with the keys that
 * proxy and relay exchanged in their handshake. A command's nonce is its correlation id, an answer's the same backwards.
 */

/** One transmission, sealed between client and relay. */
export function sealForwarded(box: BoxKey, nonce: Uint8Array, transmission: Transmission): Buffer {
  return box.sealPadded(nonce, encodeBatch([transmission]), SIZE.forwarded);
}

/** @returns undefined when it was not sealed by the other end or is not exactly one transmission */
export function openForwarded(
  box: BoxKey,
  nonce: Uint8Array,
  sealed: Uint8Array,
): ReceivedTransmission | 'CRYPTO' | 'BLOCK' {
  const batch = box.openPadded(nonce, sealed);
  if (!batch) return 'CRYPTO';
  const transmissions = parseBatch(batch);
  return transmissions?.length === 1 && transmissions[0] ? transmissions[0] : 'BLOCK';
}

/** What a proxy hands on, as a relay reads it. */
export interface ForwardedCommand {
  readonly correlationId: Uint8Array;
  readonly version: number;
  readonly commandKey: Uint8Array;
  readonly sealed: Uint8Array;
}

/** Content of RFWD. @param nonce the correlation id of the RFWD itself */
export function wrapCommand(box: BoxKey, nonce: Uint8Array, command: ForwardedCommand): Buffer {
  const { correlationId, version, commandKey, sealed } = command;
  return box.seal(nonce, joined(short(correlationId), word16(version), writeX25519(commandKey), sealed));
}

export function unwrapCommand(
  box: BoxKey,
  nonce: Uint8Array,
  wrapped: Uint8Array,
): ForwardedCommand | 'CRYPTO' | 'SYNTAX' {
  const bytes = box.open(nonce, wrapped);
  if (!bytes) return 'CRYPTO';
  const command = readAll(bytes, (reader: ByteReader) => ({
    correlationId: reader.short(),
    version: reader.word16(),
    commandKey: readX25519(reader),
    sealed: reader.tail(),
  }));
  return command ?? 'SYNTAX';
}

/** Content of RRES. @param nonce the correlation id of the RFWD */
export function wrapAnswer(
  box: BoxKey,
  nonce: Uint8Array,
  correlationId: Uint8Array,
  sealed: Uint8Array,
): Buffer {
  return box.seal(answerNonce(nonce), joined(short(correlationId), sealed));
}

/** What goes into PRES. @returns undefined when it is not the relay's */
export function unwrapAnswer(box: BoxKey, nonce: Uint8Array, wrapped: Uint8Array): Buffer | undefined {
  const bytes = box.open(answerNonce(nonce), wrapped);
  if (!bytes) return undefined;
  return readAll(bytes, (reader) => {
    reader.short();
    return reader.tail();
  });
}
