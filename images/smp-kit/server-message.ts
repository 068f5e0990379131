import { type ByteReader, readAll } from './byte-reader.ts';
import { flag, joined, large, list, short, word16 } from './byte-writer.ts';
import { readX25519, writeX25519 } from './public-key.ts';
import type { VersionRange } from './sizes.ts';
import { encodeError, readError, type SmpError } from './smp-error.ts';

/** What servers answer and deliver. */
export type ServerMessage =
  | {
      readonly tag: 'IDS';
      readonly recipientId: Uint8Array;
      readonly senderId: Uint8Array;
      readonly serverDhKey: Uint8Array;
      readonly senderSecures: boolean;
    }
  | { readonly tag: 'MSG'; readonly messageId: Uint8Array; readonly sealed: Uint8Array }
  | ({ readonly tag: 'PKEY' } & ProxySession)
  | { readonly tag: 'PRES' | 'RRES'; readonly sealed: Uint8Array }
  | { readonly tag: 'OK' | 'PONG' | 'END' | 'DELD' }
  | { readonly tag: 'ERR'; readonly error: SmpError };

/** A proxy's session with a relay. */
export interface ProxySession {
  readonly sessionId: Uint8Array;
  readonly versions: VersionRange;
  /** Certificates in DER, the one of the TLS session first and the offline one last. */
  readonly chain: readonly Uint8Array[];
  /** The relay's X25519 key of the session, signed with the first certificate's key. */
  readonly signedKey: Uint8Array;
}

export type ServerMessageTag = ServerMessage['tag'];

export function encodeServerMessage(message: ServerMessage): Buffer {
  switch (message.tag) {
    case 'IDS':
      return joined(
        'IDS ',
        short(message.recipientId),
        short(message.senderId),
        writeX25519(message.serverDhKey),
        flag(message.senderSecures),
      );
    case 'MSG':
      return joined('MSG ', short(message.messageId), message.sealed);
    case 'PKEY':
      return joined(
        'PKEY ',
        short(message.sessionId),
        word16(message.versions.min),
        word16(message.versions.max),
        encodeChain(message.chain),
        large(message.signedKey),
      );
    case 'PRES':
    case 'RRES':
      return joined(`${message.tag} `, message.sealed);
    case 'ERR':
      return joined('ERR ', encodeError(message.error));
    default:
      return joined(message.tag);
  }
}

const READ: Readonly<Record<ServerMessageTag, (reader: ByteReader) => ServerMessage>> = {
  IDS: (reader) => ({
    tag: 'IDS',
    recipientId: reader.short(),
    senderId: reader.short(),
    serverDhKey: readX25519(reader),
    senderSecures: reader.flag(),
  }),
  MSG: (reader) => ({ tag: 'MSG', messageId: reader.short(), sealed: reader.tail() }),
  PKEY: (reader) => ({
    tag: 'PKEY',
    sessionId: reader.short(),
    versions: { min: reader.word16(), max: reader.word16() },
    chain: readChain(reader),
    signedKey: reader.large(),
  }),
  PRES: (reader) => ({ tag: 'PRES', sealed: reader.tail() }),
  RRES: (reader) => ({ tag: 'RRES', sealed: reader.tail() }),
  OK: () => ({ tag: 'OK' }),
  PONG: () => ({ tag: 'PONG' }),
  END: () => ({ tag: 'END' }),
  DELD: () => ({ tag: 'DELD' }),
  ERR: (reader) => ({ tag: 'ERR', error: readError(reader) }),
};
const WITHOUT_PARAMETERS: readonly string[] = ['OK', 'PONG', 'END', 'DELD'];

/** @returns the message, or what is wrong with it */
export function parseServerMessage(bytes: Uint8Array): ServerMessage | 'UNKNOWN' | 'SYNTAX' {
  const tag = Buffer.from(bytes).toString('latin1').split(' ', 1)[0] ?? '';
  if (!Object.hasOwn(READ, tag)) return 'UNKNOWN';
  const message = readAll(bytes.subarray(tag.length), (reader) => {
    if (!WITHOUT_PARAMETERS.includes(tag)) reader.space();
    return READ[tag as ServerMessageTag](reader);
  });
  return message ?? 'SYNTAX';
}

/** `certChain`: a count, and each certificate after two bytes with its length. */
export function encodeChain(chain: readonly Uint8Array[]): Buffer {
  return list(chain.map((certificate) => large(certificate)));
}

export function readChain(reader: ByteReader): Buffer[] {
  return reader.list(() => reader.large());
}
