import { hsalsa, xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { SquallError } from '../../harness/errors/index.ts';
import type { X25519Key } from '../../harness/identity/index.ts';
import { pad, unpad } from './padding.ts';

/** NaCl's crypto_box: X25519, HSalsa20 and XSalsa20-Poly1305; the tag of 16 bytes comes first. */
export const TAG_BYTES = 16;
const NONCE_BYTES = 24;

/** "expand 32-byte k" */
const SIGMA = Uint32Array.from([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);

/** The key that two ends of a box share. */
export class BoxKey {
  readonly #key: Uint8Array;

  /** @throws SquallError `bad-key` for a peer's key of small order or of another length */
  constructor(own: X25519Key, peerPublicKey: Uint8Array) {
    const key = new Uint32Array(8);
    hsalsa(SIGMA, wordsOf(own.agree(peerPublicKey)), new Uint32Array(4), key);
    this.#key = new Uint8Array(key.buffer);
  }

  seal(nonce: Uint8Array, content: Uint8Array): Buffer {
    return Buffer.from(xsalsa20poly1305(this.#key, nonceOf(nonce)).encrypt(content));
  }

  /** @returns undefined when it was not sealed with this key and nonce, or was changed since */
  open(nonce: Uint8Array, sealed: Uint8Array): Buffer | undefined {
    if (sealed.length < TAG_BYTES) return undefined;
    try {
      return Buffer.from(xsalsa20poly1305(this.#key, nonceOf(nonce)).decrypt(sealed));
    } catch (error) {
      if (error instanceof Error && error.message.includes('tag')) return undefined;
      throw error;
    }
  }

  /** @throws SquallError `smp-too-long` when the content does not fit */
  sealPadded(nonce: Uint8Array, content: Uint8Array, paddedBytes: number): Buffer {
    return this.seal(nonce, pad(content, paddedBytes));
  }

  openPadded(nonce: Uint8Array, sealed: Uint8Array): Buffer | undefined {
    const padded = this.open(nonce, sealed);
    return padded && unpad(padded);
  }
}

/**
 * The nonce of an answer: the command's, read backwards. (The protocol text says "increased by 1"; the real servers and
 * clients read it backwards, and so both ends of ours do.)
 */
export function answerNonce(nonce: Uint8Array): Buffer {
  return Buffer.from(nonce).reverse();
}

/** Other lengths are cut, or filled with zeros, as the real servers do with ids of strangers. */
function nonceOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length === NONCE_BYTES) return bytes;
  const nonce = new Uint8Array(NONCE_BYTES);
  nonce.set(bytes.subarray(0, NONCE_BYTES));
  return nonce;
}

function wordsOf(secret: Uint8Array): Uint32Array {
  if (secret.length !== 32) {
    throw new SquallError(`box: a shared secret of ${secret.length} bytes; expected 32`, { code: 'bad-key' });
  }
  return new Uint32Array(Uint8Array.from(secret).buffer);
}
