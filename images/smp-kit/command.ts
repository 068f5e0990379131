import { type ByteReader, readAll, SyntaxFailure } from './byte-reader.ts';
import { flag, joined, list, maybe, short, word16 } from './byte-writer.ts';
import { type PublicKey, readKey, readX25519, writeKey, writeX25519 } from './public-key.ts';
import { SIZE } from './sizes.ts';

/** Where a relay is, as PRXY says it. */
export interface DestinationServer {
  /** One or more; names or addresses. */
  readonly hosts: readonly string[];
  readonly port: string;
  /** SHA-256 of the server's offline certificate, 32 bytes. */
  readonly fingerprint: Uint8Array;
}

/** What clients and proxies send. Keys of X25519 are their 32 bytes. */
export type Command =
  | {
      readonly tag: 'NEW';
      readonly recipientKey: PublicKey;
      readonly recipientDhKey: Uint8Array;
      readonly basicAuth: string | undefined;
      readonly subscribe: boolean;
      /** Whether SKEY may secure the queue. */
      readonly senderSecures: boolean;
    }
  | { readonly tag: 'SUB' | 'OFF' | 'DEL' | 'PING' }
  | { readonly tag: 'KEY' | 'SKEY'; readonly senderKey: PublicKey }
  | { readonly tag: 'ACK'; readonly messageId: Uint8Array }
  | { readonly tag: 'SEND'; readonly notify: boolean; readonly message: Uint8Array }
  | { readonly tag: 'PRXY'; readonly server: DestinationServer; readonly basicAuth: string | undefined }
  | {
      readonly tag: 'PFWD';
      readonly version: number;
      readonly commandKey: Uint8Array;
      readonly sealed: Uint8Array;
    }
  | { readonly tag: 'RFWD'; readonly sealed: Uint8Array };

export type CommandTag = Command['tag'];

export function encodeCommand(command: Command): Buffer {
  switch (command.tag) {
    case 'NEW':
      return joined(
        'NEW ',
        writeKey(command.recipientKey),
        writeX25519(command.recipientDhKey),
        password(command.basicAuth),
        command.subscribe ? 'S' : 'C',
        flag(command.senderSecures),
      );
    case 'KEY':
    case 'SKEY':
      return joined(`${command.tag} `, writeKey(command.senderKey));
    case 'ACK':
      return joined('ACK ', short(command.messageId));
    case 'SEND':
      return joined('SEND ', flag(command.notify), ' ', command.message);
    case 'PRXY':
      return joined('PRXY ', encodeDestination(command.server), password(command.basicAuth));
    case 'PFWD':
      return joined('PFWD ', word16(command.version), writeX25519(command.commandKey), command.sealed);
    case 'RFWD':
      return joined('RFWD ', command.sealed);
    default:
      return joined(command.tag);
  }
}

const READ: Readonly<Record<CommandTag, (reader: ByteReader) => Command>> = {
  NEW: (reader) => ({
    tag: 'NEW',
    recipientKey: readKey(reader),
    recipientDhKey: readX25519(reader),
    basicAuth: reader.maybe(() => reader.short().toString('latin1')),
    subscribe: subscribeMode(reader),
    senderSecures: reader.flag(),
  }),
  SUB: () => ({ tag: 'SUB' }),
  OFF: () => ({ tag: 'OFF' }),
  DEL: () => ({ tag: 'DEL' }),
  PING: () => ({ tag: 'PING' }),
  KEY: (reader) => ({ tag: 'KEY', senderKey: readKey(reader) }),
  SKEY: (reader) => ({ tag: 'SKEY', senderKey: readKey(reader) }),
  ACK: (reader) => ({ tag: 'ACK', messageId: reader.short() }),
  SEND: (reader) => {
    const notify = reader.flag();
    // Flags may grow: what follows the first is reserved.
    reader.word();
    reader.space();
    return { tag: 'SEND', notify, message: reader.tail() };
  },
  PRXY: (reader) => ({
    tag: 'PRXY',
    server: readDestination(reader),
    basicAuth: reader.maybe(() => reader.short().toString('latin1')),
  }),
  PFWD: (reader) => ({
    tag: 'PFWD',
    version: reader.word16(),
    commandKey: readX25519(reader),
    sealed: reader.tail(),
  }),
  RFWD: (reader) => ({ tag: 'RFWD', sealed: reader.tail() }),
};
/** A server has a name, perhaps one in Tor, and addresses of both kinds. */
const HOSTS_MAX = 8;
const HOST = /^[A-Za-z0-9._:[\]-]{1,253}$/;
const WITHOUT_PARAMETERS: readonly string[] = ['SUB', 'OFF', 'DEL', 'PING'];

/** @returns the command, or which error the sender is to be told */
export function parseCommand(bytes: Uint8Array): Command | 'UNKNOWN' | 'SYNTAX' {
  const tag = Buffer.from(bytes).toString('latin1').split(' ', 1)[0] ?? '';
  if (!Object.hasOwn(READ, tag)) return 'UNKNOWN';
  const command = readAll(bytes.subarray(tag.length), (reader) => {
    if (!WITHOUT_PARAMETERS.includes(tag)) reader.space();
    return READ[tag as CommandTag](reader);
  });
  return command ?? 'SYNTAX';
}

function encodeDestination({ hosts, port, fingerprint }: DestinationServer): Buffer {
  return joined(list(hosts.map((host) => short(host))), short(port), short(fingerprint));
}

function readDestination(reader: ByteReader): DestinationServer {
  const hosts = reader.list(() => reader.short().toString('latin1'));
  const port = reader.short().toString('latin1');
  const fingerprint = reader.short();
  if (hosts.length > HOSTS_MAX || !hosts.every((host) => HOST.test(host)))
    throw new SyntaxFailure('no hosts');
  if (fingerprint.length !== SIZE.fingerprint) throw new SyntaxFailure('no SHA-256');
  if (port !== '' && !isPort(port)) throw new SyntaxFailure('no port');
  return { hosts, port, fingerprint };
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

function password(text: string | undefined): Buffer {
  return maybe(text === undefined ? undefined : short(text));
}

function subscribeMode(reader: ByteReader): boolean {
  const letter = reader.character();
  if (letter !== 'S' && letter !== 'C') throw new SyntaxFailure('expected S or C');
  return letter === 'S';
}
