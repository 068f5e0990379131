import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SquallError } from '../errors/index.ts';
import { isAlive, type ProcessIdentity, selfIdentity } from './process-identity.ts';

/** A lock file that this process owns until released; releasing twice is harmless. */
export interface HeldLock {
  readonly path: string;
  release(): void;
}

export interface LockOptions {
  /** Kept in the file for whoever reads it: run and bed ids, what is being built. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

interface LockFile extends ProcessIdentity {
  readonly token: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

function readLockFile(path: string): LockFile | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as LockFile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // Lock files appear whole (see `place`), so an unreadable one is nobody's.
    if (error instanceof SyntaxError) return { pid: 0, startTime: '', token: '', facts: {} };
    throw error;
  }
}

/** Puts the file there with its content in one step: a reader never sees half a lock. */
function place(path: string, content: string): boolean {
  const draft = `${path}.${randomUUID()}.draft`;
  writeFileSync(draft, content, { mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Moves a dead owner's file aside. Rename, then look at what was moved: when another process took the lock over
 * between our look and our rename, the moved file is a living owner's and goes back.
 */
function removeStale(path: string, stale: LockFile): void {
  const aside = `${path}.${randomUUID()}.stale`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = readLockFile(aside);
  if (moved !== undefined && moved.token !== stale.token) linkSync(aside, path);
  rmSync(aside, { force: true });
}

/** Takes the lock, or returns undefined when a living process has it. Creates the folder. */
export function tryLock(path: string, options: LockOptions = {}): HeldLock | undefined {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  const token = randomUUID();
  const content = JSON.stringify({ ...selfIdentity(), token, facts: options.facts ?? {} } satisfies LockFile);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (place(path, content)) {
      return {
        path,
        release: () => {
          if (readLockFile(path)?.token === token) rmSync(path, { force: true });
        },
      };
    }
    const holder = readLockFile(path);
    if (holder !== undefined && isAlive(holder)) return undefined;
    if (holder !== undefined) removeStale(path, holder);
  }
  return undefined;
}

/** The living owner of a lock with its facts; undefined when free or stale. */
export function readLockOwner(
  path: string,
): { readonly owner: ProcessIdentity; readonly facts: Readonly<Record<string, unknown>> } | undefined {
  const holder = readLockFile(path);
  if (holder === undefined || !isAlive(holder)) return undefined;
  return { owner: { pid: holder.pid, startTime: holder.startTime }, facts: holder.facts };
}

/**
 * Waits until the lock is ours, looking every 100 ms.
 * @throws SquallError `lock-timeout` after `withinMs`; the signal's reason when aborted.
 */
export async function acquireLock(
  path: string,
  options: LockOptions & {
    readonly withinMs: number;
    readonly signal?: AbortSignal;
    readonly onWait?: (owner: ProcessIdentity) => void;
  },
): Promise<HeldLock> {
  const deadline = performance.now() + options.withinMs;
  let told = false;
  for (;;) {
    options.signal?.throwIfAborted();
    const held = tryLock(path, options);
    if (held) return held;
    const holder = readLockOwner(path);
    if (holder && !told) options.onWait?.(holder.owner);
    told ||= holder !== undefined;
    if (performance.now() > deadline) {
      throw new SquallError(
        `lock ${path}: still held by process ${holder?.owner.pid ?? 'unknown'}; expected it free within ${options.withinMs} ms`,
        { code: 'lock-timeout', facts: { path, holder }, hint: 'Wait for that process, or end it.' },
      );
    }
    await delay(100, undefined, options.signal ? { signal: options.signal } : {});
  }
}
