import type { Account } from './account.ts';
import { type Fields, parseBase64, parseKeyText, wrong } from './fields.ts';
import { SIZE } from './sizes.ts';
import { WireError } from './wire-error.ts';

/** Access that a subaccount's token gives, as bits of its second byte. */
export const ACCESS = { read: 1, write: 2, delete: 4, anyPrefix: 8 } as const;

export interface Subaccount {
  /** 36 bytes: kind of account, access bits, two zeros, Ed25519 key. */
  readonly token: Buffer;
  /** The account's signature of the token, 64 bytes. */
  readonly signature: Buffer;
}

/** What a request brings to show that it may. Not yet verified. */
export interface Authorization {
  readonly signature: Buffer;
  /** The Ed25519 key behind a personal account. */
  readonly ed25519: Buffer | undefined;
  readonly subaccount: Subaccount | undefined;
}

/** @throws WireError `wrong-shape` */
export function parseAuthorization(account: Account, fields: Fields): Authorization {
  const signature = parseSignature('signature', fields.require('signature', fields.text('signature')));
  const ed25519 = fields.bytes('pubkey_ed25519', 32);
  if (ed25519 && account.kind !== 5) {
    throw new WireError('wrong-shape', 'pubkey_ed25519 is only permitted for 05[...] pubkeys');
  }
  return { signature, ed25519, subaccount: parseSubaccount(fields) };
}

function parseSubaccount(fields: Fields): Subaccount | undefined {
  const text = fields.text('subaccount');
  if (text === undefined || text === '') return undefined;
  const signed = fields.text('subaccount_sig');
  if (signed === undefined) {
    throw new WireError(
      'wrong-shape',
      'invalid subaccount: subaccount_sig is required when using subaccount',
    );
  }
  return { token: parseToken('subaccount', text), signature: parseSignature('subaccount_sig', signed) };
}

export function parseToken(name: string, text: string): Buffer {
  const token = parseKeyText(text, SIZE.subaccountTokenBytes);
  if (!token) throw wrong(name, 'base64 or hex-encoded subaccount token');
  return token;
}

function parseSignature(name: string, text: string): Buffer {
  const signature = text.length <= 88 ? parseBase64(text) : undefined;
  if (signature?.length !== 64) throw wrong(name, 'base64 encoded Ed25519 signature');
  return signature;
}
