import { createHash } from 'node:crypto';
import { SquallError } from '../../harness/errors/index.ts';
import { type Ed25519Key, verifyEd25519, type X25519Key } from '../../harness/identity/index.ts';
import { BoxKey, TAG_BYTES } from './box.ts';
import { joined, short } from './byte-writer.ts';
import type { PublicKey } from './public-key.ts';
import { NOTHING } from './transmission.ts';

/** A key that authorizes commands for a queue: by a signature, or by an authenticator that only the server can check. */
export type AuthorizationKey =
  | { readonly curve: 'ed25519'; readonly key: Ed25519Key }
  | { readonly curve: 'x25519'; readonly key: X25519Key };

const SIGNATURE_BYTES = 64;
const AUTHENTICATOR_BYTES = 64 + TAG_BYTES;

export function publicPart({ curve, key }: AuthorizationKey): PublicKey {
  return { curve, bytes: key.publicKey };
}

interface Authorized {
  readonly sessionId: Uint8Array;
  readonly correlationId: Uint8Array;
  /** What follows the session's id: correlation id, entity id and command. */
  readonly signed: Uint8Array;
}

/**
 * The authorization of a transmission; nothing without a key. Ed25519 signs what is authorized; X25519 boxes its SHA-512
 * with the server's key of the session, the correlation id being the nonce.
 */
export function authorize(
  key: AuthorizationKey | undefined,
  serverKey: Uint8Array,
  transmission: Authorized,
): Uint8Array {
  if (!key) return NOTHING;
  const bytes = bytesOf(transmission);
  if (key.curve === 'ed25519') return key.key.sign(bytes);
  return new BoxKey(key.key, serverKey).seal(transmission.correlationId, sha512(bytes));
}

/** Whether `authorization` is that key's. Whatever a stranger sends, this answers and throws nothing. */
export function isAuthorized(
  authorization: Uint8Array,
  key: PublicKey,
  serverKey: X25519Key,
  transmission: Authorized,
): boolean {
  const bytes = bytesOf(transmission);
  if (key.curve === 'ed25519') {
    return authorization.length === SIGNATURE_BYTES && verifyEd25519(key.bytes, bytes, authorization);
  }
  if (authorization.length !== AUTHENTICATOR_BYTES) return false;
  const box = boxWith(serverKey, key.bytes);
  return box?.open(transmission.correlationId, authorization)?.equals(sha512(bytes)) ?? false;
}

/** Whether the size is one that an authorization can have: none, a signature's or an authenticator's. */
export function isAuthorizationSize(sizeBytes: number): boolean {
  return [0, SIGNATURE_BYTES, AUTHENTICATOR_BYTES].includes(sizeBytes);
}

/** The box with a stranger's key. @returns undefined when that is no key to agree with */
export function boxWith(own: X25519Key, peerPublicKey: Uint8Array): BoxKey | undefined {
  try {
    return new BoxKey(own, peerPublicKey);
  } catch (error) {
    if (error instanceof SquallError && error.code === 'bad-key') return undefined;
    throw error;
  }
}

function bytesOf({ sessionId, signed }: Authorized): Buffer {
  return joined(short(sessionId), signed);
}

function sha512(bytes: Uint8Array): Buffer {
  return createHash('sha512').update(bytes).digest();
}
