import { createHash } from 'node:crypto';
import { type Account, joined, type Namespace, SIZE, signedNamespace } from '../session-kit/index.ts';

/** A message as a node keeps it and hands it over. */
export interface StoredMessage {
  /** 66 hexadecimal digits. */
  readonly account: string;
  readonly namespace: Namespace;
  readonly hash: string;
  readonly timestampMs: number;
  readonly expiryMs: number;
  readonly data: Buffer;
}

/**
 * The name of a message, 43 characters of base64: the same for the same account, namespace and data, whoever stores it when.
 * (The real one is BLAKE2b of 32 bytes; this is the first 32 of 64, which nobody but the servers of one network compares.)
 */
export function messageHash(account: Account, namespace: Namespace, data: Uint8Array): string {
  const named = joined(Uint8Array.of(account.kind), account.key, signedNamespace(namespace), data);
  return createHash('blake2b512')
    .update(named)
    .digest()
    .subarray(0, 32)
    .toString('base64')
    .slice(0, SIZE.messageHashCharacters);
}
