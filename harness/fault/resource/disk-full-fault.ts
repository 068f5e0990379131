import { constants } from 'node:fs';
import { open, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { SquallError } from '../../errors/index.ts';
import type { FaultBedPort } from '../fault-bed-port.ts';
import { onEachNode, witnessOf } from '../on-each-node.ts';
import { requireRunning } from '../process/require-running.ts';
import { requireNode } from '../require-node.ts';
import type { FaultWork } from '../timed-lease.ts';
import type { FaultPlan } from '../types.ts';
import { nodePath } from './node-files.ts';

const TMPFS_MAGIC = 0x01021994;
/** A tmpfs without a size is half of the machine's memory: filling that would break the host, not the node. */
const LARGEST_FILL_BYTES = 1024 ** 3;
const CHUNK_BYTES = 1024 ** 2;

/** Writes on a tmpfs of the node fail with ENOSPC: a file of ours takes what is free. A real disk is never filled. */
export function diskFullFault(plan: FaultPlan, bed: FaultBedPort): FaultWork {
  const path = String(plan.settings.path);
  const leaveBytes = Number(plan.settings.leaveBytes);
  const touched = new Set<string>();
  const folderOf = (name: string) => nodePath(name, requireNode(bed, name).pid, path);
  const fillerIn = (folder: string) => join(folder, `.squall-fill-${plan.id}`);

  const isRunning = async (name: string) =>
    (await bed.engine.inspectContainer(requireNode(bed, name).containerId))?.running ?? false;

  /** Bytes of our file, 0 when it is gone; a node that does not run has no tmpfs either. */
  const filledBytes = async (name: string): Promise<number> => {
    if (!(await isRunning(name))) return 0;
    return stat(fillerIn(await folderOf(name))).then(
      (entry) => entry.size,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return 0;
        throw error;
      },
    );
  };

  const fillNode = async (name: string, signal: AbortSignal) => {
    const folder = await folderOf(name);
    touched.add(name);
    await fill(folder, fillerIn(folder), leaveBytes, signal);
  };

  return {
    arm: async () => {
      await requireRunning(bed, plan);
      await onEachNode(plan.targets, async (name) => refuseRealDisk(name, path, await folderOf(name)));
    },
    apply: (signal) => onEachNode(plan.targets, (name) => fillNode(name, signal)),
    undo: async () => {
      await onEachNode([...touched], async (name) => {
        if (await isRunning(name)) await rm(fillerIn(await folderOf(name)), { force: true });
      });
    },
    remains: async () => {
      const { results } = await onEachNode([...touched], async (name) =>
        (await filledBytes(name)) > 0 ? [`${name} still has ${path} filled`] : [],
      );
      return results.flat();
    },
    witness: async () => {
      const { results } = await onEachNode(plan.targets, async (name) => {
        return [name, { filledBytes: await filledBytes(name) }] as const;
      });
      return witnessOf('kernel', Object.fromEntries(results));
    },
    reapply: fillNode,
  };
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function refuseRealDisk(name: string, path: string, folder: string): Promise<void> {
  const { type } = await statfs(folder);
  const free = await freeBytes(folder);
  const why =
    type !== TMPFS_MAGIC
      ? 'is no tmpfs; a real disk is never filled'
      : free > LARGEST_FILL_BYTES
        ? `has ${free} bytes free; expected at most ${LARGEST_FILL_BYTES}, since a tmpfs takes the memory of this host`
        : undefined;
  if (why === undefined) return;
  throw new SquallError(`node ${name}: ${path} ${why}`, {
    code: 'fault-unavailable',
    blame: 'input',
    hint: 'Give the node a tmpfs with a size in the topology (resources: tmpfs).',
  });
}

async function fill(folder: string, file: string, leaveBytes: number, signal: AbortSignal): Promise<void> {
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
  const handle = await open(file, flags, 0o600);
  const zeros = Buffer.alloc(CHUNK_BYTES);
  try {
    for (;;) {
      signal.throwIfAborted();
      const room = (await freeBytes(folder)) - leaveBytes;
      if (room <= 0) return;
      await handle.write(zeros, 0, Math.min(room, CHUNK_BYTES));
    }
  } catch (error) {
    // Somebody else took the last bytes: as full as it gets.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await handle.close();
  }
}
