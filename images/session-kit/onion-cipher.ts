import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { SquallError } from '../../harness/errors/index.ts';
import type { X25519Key } from '../../harness/identity/index.ts';
import { blake2b } from './blake2b.ts';
import { WireError } from './wire-error.ts';

/** How a layer is encrypted; clients use xchacha20 unless they say otherwise, and aes-gcm is what no word means. */
export type EncryptionType = 'xchacha20' | 'aes-gcm';

const TAG_BYTES = 16;
const NONCE_BYTES = { xchacha20: 24, 'aes-gcm': 12 } as const;

/** @returns undefined for a type that there is not (aes-cbc, which nobody uses any more, among them) */
export function parseEncryptionType(text: unknown): EncryptionType | undefined {
  if (text === undefined || text === 'aes-gcm' || text === 'gcm') return 'aes-gcm';
  return text === 'xchacha20' || text === 'xchacha20-poly1305' ? 'xchacha20' : undefined;
}

/**
 * The key of one layer, known to the client that made an ephemeral X25519 key and to the node whose X25519 key it met:
 * xchacha20 takes BLAKE2b-256(secret, ephemeral key, node's key), aes-gcm HMAC-SHA-256(secret) under the key "LOKI".
 */
export class LayerKey {
  readonly type: EncryptionType;
  readonly #key: Uint8Array;

  private constructor(type: EncryptionType, key: Uint8Array) {
    this.type = type;
    this.#key = key;
  }

  /** The client's end. @throws SquallError `bad-key` for a node's key that agrees with none */
  static ofClient(type: EncryptionType, ephemeral: X25519Key, node: Uint8Array): LayerKey {
    return new LayerKey(type, layerKey(type, ephemeral.agree(node), ephemeral.publicKey, node));
  }

  /** The node's end. @throws WireError `bad-onion-layer` for an ephemeral key that agrees with none */
  static ofNode(type: EncryptionType, own: X25519Key, ephemeral: Uint8Array): LayerKey {
    try {
      return new LayerKey(type, layerKey(type, own.agree(ephemeral), ephemeral, own.publicKey));
    } catch (cause) {
      if (!(cause instanceof SquallError)) throw cause;
      throw new WireError('bad-onion-layer', 'onion layer: its ephemeral key is none', cause);
    }
  }

  /** Nonce, ciphertext and tag. */
  seal(content: Uint8Array): Buffer {
    const nonce = randomBytes(NONCE_BYTES[this.type]);
    if (this.type === 'xchacha20') {
      return Buffer.concat([nonce, xchacha20poly1305(this.#key, nonce).encrypt(content)]);
    }
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  }

  /** @throws WireError `not-authentic` for bytes that were not sealed with this key */
  open(sealed: Uint8Array): Buffer {
    const nonceBytes = NONCE_BYTES[this.type];
    if (sealed.length < nonceBytes + TAG_BYTES) throw notAuthentic();
    const nonce = sealed.subarray(0, nonceBytes);
    try {
      if (this.type === 'xchacha20') {
        return Buffer.from(xchacha20poly1305(this.#key, nonce).decrypt(sealed.subarray(nonceBytes)));
      }
      const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce);
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -TAG_BYTES)), decipher.final()]);
    } catch (cause) {
      throw notAuthentic(cause);
    }
  }
}

function layerKey(
  type: EncryptionType,
  secret: Uint8Array,
  ephemeral: Uint8Array,
  node: Uint8Array,
): Uint8Array {
  if (type === 'aes-gcm') return createHmac('sha256', 'LOKI').update(secret).digest();
  return blake2b(Buffer.concat([secret, ephemeral, node]), 32);
}

function notAuthentic(cause?: unknown): WireError {
  return new WireError('not-authentic', 'onion layer: it does not decrypt with the key it should', cause);
}
