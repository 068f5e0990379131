import { type ByteReader, SyntaxFailure } from './byte-reader.ts';
import { joined, short } from './byte-writer.ts';

/** A public key as X.509 writes it (RFC 8410): a fixed beginning that names the curve, and 32 bytes. */
export interface PublicKey {
  readonly curve: 'ed25519' | 'x25519';
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

const BEGINNING = {
  ed25519: Buffer.from('302a300506032b6570032100', 'hex'),
  x25519: Buffer.from('302a300506032b656e032100', 'hex'),
} as const;
const KEY_BYTES = 32;
export const ENCODED_KEY_BYTES = BEGINNING.ed25519.length + KEY_BYTES;

/** `x509encoded`, 44 bytes. */
export function encodePublicKey({ curve, bytes }: PublicKey): Buffer {
  return joined(BEGINNING[curve], bytes);
}

/** @throws SyntaxFailure for anything but a key of these two curves */
export function parsePublicKey(encoded: Uint8Array): PublicKey {
  const bytes = Buffer.from(encoded);
  for (const curve of ['ed25519', 'x25519'] as const) {
    const beginning = BEGINNING[curve];
    if (bytes.length === ENCODED_KEY_BYTES && bytes.subarray(0, beginning.length).equals(beginning)) {
      return { curve, bytes: bytes.subarray(beginning.length) };
    }
  }
  throw new SyntaxFailure(`no public key of Ed25519 or X25519: ${bytes.length} bytes`);
}

/** `length x509encoded` */
export function writeKey(key: PublicKey): Buffer {
  return short(encodePublicKey(key));
}

export function readKey(reader: ByteReader): PublicKey {
  return parsePublicKey(reader.short());
}

export function writeX25519(bytes: Uint8Array): Buffer {
  return writeKey({ curve: 'x25519', bytes });
}

/** The 32 bytes of an X25519 key. */
export function readX25519(reader: ByteReader): Uint8Array {
  const { curve, bytes } = readKey(reader);
  if (curve !== 'x25519') throw new SyntaxFailure(`a key of ${curve}; expected x25519`);
  return bytes;
}
