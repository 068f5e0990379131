import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../engine/index.ts';
import { describeError, SquallError } from '../errors/index.ts';
import { readLockOwner, stateHome, tryLock } from '../state/index.ts';
import { connectKeeper } from './keeper-client.ts';
import { bedsDir, type KeeperEntry, listKeepers, removeCard } from './keeper-files.ts';
import { type OwnerLife, ownerLife, parseOwner } from './owner.ts';
import { listLeftovers, removeResources } from './remove-resources.ts';
import { LABEL } from './types.ts';

/** Logs of watchdogs and keepers that nobody needs any more. */
const OLD_LOG_MS = 24 * 3_600_000;

/** A bed of a few hundred nodes is gone by then. */
const DOWN_WITHIN_MS = 120_000;

/** What one bed (or one run's loose things) has in the engine, and whether somebody answers for it. */
export interface SweepGroup {
  readonly runId: string;
  /** Empty for things of a run that belong to no bed. */
  readonly bedId: string;
  readonly containers: number;
  readonly networks: number;
  /** Of the owner on the labels, or of the bed's keeper when that lives. */
  readonly owner: OwnerLife;
  readonly kept: boolean;
  readonly ageMs: number;
  readonly decision: 'remove' | 'leave';
  readonly reason: string;
  /** Absent in a dry run and for what was left. */
  readonly outcome?: 'removed' | { readonly failed: string };
}

export interface SweepReport {
  readonly groups: readonly SweepGroup[];
  readonly staleFiles: readonly string[];
}

export interface SweepOptions {
  readonly dryRun: boolean;
  /** Removes kept beds too, and things whose owner cannot be seen from here, when they are older than this. */
  readonly olderThanMs?: number;
  readonly onProgress?: (text: string) => void;
}

type Found = Omit<SweepGroup, 'decision' | 'reason' | 'outcome'>;

/**
 * Finishes what dead runs left behind, from any process. Whoever's owner lives is left alone, except that a kept bed
 * may be too old; an owner on another host or in another PID namespace counts as living until it is too old.
 */
export async function sweep(engine: Engine, options: SweepOptions): Promise<SweepReport> {
  const keepers = listKeepers();
  const found = await findGroups(engine, keepers);
  const groups: SweepGroup[] = [];
  for (const group of found) {
    const { remove, reason } = judgeGroup(group, options.olderThanMs);
    if (!remove || options.dryRun) {
      groups.push({ ...group, decision: remove ? 'remove' : 'leave', reason });
      continue;
    }
    options.onProgress?.(`removing ${group.bedId || group.runId}: ${group.containers} containers`);
    groups.push({ ...group, decision: 'remove', reason, outcome: await removeGroup(engine, group) });
  }
  return { groups, staleFiles: sweepFiles(keepers, options.dryRun) };
}

/** Pure: what is to be done with a group. */
export function judgeGroup(
  group: Pick<Found, 'owner' | 'kept' | 'ageMs'>,
  olderThanMs: number | undefined,
): { readonly remove: boolean; readonly reason: string } {
  if (group.owner === 'dead') return { remove: true, reason: 'its owner is dead' };
  const tooOld = olderThanMs !== undefined && group.ageMs > olderThanMs;
  if (group.kept) {
    return tooOld
      ? { remove: true, reason: 'a kept bed, older than asked' }
      : { remove: false, reason: 'kept by `squall up`; take it down with `squall down`' };
  }
  if (group.owner === 'alive') return { remove: false, reason: 'its run is under way' };
  return tooOld
    ? { remove: true, reason: 'its owner cannot be seen from here, and it is older than asked' }
    : { remove: false, reason: 'its owner cannot be seen from here; give --older-than' };
}

