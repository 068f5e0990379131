import { randomBytes } from 'node:crypto';
import { type Ed25519Key, ed25519Key, type X25519Key, x25519Key } from '../../harness/identity/index.ts';
import { boxWith } from '../smp-kit/index.ts';

/** A key pair as it is stored: base64url. Drawn by the system's generator: nothing of a run depends on their bytes. */
export interface StoredKey {
  readonly privateKey: string;
  readonly publicKey: string;
}

const KEY_BYTES = 32;

export function newSigningKey(): StoredKey {
  return stored(randomBytes(KEY_BYTES), (bytes) => ed25519Key(bytes).publicKey);
}

export function newBoxKey(): StoredKey {
  return stored(randomBytes(KEY_BYTES), (bytes) => x25519Key(bytes).publicKey);
}

export function signingKey(privateKey: string): Ed25519Key {
  return ed25519Key(bytesOf(privateKey));
}

export function boxKey(privateKey: string): X25519Key {
  return x25519Key(bytesOf(privateKey));
}

/** Whether a stranger's text is a public X25519 key that one can agree with. */
export function isBoxKey(text: string): boolean {
  const bytes = bytesOf(text);
  return bytes.length === KEY_BYTES && boxWith(x25519Key(randomBytes(KEY_BYTES)), bytes) !== undefined;
}

export function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'base64url');
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

function stored(privateKey: Buffer, publicKeyOf: (bytes: Buffer) => Uint8Array): StoredKey {
  return { privateKey: textOf(privateKey), publicKey: textOf(publicKeyOf(privateKey)) };
}
