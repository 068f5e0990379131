import type { Identity } from '../../harness/identity/index.ts';
import { ringPosition } from './ring.ts';
import { SIZE } from './sizes.ts';
import { x25519OfEd25519 } from './x25519-of-ed25519.ts';

/** An account as requests name it: a byte that says its kind, and its key. */
export interface Account {
  /** 66 lower-case hexadecimal digits. */
  readonly id: string;
  /** 0x05 a person (the key is X25519), 0x03 a group (Ed25519); others are stored for all the same. */
  readonly kind: number;
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** Where it lies on the ring of swarms. */
  readonly position: bigint;
}

/** @returns undefined for anything but 66 hexadecimal digits */
export function parseAccount(text: unknown): Account | undefined {
  if (typeof text !== 'string' || text.length !== SIZE.accountDigits || !/^[0-9a-fA-F]+$/.test(text))
    return undefined;
  const bytes = Buffer.from(text, 'hex');
  const key = bytes.subarray(1);
  return { id: text.toLowerCase(), kind: bytes[0] as number, key, position: ringPosition(key) };
}

/** The account of a person: 05 and the X25519 key that belongs to the identity's Ed25519 key. */
export function personalAccount(identity: Identity): Account {
  return parseAccount(`05${Buffer.from(identity.x25519.publicKey).toString('hex')}`) as Account;
}

/** The account of a group: 03 and the identity's Ed25519 key. */
export function groupAccount(identity: Identity): Account {
  return parseAccount(`03${identity.id}`) as Account;
}

/**
 * The Ed25519 key that an account's requests are signed with.
 * @param claimed the key that a request of a person (05) brings along, 32 bytes
 * @returns undefined when the claimed key is not that account's
 */
export function signingKeyOf(account: Account, claimed: Uint8Array | undefined): Uint8Array | undefined {
  if (account.kind !== 5 || claimed === undefined) return account.key;
  const x25519 = x25519OfEd25519(claimed);
  return x25519?.equals(account.key) ? claimed : undefined;
}