async function findGroups(engine: Engine, keepers: readonly KeeperEntry[]): Promise<readonly Found[]> {
  const left = await listLeftovers(engine, [LABEL.run]);
  const kept = new Map(keepers.map(({ card, life }) => [card.bedId, life]));
  const groups = new Map<string, Found>();
  const add = (
    labels: Readonly<Record<string, string>>,
    what: 'containers' | 'networks',
    createdAtMs?: number,
  ): void => {
    const runId = labels[LABEL.run] ?? '';
    const bedId = labels[LABEL.bed] ?? '';
    const owner = parseOwner(labels[LABEL.owner]);
    const labelled = owner ? ownerLife(owner) : 'unknown';
    const keeper = kept.get(bedId);
    const key = `${runId}\n${bedId}`;
    const before = groups.get(key) ?? {
      runId,
      bedId,
      containers: 0,
      networks: 0,
      owner: 'dead',
      kept: keeper === 'alive',
      ageMs: 0,
    };
    const created = Number(labels[LABEL.created] ?? createdAtMs);
    groups.set(key, {
      ...before,
      [what]: before[what] + 1,
      owner: keeper === 'alive' ? 'alive' : mostAlive(before.owner, labelled),
      ageMs: Math.max(before.ageMs, Number.isFinite(created) ? Date.now() - created : 0),
    });
  };
  for (const { labels, createdAtMs } of left.containers) add(labels, 'containers', createdAtMs);
  for (const { labels } of left.networks) add(labels, 'networks');
  return [...groups.values()];
}

function mostAlive(a: OwnerLife, b: OwnerLife): OwnerLife {
  const rank: Record<OwnerLife, number> = { dead: 0, unknown: 1, alive: 2 };
  return rank[a] >= rank[b] ? a : b;
}

async function removeGroup(engine: Engine, group: Found): Promise<NonNullable<SweepGroup['outcome']>> {
  try {
    if (group.kept) await askDown(group.bedId);
    const labels = [`${LABEL.run}=${group.runId}`, ...(group.bedId ? [`${LABEL.bed}=${group.bedId}`] : [])];
    await removeResources(engine, labels, { emptyListings: 2, pauseMs: 200 });
    return 'removed';
  } catch (error) {
    return { failed: describeError(error) };
  }
}

/** A living keeper takes its own bed down; one that does not answer in time loses it all the same. */
async function askDown(bedId: string): Promise<void> {
  try {
    using keeper = await connectKeeper({ bed: bedId });
    await keeper.request('down', {}, { signal: AbortSignal.timeout(DOWN_WITHIN_MS) });
  } catch (error) {
    const isMute = error instanceof Error && error.name === 'TimeoutError';
    if (!isMute && !(error instanceof SquallError)) throw error;
  }
}

/** Cards and sockets of dead keepers, subnet leases of dead processes, logs a day old. */
function sweepFiles(keepers: readonly KeeperEntry[], dryRun: boolean): readonly string[] {
  const stale: string[] = [];
  for (const { card, life } of keepers) {
    if (life !== 'dead') continue;
    stale.push(join(bedsDir(), `${card.bedId}.json`));
    if (!dryRun) removeCard(card.bedId);
  }
  const living = new Set(keepers.filter(({ life }) => life !== 'dead').map(({ card }) => card.bedId));
  for (const path of filesOf(bedsDir(), '.sock')) {
    if (!living.has(nameOf(path, '.sock'))) stale.push(...drop(path, dryRun));
  }
  for (const path of [...filesOf(bedsDir(), '.lock'), ...filesOf(join(stateHome(), 'subnets'), '.lease')]) {
    if (isFree(path, dryRun)) stale.push(path);
  }
  for (const path of [...filesOf(bedsDir(), '.log'), ...filesOf(join(stateHome(), 'watchdogs'), '.log')]) {
    const ageMs = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (ageMs > OLD_LOG_MS && !living.has(nameOf(path, '.log'))) stale.push(...drop(path, dryRun));
  }
  return stale;
}

function drop(path: string, dryRun: boolean): readonly string[] {
  if (!dryRun) rmSync(path, { force: true });
  return [path];
}

function nameOf(path: string, suffix: string): string {
  return path.slice(path.lastIndexOf('/') + 1, -suffix.length);
}

/** Whether a lock file's owner is dead; takes it away by the lock's own rules, so that no living owner loses it. */
function isFree(path: string, dryRun: boolean): boolean {
  if (dryRun) return readLockOwner(path) === undefined;
  const held = tryLock(path);
  held?.release();
  return held !== undefined;
}

function filesOf(directory: string, suffix: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(suffix))
      .map((name) => join(directory, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
