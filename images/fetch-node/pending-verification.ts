import type { ChunkKey } from './chunk-key.ts';

export interface PendingLimits {
  /** Keys that wait for verification, and places kept for keys that are being fetched. */
  readonly capacity: number;
  /** Advertisers remembered for a key; they may be asked for it besides its close group. */
  readonly hintsPerKey: number;
  /** Pause before a key that came back is verified again. */
  readonly retryMs: number;
  /** A key that has not been verified for so long is forgotten. */
  readonly maximumAgeMs: number;
}

export interface PendingKey {
  readonly key: ChunkKey;
  readonly hints: ReadonlySet<string>;
}

interface Pending {
  readonly hints: Set<string>;
  readonly sinceMs: number;
  dueMs: number;
  verifying: boolean;
}

/** Keys that somebody advertised and that a quorum is yet to confirm, with places kept for those that may come back. */
export class PendingVerification {
  readonly counts = { refused: 0, expired: 0, lost: 0 };
  readonly #limits: PendingLimits;
  readonly #nowMs: () => number;
  readonly #onLost: (key: ChunkKey, reason: 'full' | 'expired') => void;
  readonly #pending = new Map<ChunkKey, Pending>();
  readonly #reserved = new Set<ChunkKey>();

  constructor(
    limits: PendingLimits,
    nowMs: () => number,
    onLost: (key: ChunkKey, reason: 'full' | 'expired') => void,
  ) {
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#onLost = onLost;
  }

  get size(): number {
    return this.#pending.size;
  }

  get reserved(): number {
    return this.#reserved.size;
  }

  has(key: ChunkKey): boolean {
    return this.#pending.has(key);
  }

  /** A key was advertised. @returns whether it is here now */
  admit(key: ChunkKey, by: string): boolean {
    const known = this.#pending.get(key);
    if (known) {
      if (known.hints.size < this.#limits.hintsPerKey) known.hints.add(by);
      return true;
    }
    if (this.#isFull()) {
      this.counts.refused += 1;
      return false;
    }
    this.#add(key, [by], this.#nowMs());
    return true;
  }

  /** Keys whose time has come, at most `count`; they are under verification until `verified` or `unverified`. */
  takeDue(count: number): readonly PendingKey[] {
    const nowMs = this.#nowMs();
    const due: PendingKey[] = [];
    for (const [key, pending] of this.#pending) {
      if (pending.verifying || pending.dueMs > nowMs) continue;
      if (nowMs - pending.sinceMs > this.#limits.maximumAgeMs) {
        this.#pending.delete(key);
        this.counts.expired += 1;
        this.#onLost(key, 'expired');
        continue;
      }
      if (due.length === count) break;
      pending.verifying = true;
      due.push({ key, hints: pending.hints });
    }
    return due;
  }

  /** It leaves for the fetch queue, and its place is kept. */
  verified(key: ChunkKey): void {
    if (this.#pending.delete(key)) this.#reserved.add(key);
  }

  unverified(key: ChunkKey): void {
    const pending = this.#pending.get(key);
    if (!pending) return;
    pending.verifying = false;
    pending.dueMs = this.#nowMs() + this.#limits.retryMs;
  }

  /** It is not wanted any more. */
  remove(key: ChunkKey): void {
    this.#pending.delete(key);
  }

  release(key: ChunkKey): void {
    this.#reserved.delete(key);
  }

  /** A key that could not be fetched. Without a place kept for it, and none free, it is lost. */
  takeBack(key: ChunkKey, hints: readonly string[], reserved: boolean): void {
    if (reserved) this.#reserved.delete(key);
    else if (this.#isFull()) {
      this.counts.lost += 1;
      this.#onLost(key, 'full');
      return;
    }
    this.#add(key, hints, this.#nowMs() + this.#limits.retryMs);
  }

  #isFull(): boolean {
    return this.#pending.size + this.#reserved.size >= this.#limits.capacity;
  }

  #add(key: ChunkKey, hints: readonly string[], dueMs: number): void {
    this.#pending.set(key, { hints: new Set(hints), sinceMs: this.#nowMs(), dueMs, verifying: false });
  }
}
