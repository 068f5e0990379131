import { ByteReader, readAll } from './byte-reader.ts';
import { joined, large, short } from './byte-writer.ts';
import { pad, unpad } from './padding.ts';
import { SIZE } from './sizes.ts';

/** One command or answer on its way. */
export interface Transmission {
  /** Signature of 64 bytes, authenticator of 80, or nothing. */
  readonly authorization: Uint8Array;
  /** 24 bytes; empty in what a server says of its own accord. */
  readonly correlationId: Uint8Array;
  /** The queue or the proxy's session; may be empty. */
  readonly entityId: Uint8Array;
  /** A command or a server's message, not parsed. */
  readonly content: Uint8Array;
}

/** A transmission that came, with the bytes that its authorization is over. */
export interface ReceivedTransmission extends Transmission {
  /** Without the session's id in front. */
  readonly signed: Uint8Array;
}

export const NOTHING = new Uint8Array(0);

/** The part that is authorized, without the session's id in front. */
export function encodeSigned({
  correlationId,
  entityId,
  content,
}: Omit<Transmission, 'authorization'>): Buffer {
  return joined(short(correlationId), short(entityId), content);
}

export function encodeTransmission(transmission: Transmission): Buffer {
  return joined(short(transmission.authorization), encodeSigned(transmission));
}

/**
 * `transmissionCount transmissions`, not padded.
 * @throws SquallError `smp-too-long` for more than 255 transmissions
 */
export function encodeBatch(transmissions: readonly Transmission[]): Buffer {
  const encoded = transmissions.map((transmission) => large(encodeTransmission(transmission)));
  return joined(Uint8Array.of(encoded.length), ...encoded);
}

/** A block of 16,384 bytes. @throws SquallError `smp-too-long` when they do not fit */
export function encodeBlock(transmissions: readonly Transmission[]): Buffer {
  return pad(encodeBatch(transmissions), SIZE.block);
}

/** @returns for each transmission what it is, undefined for one that is none; undefined when the whole is no batch */
export function parseBatch(bytes: Uint8Array): readonly (ReceivedTransmission | undefined)[] | undefined {
  const parts = readAll(bytes, (reader) => reader.list(() => reader.large()));
  return parts?.map((part) => readAll(part, readTransmission));
}

/** As parseBatch, of a padded block. */
export function parseBlock(block: Uint8Array): readonly (ReceivedTransmission | undefined)[] | undefined {
  const bytes = unpad(block);
  return bytes && parseBatch(bytes);
}

function readTransmission(reader: ByteReader): ReceivedTransmission {
  const authorization = reader.short();
  const signed = reader.tail();
  const inner = new ByteReader(signed);
  return {
    authorization,
    signed,
    correlationId: inner.short(),
    entityId: inner.short(),
    content: inner.tail(),
  };
}
