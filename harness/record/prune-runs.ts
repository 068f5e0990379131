import { lstat, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** What of the runs below a folder may stay; what is absent is no limit. */
export interface Retention {
  /** Newest runs that stay. */
  readonly runs?: number;
  /** Bytes of all runs together. */
  readonly sizeBytes?: number;
  readonly ageMs?: number;
}

export interface PruneOptions extends Retention {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Only say what would be removed. */
  readonly dryRun?: boolean;
  /** Runs that stay whatever the limits say, by id. */
  readonly keep?: readonly string[];
}

export interface PrunedRun {
  readonly runId: string;
  readonly sizeBytes: number;
  readonly why: string;
}

/** A run without a verdict may be going on; one so old is not. */
const UNFINISHED_STAYS_MS = 24 * 3_600_000;

/**
 * Removes old runs below `reportsDir`, oldest first, until the limits hold. Only folders that are runs (they have a plan.json that
 * names them) are touched; the one that `latest` points at, and runs that may still be going on, stay.
 */
export async function pruneRuns(reportsDir: string, options: PruneOptions): Promise<readonly PrunedRun[]> {
  const { runs: keepRuns, sizeBytes, ageMs, nowMs, keep = [] } = options;
  const latest = await realpath(join(reportsDir, 'latest')).catch(() => undefined);
  const stored = await storedRuns(reportsDir);
  let left = stored.length;
  let total = stored.reduce((sum, run) => sum + run.sizeBytes, 0);
  const pruned: PrunedRun[] = [];
  for (const run of stored) {
    const why =
      keepRuns !== undefined && left > keepRuns
        ? `more than ${keepRuns} runs`
        : ageMs !== undefined && nowMs - run.startedMs > ageMs
          ? 'too old'
          : sizeBytes !== undefined && total > sizeBytes
            ? 'over the size allowed'
            : undefined;
    const protectedRun =
      keep.includes(run.runId) ||
      run.dir === latest ||
      (!run.judged && nowMs - run.startedMs < UNFINISHED_STAYS_MS);
    if (why === undefined || protectedRun) continue;
    if (!options.dryRun) await rm(run.dir, { recursive: true, force: true });
    pruned.push({ runId: run.runId, sizeBytes: run.sizeBytes, why });
    left -= 1;
    total -= run.sizeBytes;
  }
  return pruned;
}

interface StoredFolder {
  readonly runId: string;
  readonly dir: string;
  readonly startedMs: number;
  readonly judged: boolean;
  readonly sizeBytes: number;
}

/** Oldest first. A folder whose plan cannot be read, or names another run, is none of ours to remove. */
async function storedRuns(reportsDir: string): Promise<StoredFolder[]> {
  const names = await readdir(reportsDir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const runs: StoredFolder[] = [];
  for (const { name } of names.filter((entry) => entry.isDirectory())) {
    const dir = await realpath(join(reportsDir, name));
    const plan = await readPlan(join(dir, 'plan.json'));
    if (plan?.runId !== name) continue;
    const files = await readdir(dir);
    runs.push({
      runId: name,
      dir,
      startedMs: plan.startedMs,
      judged: files.includes('run.json'),
      sizeBytes: await sizeOf(dir),
    });
  }
  return runs.sort((a, b) => a.startedMs - b.startedMs);
}

async function readPlan(
  file: string,
): Promise<{ readonly runId: string; readonly startedMs: number } | undefined> {
  try {
    const plan = JSON.parse(await readFile(file, 'utf8')) as { runId?: unknown; startedAt?: unknown };
    const startedMs = Date.parse(String(plan.startedAt));
    return typeof plan.runId === 'string' && Number.isFinite(startedMs)
      ? { runId: plan.runId, startedMs }
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Bytes that files take; a link counts as a link. */
async function sizeOf(dir: string): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true });
  let sizeBytes = 0;
  for (const entry of entries) {
    const path = join(dir, entry.name);
    sizeBytes += entry.isDirectory() ? await sizeOf(path) : (await lstat(path)).size;
  }
  return sizeBytes;
}
