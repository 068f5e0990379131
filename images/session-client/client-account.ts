import { type Identity, identityOf } from '../../harness/identity/index.ts';
import { joined, personalAccount, signedNamespace } from '../session-kit/index.ts';

/** Anybody may store here, and its owner reads it. */
const INBOX = 0;
const SEEN_MAX = 100_000;

/** The account of a label in a run: 66 hexadecimal digits. */
export function accountId(seed: string, label: string): string {
  return personalAccount(accountIdentity(seed, label)).id;
}

function accountIdentity(seed: string, label: string): Identity {
  return identityOf(seed, `account/${label}`);
}

/** An account that a client reads: its own, or one that others read too. */
export class ClientAccount {
  /** For events and admin requests. */
  readonly label: string;
  readonly shared: boolean;
  /** 66 hexadecimal digits. */
  readonly id: string;
  readonly #ed25519: string;
  readonly #sign: (message: Uint8Array) => Uint8Array;
  /** The last message that was read. */
  lastHash: string | undefined;
  readonly #seen = new Set<string>();

  /** @param label the same seed and label give the same account, wherever */
  constructor(seed: string, label: string, shared: boolean) {
    const identity = accountIdentity(seed, label);
    this.label = label;
    this.shared = shared;
    this.id = personalAccount(identity).id;
    this.#ed25519 = identity.id;
    this.#sign = (message) => identity.ed25519.sign(message);
  }

  storeParams(data: Uint8Array, networkMs: number, ttlMs: number): Readonly<Record<string, unknown>> {
    return {
      pubkey: this.id,
      namespace: INBOX,
      timestamp: networkMs,
      ttl: ttlMs,
      data: Buffer.from(data).toString('base64'),
    };
  }

  retrieveParams(networkMs: number): Readonly<Record<string, unknown>> {
    const signed = this.#sign(joined('retrieve', signedNamespace(INBOX), networkMs));
    return {
      pubkey: this.id,
      pubkey_ed25519: this.#ed25519,
      namespace: INBOX,
      timestamp: networkMs,
      signature: Buffer.from(signed).toString('base64'),
      ...(this.lastHash === undefined ? {} : { last_hash: this.lastHash }),
    };
  }

  /** @returns whether it is new: a node that does not know the last hash gives all that it has */
  see(hash: string): boolean {
    this.lastHash = hash;
    if (this.#seen.has(hash)) return false;
    this.#seen.add(hash);
    if (this.#seen.size > SEEN_MAX)
      for (const oldest of [...this.#seen].slice(0, SEEN_MAX / 2)) this.#seen.delete(oldest);
    return true;
  }
}
