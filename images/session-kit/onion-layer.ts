import { randomBytes } from 'node:crypto';
import { x25519Key } from '../../harness/identity/index.ts';
import { Fields, parseKeyText, wrong } from './fields.ts';
import { type EncryptionType, LayerKey, parseEncryptionType } from './onion-cipher.ts';
import { parseJson } from './parse-json.ts';
import { WireError } from './wire-error.ts';

/** What one node finds when it takes its layer off. */
export type OpenedLayer =
  /** It is the destination: the body is a storage RPC request. */
  | { readonly kind: 'final'; readonly body: Buffer; readonly json: boolean; readonly base64: boolean }
  /** To be sent to a server outside, as it is. */
  | {
      readonly kind: 'server';
      readonly payload: Buffer;
      readonly protocol: 'http' | 'https';
      readonly host: string;
      readonly port: number;
      readonly target: string;
    }
  /** To be handed on to another node. */
  | { readonly kind: 'relay'; readonly destination: string; readonly request: Buffer };

/** Length as u32 little-endian, the ciphertext, and JSON. */
export function combine(ciphertext: Uint8Array, json: Readonly<Record<string, unknown>>): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(ciphertext.length);
  return Buffer.concat([length, ciphertext, Buffer.from(JSON.stringify(json))]);
}

/** @throws WireError */
export function split(bytes: Uint8Array): { readonly ciphertext: Buffer; readonly fields: Fields } {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (all.length < 4)
    throw new WireError('bad-onion-layer', `onion request: ${all.length} bytes found; expected 4 or more`);
  const length = all.readUInt32LE(0);
  if (all.length < 4 + length) {
    throw new WireError(
      'bad-onion-layer',
      `onion request: ${all.length - 4} bytes found; expected at least ${length}`,
    );
  }
  return {
    ciphertext: all.subarray(4, 4 + length),
    fields: new Fields(parseJson(all.subarray(4 + length)), 'onion request'),
  };
}

/** The outside of an onion request: for whom it is sealed. */
export interface SealedLayer {
  readonly ciphertext: Buffer;
  readonly ephemeralKey: Buffer;
  readonly type: EncryptionType;
  /** Hops so far, as the sender has it; a client may begin above 0. */
  readonly hop: number;
}

/** Reads the body of `POST /onion_req/v2`. @throws WireError */
export function parseOnionBody(bytes: Uint8Array): SealedLayer {
  const { ciphertext, fields } = split(bytes);
  return { ciphertext, ...outside(fields), hop: Math.max(0, fields.integer('hop_no') ?? 0) };
}

/** @param hop where the request is now; the next node is told one more. @throws WireError */
export function parseOpenedLayer(plaintext: Buffer, hop = 0): OpenedLayer {
  const { ciphertext, fields } = split(plaintext);
  if (fields.has('headers')) {
    return {
      kind: 'final',
      body: ciphertext,
      json: fields.boolean('json') ?? false,
      base64: fields.boolean('base64') ?? true,
    };
  }
  if (fields.has('host')) return serverLayer(plaintext, fields);
  const { ephemeralKey, type } = outside(fields);
  const destination = parseKeyText(fields.require('destination', fields.text('destination')), 32);
  if (!destination) throw wrong('destination', 'an Ed25519 key');
  return {
    kind: 'relay',
    destination: destination.toString('hex'),
    request: combine(ciphertext, {
      ephemeral_key: ephemeralKey.toString('hex'),
      enc_type: type,
      hop_no: hop + 1,
    }),
  };
}

function outside(fields: Fields): Pick<SealedLayer, 'ephemeralKey' | 'type'> {
  const type = parseEncryptionType(fields.get('enc_type'));
  if (!type) throw wrong('enc_type', 'xchacha20 or aes-gcm');
  return { ephemeralKey: fields.require('ephemeral_key', fields.bytes('ephemeral_key', 32)), type };
}

function serverLayer(payload: Buffer, fields: Fields): OpenedLayer {
  const protocol = fields.text('protocol') ?? 'https';
  if (protocol !== 'http' && protocol !== 'https') throw wrong('protocol', 'http or https');
  const port = fields.integer('port') ?? 443;
  if (port < 1 || port > 65_535) throw wrong('port', 'a port');
  return {
    kind: 'server',
    payload,
    protocol,
    host: fields.require('host', fields.text('host')),
    port,
    target: fields.require('target', fields.text('target')),
  };
}

/** Whether a node may send an onion request to that path of a server. */
export function isServerTarget(target: string): boolean {
  return (
    (target.startsWith('/loki/') || target.startsWith('/oxen/')) &&
    target.endsWith('/lsrpc') &&
    !target.includes('?')
  );
}

/** A node on an onion path, as the client knows it. */
export interface Hop {
  readonly ed25519: string;
  readonly x25519: Uint8Array;
}

/** An onion request, ready to be posted to the first hop, and what its answer is opened with. */
export interface BuiltOnion {
  readonly body: Buffer;
  /** Shared with the destination alone: what does not open with it does not come from there. */
  readonly answerKey: LayerKey;
}

export type OnionTarget =
  | { readonly kind: 'node'; readonly node: Hop }
  /** A server, whose X25519 key is known otherwise. */
  | {
      readonly kind: 'server';
      readonly x25519: Uint8Array;
      readonly protocol: 'http' | 'https';
      readonly host: string;
      readonly port: number;
      readonly target: string;
    };

/**
 * Wraps a request for a target in layers, one for each node of a path.
 * @param path nodes on the way, first hop first, without the target; empty for a request that only its target can read
 * @throws SquallError `bad-key` for a hop whose key agrees with none
 */
export function buildOnion(
  content: Uint8Array,
  target: OnionTarget,
  path: readonly Hop[],
  type: EncryptionType = 'xchacha20',
): BuiltOnion {
  if (target.kind === 'server' && path.length === 0)
    throw new RangeError('onion: a server is reached over a path of one node or more');
  const last = sealFor(
    target.kind === 'node' ? target.node.x25519 : target.x25519,
    target.kind === 'node' ? combine(content, { headers: {}, json: false, base64: true }) : content,
    type,
  );
  let { ciphertext, ephemeralKey } = last;
  // What stands in the next layer says where the one inside it goes.
  let route: Readonly<Record<string, unknown>> =
    target.kind === 'node'
      ? { destination: target.node.ed25519 }
      : { protocol: target.protocol, host: target.host, port: target.port, target: target.target };
  for (const hop of [...path].reverse()) {
    const inside = combine(ciphertext, { ...route, ephemeral_key: ephemeralKey, enc_type: type });
    ({ ciphertext, ephemeralKey } = sealFor(hop.x25519, inside, type));
    route = { destination: hop.ed25519 };
  }
  const body = combine(ciphertext, { ephemeral_key: ephemeralKey, enc_type: type });
  return { body, answerKey: last.key };
}

function sealFor(
  node: Uint8Array,
  content: Uint8Array,
  type: EncryptionType,
): { readonly ciphertext: Buffer; readonly ephemeralKey: string; readonly key: LayerKey } {
  const ephemeral = x25519Key(randomBytes(32));
  const key = LayerKey.ofClient(type, ephemeral, node);
  return {
    ciphertext: key.seal(content),
    ephemeralKey: Buffer.from(ephemeral.publicKey).toString('hex'),
    key,
  };
}
