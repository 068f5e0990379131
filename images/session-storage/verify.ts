import { SquallError } from '../../harness/errors/index.ts';
import { verifyEd25519 } from '../../harness/identity/index.ts';
import {
  ACCESS,
  type Account,
  type Authorization,
  type Subaccount,
  signingKeyOf,
} from '../session-kit/index.ts';

export interface Verification {
  readonly account: Account;
  readonly authorization: Authorization;
  /** What is signed. */
  readonly text: Uint8Array;
  /** Bits that a subaccount's token has to have. */
  readonly access: number;
  readonly isRevoked: (token: Buffer) => boolean;
}

/** Whether a request was signed by its account, or by a subaccount that the account allowed as much. */
export function isAuthorized({ account, authorization, text, access, isRevoked }: Verification): boolean {
  const owner = signingKeyOf(account, authorization.ed25519);
  if (owner === undefined) return false;
  const { subaccount } = authorization;
  if (subaccount === undefined) return verified(owner, text, authorization.signature);
  if (isRevoked(subaccount.token) || !allows(subaccount, account, access)) return false;
  return (
    verified(owner, subaccount.token, subaccount.signature) &&
    verified(subaccount.token.subarray(4), text, authorization.signature)
  );
}

function allows({ token }: Subaccount, account: Account, access: number): boolean {
  const [kind, flags] = [token[0] as number, token[1] as number];
  return (kind === account.kind || (flags & ACCESS.anyPrefix) !== 0) && (flags & access) === access;
}

/** Nonsense instead of a key verifies nothing. */
function verified(key: Uint8Array, text: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verifyEd25519(key, text, signature);
  } catch (error) {
    if (error instanceof SquallError) throw error;
    return false;
  }
}
