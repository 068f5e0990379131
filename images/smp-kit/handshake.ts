import { ByteReader, SyntaxFailure } from './byte-reader.ts';
import { joined, large, short, word16 } from './byte-writer.ts';
import { pad, unpad } from './padding.ts';
import { readX25519, writeX25519 } from './public-key.ts';
import { encodeChain, type ProxySession, readChain } from './server-message.ts';
import { SIZE } from './sizes.ts';

/** The first block of a connection: what the server speaks, the TLS session, and its signed key for that session. */
export type ServerHello = ProxySession;

/** The second: what the client chose. */
export interface ClientHello {
  readonly version: number;
  /** Whom the client takes the server for. */
  readonly fingerprint: Uint8Array;
  /** X25519, 32 bytes; from proxies only. */
  readonly clientKey: Uint8Array | undefined;
}

export function encodeServerHello({ sessionId, versions, chain, signedKey }: ServerHello): Buffer {
  const hello = joined(
    word16(versions.min),
    word16(versions.max),
    short(sessionId),
    encodeChain(chain),
    large(signedKey),
  );
  return pad(hello, SIZE.block);
}

/** @returns undefined when it is none; what follows it is ignored, as the protocol wants it */
export function parseServerHello(block: Uint8Array): ServerHello | undefined {
  return parseHello(block, (reader) => ({
    versions: { min: reader.word16(), max: reader.word16() },
    sessionId: reader.short(),
    chain: readChain(reader),
    signedKey: reader.large(),
  }));
}

/**
 * The version, the server's fingerprint, and a proxy's key. (The fingerprint is not in the protocol text, but in what the
 * real software sends and expects.)
 */
export function encodeClientHello({ version, fingerprint, clientKey }: ClientHello): Buffer {
  const key = clientKey ? writeX25519(clientKey) : '';
  return pad(joined(word16(version), short(fingerprint), key), SIZE.block);
}

/** @returns undefined when it is none */
export function parseClientHello(block: Uint8Array): ClientHello | undefined {
  return parseHello(block, (reader) => ({
    version: reader.word16(),
    fingerprint: reader.short(),
    clientKey: reader.left > 0 ? readX25519(reader) : undefined,
  }));
}

function parseHello<T>(block: Uint8Array, read: (reader: ByteReader) => T): T | undefined {
  const bytes = unpad(block);
  if (!bytes) return undefined;
  try {
    return read(new ByteReader(bytes));
  } catch (error) {
    if (error instanceof SyntaxFailure) return undefined;
    throw error;
  }
}
