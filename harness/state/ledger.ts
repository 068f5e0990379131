import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SquallError } from '../errors/index.ts';
import { acquireLock } from './lock.ts';
import { stateHome } from './state-home.ts';

/** One change that we made to the host, kept until it is undone. */
export type LedgerEntry = { readonly id: string; readonly at: string } & (
  | { readonly kind: 'limit'; readonly path: string; readonly from: string; readonly to: string }
  | { readonly kind: 'packages-installed'; readonly packages: readonly string[] }
);

type WithoutStamp<T> = T extends unknown ? Omit<T, 'id' | 'at'> : never;
export type NewLedgerEntry = WithoutStamp<LedgerEntry>;

/**
 * The list of what Squall changed on this host, oldest first. Written before the change is made, so that a change
 * without an entry cannot exist; each write replaces the file in one step under a lock.
 */
export class Ledger {
  readonly path: string;

  constructor(directory: string = stateHome()) {
    this.path = join(directory, 'host-ledger.json');
  }

  /** @throws SquallError `ledger-unreadable` when the file is not ours to understand. */
  entries(): readonly LedgerEntry[] {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
    try {
      return (JSON.parse(text) as { entries: LedgerEntry[] }).entries;
    } catch (cause) {
      throw new SquallError(`ledger ${this.path}: cannot be read; expected JSON that Squall wrote`, {
        code: 'ledger-unreadable',
        hint: 'Move the file aside; the changes it lists must then be undone by hand.',
        cause,
      });
    }
  }

  async add(entry: NewLedgerEntry): Promise<LedgerEntry> {
    const stamped = { ...entry, id: randomUUID(), at: new Date().toISOString() } as LedgerEntry;
    await this.#change((entries) => [...entries, stamped]);
    return stamped;
  }

  async remove(id: string): Promise<void> {
    await this.#change((entries) => entries.filter((entry) => entry.id !== id));
  }

  async #change(change: (entries: readonly LedgerEntry[]) => readonly LedgerEntry[]): Promise<void> {
    mkdirSync(dirname(this.path), { recursive: true });
    const lock = await acquireLock(`${this.path}.lock`, { withinMs: 10_000 });
    try {
      const draft = `${this.path}.draft`;
      writeFileSync(draft, `${JSON.stringify({ version: 1, entries: change(this.entries()) }, null, 2)}\n`);
      renameSync(draft, this.path);
    } finally {
      lock.release();
    }
  }
}
