import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../engine/index.ts';
import { LABEL, parseOwner } from '../testnet/index.ts';

/** Marks every process that descends from a tormented run, so that none is overlooked. */
export const MARK = 'SQUALL_TORTURE_ID';

/** How long what must go is waited for. The bounds of contracts, "Host", are judged by the part that kills. */
const PATIENCE_MS = 120_000;
const LOOK_EVERY_MS = 100;

/** What a part works with. */
export interface World {
  readonly engine: Engine;
  /** A folder of the attempt's own, removed after it. */
  readonly folder: string;
  /** Value of `MARK` for this attempt. */
  readonly mark: string;
  readonly signal: AbortSignal;
}

export async function inWorld<T>(
  engine: Engine,
  signal: AbortSignal,
  work: (world: World) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'squall-torture-'));
  const mark = folder.slice(-6) + process.pid;
  mkdirSync(join(folder, 'reports'));
  try {
    return await work({ engine, folder, mark, signal });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What of a run's is still there: containers and networks of these processes, and marked processes. */
export async function leftBehind(world: World, pids: readonly number[]): Promise<readonly string[]> {
  return [
    ...(await resourcesLeft(world, pids)),
    ...markedProcesses(world.mark).map((pid) => `process ${pid}: ${commandOf(pid)}`),
  ];
}

/** Containers and networks that say that one of these processes answers for them. */
export async function resourcesLeft(world: World, pids: readonly number[]): Promise<readonly string[]> {
  const { engine } = world;
  const [containers, networks] = await Promise.all([
    engine.listContainers([LABEL.run]),
    engine.listNetworks([LABEL.run]),
  ]);
  const isOurs = ({ labels }: { readonly labels: Readonly<Record<string, string>> }): boolean =>
    pids.includes(parseOwner(labels[LABEL.owner] ?? '')?.pid ?? -1);
  return [
    ...containers.filter(isOurs).map(({ name }) => `container ${name}`),
    ...networks.filter(isOurs).map(({ name }) => `network ${name}`),
  ];
}

/**
 * Waits until nothing of it is left.
 * @returns ms that it took, and what was left when there was no more patience
 */
export async function awaitGone(
  world: World,
  pids: readonly number[],
  withinMs = PATIENCE_MS,
): Promise<{ readonly tookMs: number; readonly left: readonly string[] }> {
  const beganMs = performance.now();
  for (;;) {
    const left = await leftBehind(world, pids);
    const tookMs = Math.round(performance.now() - beganMs);
    if (left.length === 0 || tookMs > withinMs) return { tookMs, left };
    await sleep(LOOK_EVERY_MS, undefined, { signal: world.signal });
  }
}

/** Living processes that carry the mark in the environment they were started with. */
export function markedProcesses(mark: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      const environment = readOrNothing(`/proc/${name}/environ`);
      return environment.split('\0').includes(`${MARK}=${mark}`);
    })
    .map(Number);
}

function commandOf(pid: number): string {
  return readOrNothing(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

/** A process may end between being listed and being looked at, and a zombie has nothing to say. */
function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (!existsSync(path) || ['ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return '';
    throw error;
  }
}
