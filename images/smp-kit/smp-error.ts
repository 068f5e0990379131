import { type ByteReader, SyntaxFailure } from './byte-reader.ts';
import { joined, short } from './byte-writer.ts';

/** `errorType` of the protocol text, with what the code has added to it. */
export type SmpError =
  | { readonly tag: PlainError }
  | { readonly tag: 'CMD'; readonly command: CommandError }
  | { readonly tag: 'PROXY'; readonly proxy: ProxyError }
  /** Free text to the end: what the store said, or why a queue is blocked. */
  | { readonly tag: 'STORE' | 'BLOCKED'; readonly text: string };

export type ProxyError =
  /** The relay answered the proxy with this error. */
  | { readonly tag: 'PROTOCOL'; readonly error: SmpError }
  /** The proxy could not have the relay's answer. */
  | { readonly tag: 'BROKER'; readonly broker: BrokerError }
  | { readonly tag: 'BASIC_AUTH' | 'NO_SESSION' };

export type BrokerError =
  | { readonly tag: 'NETWORK' | 'TIMEOUT' | 'HOST' | 'NO_SERVICE' }
  /** The text names what came instead. */
  | { readonly tag: 'RESPONSE' | 'UNEXPECTED'; readonly text: string }
  | { readonly tag: 'TRANSPORT'; readonly transport: TransportError };

const PLAIN = [
  ...(['BLOCK', 'SESSION', 'AUTH', 'QUOTA', 'LARGE_MSG', 'INTERNAL'] as const),
  ...(['NO_MSG', 'CRYPTO', 'EXPIRED', 'SERVICE', 'DUPLICATE_'] as const),
] as const;
const COMMAND = ['UNKNOWN', 'SYNTAX', 'PROHIBITED', 'NO_AUTH', 'HAS_AUTH', 'NO_ENTITY'] as const;
const TRANSPORT = ['BLOCK', 'VERSION', 'LARGE_MSG', 'SESSION', 'NO_AUTH'] as const;
const HANDSHAKE = ['PARSE', 'IDENTITY', 'BAD_AUTH', 'BAD_SERVICE'] as const;

type PlainError = (typeof PLAIN)[number];
export type CommandError = (typeof COMMAND)[number];
export type TransportError = (typeof TRANSPORT)[number] | `HANDSHAKE ${(typeof HANDSHAKE)[number]}`;

/** An error inside an error inside …: deeper than this is no error of anybody's. */
const DEPTH_MAX = 4;
const SHORT_TEXT_MAX = 255;

export function encodeError(error: SmpError): Buffer {
  if (error.tag === 'CMD') return joined(`CMD ${error.command}`);
  if (error.tag === 'PROXY') return joined('PROXY ', encodeProxyError(error.proxy));
  if (error.tag === 'STORE' || error.tag === 'BLOCKED') {
    return joined(`${error.tag} `, Buffer.from(error.text, 'utf8'));
  }
  return joined(error.tag);
}

function encodeProxyError(error: ProxyError): Buffer {
  if (error.tag === 'PROTOCOL') return joined('PROTOCOL ', encodeError(error.error));
  if (error.tag !== 'BROKER') return joined(error.tag);
  const { broker } = error;
  if (broker.tag === 'TRANSPORT') return joined(`BROKER TRANSPORT ${broker.transport}`);
  if (broker.tag === 'RESPONSE' || broker.tag === 'UNEXPECTED') {
    return joined(`BROKER ${broker.tag} `, short(broker.text.slice(0, SHORT_TEXT_MAX)));
  }
  return joined(`BROKER ${broker.tag}`);
}

/** Reads to the end. @throws SyntaxFailure */
export function readError(reader: ByteReader, depth = 0): SmpError {
  const tag = reader.word();
  if (tag === 'CMD') return { tag, command: oneOf(COMMAND, parameter(reader)) };
  if (tag === 'PROXY') {
    reader.space();
    return { tag, proxy: readProxyError(reader, depth) };
  }
  if (tag === 'STORE' || tag === 'BLOCKED') {
    reader.space();
    return { tag, text: reader.tail().toString('utf8') };
  }
  return { tag: oneOf(PLAIN, tag) };
}

function readProxyError(reader: ByteReader, depth: number): ProxyError {
  const tag = reader.word();
  if (tag === 'BASIC_AUTH' || tag === 'NO_SESSION') return { tag };
  reader.space();
  if (tag === 'BROKER') return { tag, broker: readBrokerError(reader) };
  if (tag !== 'PROTOCOL' || depth >= DEPTH_MAX) throw new SyntaxFailure(`no proxy error: ${tag}`);
  return { tag, error: readError(reader, depth + 1) };
}

function readBrokerError(reader: ByteReader): BrokerError {
  const tag = reader.word();
  if (tag === 'TIMEOUT' || tag === 'HOST' || tag === 'NO_SERVICE') return { tag };
  if (tag === 'NETWORK') {
    // Newer servers may say more about it.
    reader.tail();
    return { tag };
  }
  if (tag === 'TRANSPORT') {
    const transport = parameter(reader);
    if (transport !== 'HANDSHAKE') return { tag, transport: oneOf(TRANSPORT, transport) };
    return { tag, transport: `HANDSHAKE ${oneOf(HANDSHAKE, parameter(reader))}` };
  }
  if (tag !== 'RESPONSE' && tag !== 'UNEXPECTED') throw new SyntaxFailure(`no broker error: ${tag}`);
  reader.space();
  return { tag, text: reader.short().toString('latin1') };
}

/** `PROXY BROKER TIMEOUT`: for events and people. */
export function errorText(error: SmpError): string {
  if (error.tag !== 'PROXY') return encodeError(error).toString('utf8');
  const { proxy } = error;
  if (proxy.tag === 'PROTOCOL') return `PROXY PROTOCOL ${errorText(proxy.error)}`;
  if (proxy.tag !== 'BROKER') return `PROXY ${proxy.tag}`;
  const { broker } = proxy;
  if (broker.tag === 'TRANSPORT') return `PROXY BROKER TRANSPORT ${broker.transport}`;
  return `PROXY BROKER ${broker.tag}${'text' in broker ? ` ${broker.text}` : ''}`;
}

export function brokerError(broker: BrokerError): SmpError {
  return { tag: 'PROXY', proxy: { tag: 'BROKER', broker } };
}

function parameter(reader: ByteReader): string {
  reader.space();
  return reader.word();
}

function oneOf<T extends string>(known: readonly T[], word: string): T {
  const found = known.find((one) => one === word);
  if (found === undefined) throw new SyntaxFailure(`${word.slice(0, 32)}: no error of SMP`);
  return found;
}
