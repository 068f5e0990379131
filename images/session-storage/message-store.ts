import { isPublicOutbox, type Namespace } from '../session-kit/index.ts';
import type { StoredMessage } from './message.ts';

/** Of an account, by hash in the order of arrival; copies, which only a mutant keeps, under keys of their own. */
type Messages = Map<string, StoredMessage>;

export interface RetrieveLimits {
  /** Only what came after the message of that hash; everything when it is not here. */
  readonly lastHash: string | undefined;
  readonly maxCount: number;
  readonly maxSizeBytes: number;
}

/** Messages by account, in memory. Expired ones are nowhere to be seen, and gone once `expire` has passed over them. */
export class MessageStore {
  readonly #accounts = new Map<string, Messages>();
  readonly #revoked = new Map<string, Set<string>>();
  readonly #nowMs: () => number;
  readonly #maxBytes: number;
  #sizeBytes = 0;
  #count = 0;

  /** @param nowMs the node's own wall clock */
  constructor(nowMs: () => number, maxBytes: number) {
    this.#nowMs = nowMs;
    this.#maxBytes = maxBytes;
  }

  get count(): number {
    return this.#count;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  accounts(): readonly string[] {
    return [...this.#accounts.keys()];
  }

  /**
   * Keeps a message. One that is there already stays, with the later expiry of the two; a public outbox keeps the newest alone.
   * @param options.keepsCopies one that is there already is kept a second time, as no node should
   * @returns whether it is new and until when it is kept, or undefined when there is no room
   */
  put(
    message: StoredMessage,
    { keepsCopies = false } = {},
  ): { readonly isNew: boolean; readonly expiryMs: number } | undefined {
    const kept = this.#find(message.account, message.hash);
    const isCopy = kept !== undefined && kept.namespace === message.namespace;
    if (isCopy && !keepsCopies) {
      const expiryMs = Math.max(kept.expiryMs, message.expiryMs);
      this.#set({ ...kept, expiryMs });
      return { isNew: false, expiryMs };
    }
    if (this.#sizeBytes + message.data.length > this.#maxBytes) return undefined;
    if (isPublicOutbox(message.namespace))
      this.#remove(message.account, this.#in(message.account, message.namespace));
    const messages = this.#accounts.get(message.account) ?? new Map();
    const key = isCopy ? `${message.hash} ${messages.size}` : message.hash;
    this.#accounts.set(message.account, messages.set(key, message));
    this.#sizeBytes += message.data.length;
    this.#count += 1;
    return { isNew: true, expiryMs: message.expiryMs };
  }

  /** The oldest that fit, at least one where there is any. */
  retrieve(
    account: string,
    namespace: Namespace,
    limits: RetrieveLimits,
  ): { readonly messages: readonly StoredMessage[]; readonly more: boolean } {
    const all = this.#in(account, namespace);
    const last = all.findIndex(({ hash }) => hash === limits.lastHash);
    const messages: StoredMessage[] = [];
    let sizeBytes = 0;
    for (const message of all.slice(last + 1)) {
      sizeBytes += message.data.length;
      const isFull = messages.length >= limits.maxCount || sizeBytes > limits.maxSizeBytes;
      if (isFull && messages.length > 0) return { messages, more: true };
      messages.push(message);
    }
    return { messages, more: false };
  }

  /** Everything of an account, all namespaces. */
  all(account: string): readonly StoredMessage[] {
    const nowMs = this.#nowMs();
    return [...(this.#accounts.get(account)?.values() ?? [])].filter(({ expiryMs }) => expiryMs > nowMs);
  }

  /** @returns hashes of what was there */
  delete(account: string, hashes: readonly string[]): string[] {
    return this.#remove(account, this.#named(account, hashes));
  }

  deleteAll(
    account: string,
    namespace: Namespace | 'all',
    beforeMs = Number.POSITIVE_INFINITY,
  ): StoredMessage[] {
    const found = this.#in(account, namespace).filter(({ timestampMs }) => timestampMs <= beforeMs);
    this.#remove(account, found);
    return found;
  }

  /**
   * Sets expiries by hash, as long as they change in the direction wanted.
   * @returns what was changed, as it is now
   */
  setExpiries(
    account: string,
    expiries: ReadonlyMap<string, number>,
    only: 'shorten' | 'extend' | undefined,
  ): StoredMessage[] {
    return this.#named(account, [...expiries.keys()]).flatMap((message) => {
      const expiryMs = expiries.get(message.hash) as number;
      if (only === 'shorten' && expiryMs >= message.expiryMs) return [];
      if (only === 'extend' && expiryMs <= message.expiryMs) return [];
      return [this.#set({ ...message, expiryMs })];
    });
  }

  /** Shortens what would live longer. @returns what was changed */
  shortenAll(account: string, namespace: Namespace | 'all', expiryMs: number): StoredMessage[] {
    const later = this.#in(account, namespace).filter((message) => message.expiryMs > expiryMs);
    return later.map((message) => this.#set({ ...message, expiryMs }));
  }

  expiries(account: string, hashes: readonly string[]): ReadonlyMap<string, number> {
    return new Map(this.#named(account, hashes).map(({ hash, expiryMs }) => [hash, expiryMs]));
  }

  revoke(account: string, tokens: readonly Buffer[]): void {
    const revoked = this.#revoked.get(account) ?? new Set();
    for (const token of tokens) revoked.add(token.toString('hex'));
    this.#revoked.set(account, revoked);
  }

  /** @returns how many of them had been revoked */
  unrevoke(account: string, tokens: readonly Buffer[]): number {
    const revoked = this.#revoked.get(account);
    return tokens.filter((token) => revoked?.delete(token.toString('hex'))).length;
  }

  isRevoked(account: string, token: Buffer): boolean {
    return this.#revoked.get(account)?.has(token.toString('hex')) ?? false;
  }

  /** Lets go of what has expired. @returns how many that were */
  expire(): number {
    const nowMs = this.#nowMs();
    let expired = 0;
    for (const [account, messages] of this.#accounts) {
      const over = [...messages.values()].filter(({ expiryMs }) => expiryMs <= nowMs);
      expired += this.#remove(account, over).length;
    }
    return expired;
  }

  #in(account: string, namespace: Namespace | 'all'): readonly StoredMessage[] {
    const all = this.all(account);
    return namespace === 'all' ? all : all.filter((message) => message.namespace === namespace);
  }

  #find(account: string, hash: string): StoredMessage | undefined {
    const found = this.#accounts.get(account)?.get(hash);
    return found && found.expiryMs > this.#nowMs() ? found : undefined;
  }

  #named(account: string, hashes: readonly string[]): StoredMessage[] {
    return [...new Set(hashes)].flatMap((hash) => this.#find(account, hash) ?? []);
  }

  #set(message: StoredMessage): StoredMessage {
    this.#accounts.get(message.account)?.set(message.hash, message);
    return message;
  }

  #remove(account: string, messages: readonly StoredMessage[]): string[] {
    const kept = this.#accounts.get(account);
    const hashes = new Set(messages.map(({ hash }) => hash));
    for (const [key, { hash, data }] of hashes.size > 0 && kept ? kept : []) {
      if (!hashes.has(hash)) continue;
      kept?.delete(key);
      this.#sizeBytes -= data.length;
      this.#count -= 1;
    }
    if (kept?.size === 0) this.#accounts.delete(account);
    return messages.map(({ hash }) => hash);
  }
}
