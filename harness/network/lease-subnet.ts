import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../engine/index.ts';
import { SquallError } from '../errors/index.ts';
import { acquireLock, type HeldLock, readLockOwner, stateHome, tryLock } from '../state/index.ts';
import { readHostRoutes } from './host-routes.ts';
import { type Block, formatBlock, overlaps, parseBlock } from './ipv4.ts';
import { candidateBlocks, DEFAULT_BED_PREFIX, layoutSubnet, type SubnetLayout } from './subnet-plan.ts';

/** Choosing takes a listing of networks; another process's choice is waited for. */
const CHOICE_DEADLINE_MS = 60_000;

export interface LeaseOptions {
  /** Length of the bed's prefix, 16 to 24; 20 by default. */
  readonly prefix?: number;
  readonly runId: string;
  readonly bedId: string;
  readonly stateDir?: string;
  readonly signal?: AbortSignal;
}

/** A bed's addresses, nobody else's on this host until released or until this process ends. */
export interface SubnetLease extends SubnetLayout {
  /** Call it after the bed's networks are removed. Twice is harmless. */
  release(): void;
}

/** A lease that a living process holds. */
export interface SubnetHolder {
  readonly subnet: string;
  readonly pid: number;
  readonly runId: string;
  readonly bedId: string;
}

const SUFFIX = '.lease';

function leaseFile(folder: string, block: Block): string {
  return join(folder, `${formatBlock(block).replace('/', '-')}${SUFFIX}`);
}

function leaseNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(SUFFIX));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** All leases that living processes of this host hold. Those of dead ones are free again by themselves. */
export function listSubnetLeases(stateDir: string = stateHome()): readonly SubnetHolder[] {
  const folder = join(stateDir, 'subnets');
  return leaseNames(folder).flatMap((name) => {
    const holder = readLockOwner(join(folder, name));
    if (!holder) return [];
    const subnet = name.slice(0, -SUFFIX.length).replace('-', '/');
    const { runId, bedId } = holder.facts;
    return [{ subnet, pid: holder.owner.pid, runId: String(runId), bedId: String(bedId) }];
  });
}

/**
 * Leases a subnet for one bed: the first block that no living process holds, no network of the engine has, and the
 * host routes nowhere. Other processes on this host, and beds left by dead ones, are seen.
 * @throws SquallError `no-subnet-left` with who holds what.
 */
export async function leaseSubnet(
  engine: Pick<Engine, 'listNetworks'>,
  options: LeaseOptions,
): Promise<SubnetLease> {
  const prefix = options.prefix ?? DEFAULT_BED_PREFIX;
  const candidates = candidateBlocks(prefix);
  const stateDir = options.stateDir ?? stateHome();
  const folder = join(stateDir, 'subnets');
  const choosing = await acquireLock(join(folder, 'choosing.lock'), {
    withinMs: CHOICE_DEADLINE_MS,
    ...(options.signal ? { signal: options.signal } : {}),
  });
  try {
    const networks = (await engine.listNetworks([])).flatMap((network) => network.subnets);
    const inUse = [
      ...networks.filter((subnet) => !subnet.includes(':')).map(parseBlock),
      ...readHostRoutes(),
    ];
    const leased = listSubnetLeases(stateDir).map((holder) => parseBlock(holder.subnet));
    const taken = [...inUse, ...leased];
    for (const block of candidates) {
      if (taken.some((other) => overlaps(block, other))) continue;
      const lock = tryLock(leaseFile(folder, block), {
        facts: { runId: options.runId, bedId: options.bedId },
      });
      if (lock) return toLease(block, lock);
    }
  } finally {
    choosing.release();
  }
  const holders = listSubnetLeases(stateDir);
  throw new SquallError(
    `bed ${options.bedId}: no /${prefix} of 198.18.0.0/15 is left; ${candidates.length} exist, ${holders.length} are leased`,
    {
      code: 'no-subnet-left',
      facts: { holders },
      hint: 'End a bed with `squall down`, remove what is left with `squall sweep`, or give beds a longer prefix.',
    },
  );
}

function toLease(block: Block, lock: HeldLock): SubnetLease {
  return { ...layoutSubnet(block), release: () => lock.release() };
}
