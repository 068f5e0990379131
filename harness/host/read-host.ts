import { statfsSync } from 'node:fs';
import { cpus } from 'node:os';
import { type HostFiles, readNumber, realHostFiles } from './host-files.ts';
import {
  BACKLOG_LIMIT_PATH,
  CONNTRACK_LIMIT_PATH,
  INOTIFY_LIMIT_PATH,
  INOTIFY_WATCHES_PATH,
  NEIGH,
} from './limits.ts';

/** What this machine has, at one moment. Undefined: this kernel does not say. */
export interface HostReadings {
  readonly platform: string;
  readonly kernel: string | undefined;
  readonly cpus: number;
  readonly memoryTotalBytes: number | undefined;
  readonly memoryAvailableBytes: number | undefined;
  /** Of the file system that the engine stores on. */
  readonly diskFreeBytes: number | undefined;
  readonly neighbour: {
    readonly entries: number;
    readonly gcThresh1: number | undefined;
    readonly gcThresh2: number | undefined;
    readonly gcThresh3: number | undefined;
  };
  readonly conntrack: { readonly entries: number | undefined; readonly max: number | undefined };
  readonly inotify: { readonly instancesMax: number | undefined; readonly watchesMax: number | undefined };
  /** Packets that may wait on a virtual interface, for each CPU. */
  readonly backlogMax: number | undefined;
  readonly files: {
    readonly open: number | undefined;
    readonly max: number | undefined;
    readonly processMax: number | undefined;
  };
  readonly processes: { readonly max: number | undefined; readonly threadsMax: number | undefined };
  /** Bridged packets pass the host's iptables and connection tracking. */
  readonly bridgeCallsIptables: boolean | undefined;
}

/**
 * Neighbour entries in use, over all network namespaces (they share one table): the first column, hexadecimal, of
 * /proc/net/stat/arp_cache. 0 where the kernel does not say.
 */
export function neighbourEntriesInUse(files: HostFiles = realHostFiles): number {
  const first = files.read('/proc/net/stat/arp_cache')?.split('\n')[1]?.trim().split(/\s+/)[0];
  return first ? Number.parseInt(first, 16) : 0;
}

function memory(text: string | undefined, field: string): number | undefined {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text ?? '');
  return match ? Number(match[1]) * 1024 : undefined;
}

/** `Max open files   1024   524288   files` → the soft limit. */
function openFilesLimit(text: string | undefined): number | undefined {
  const soft = /^Max open files\s+(\S+)/m.exec(text ?? '')?.[1];
  if (soft === 'unlimited') return Number.POSITIVE_INFINITY;
  return soft ? Number(soft) : undefined;
}

function freeBytes(path: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** @param dataRoot where the engine stores; the root file system by default */
export function readHost(files: HostFiles = realHostFiles, dataRoot = '/'): HostReadings {
  const meminfo = files.read('/proc/meminfo');
  const fileNumbers = files.read('/proc/sys/fs/file-nr')?.trim().split(/\s+/).map(Number);
  const neigh = (name: string): number | undefined => readNumber(files, `${NEIGH}/${name}`);
  const bridge = readNumber(files, '/proc/sys/net/bridge/bridge-nf-call-iptables');
  return {
    platform: process.platform,
    kernel: files.read('/proc/sys/kernel/osrelease')?.trim(),
    cpus: cpus().length,
    memoryTotalBytes: memory(meminfo, 'MemTotal'),
    memoryAvailableBytes: memory(meminfo, 'MemAvailable'),
    diskFreeBytes: freeBytes(dataRoot) ?? freeBytes('/'),
    neighbour: {
      entries: neighbourEntriesInUse(files),
      gcThresh1: neigh('gc_thresh1'),
      gcThresh2: neigh('gc_thresh2'),
      gcThresh3: neigh('gc_thresh3'),
    },
    conntrack: {
      entries: readNumber(files, '/proc/sys/net/netfilter/nf_conntrack_count'),
      max: readNumber(files, CONNTRACK_LIMIT_PATH),
    },
    inotify: {
      instancesMax: readNumber(files, INOTIFY_LIMIT_PATH),
      watchesMax: readNumber(files, INOTIFY_WATCHES_PATH),
    },
    backlogMax: readNumber(files, BACKLOG_LIMIT_PATH),
    files: {
      open: fileNumbers?.[0],
      max: fileNumbers?.[2],
      processMax: openFilesLimit(files.read('/proc/self/limits')),
    },
    processes: {
      max: readNumber(files, '/proc/sys/kernel/pid_max'),
      threadsMax: readNumber(files, '/proc/sys/kernel/threads-max'),
    },
    bridgeCallsIptables: bridge === undefined ? undefined : bridge === 1,
  };
}

/** A limit as it was when the host was read, by its path. */
export function limitIn(host: HostReadings): (path: string) => number | undefined {
  const limits: Readonly<Record<string, number | undefined>> = {
    [`${NEIGH}/gc_thresh1`]: host.neighbour.gcThresh1,
    [`${NEIGH}/gc_thresh2`]: host.neighbour.gcThresh2,
    [`${NEIGH}/gc_thresh3`]: host.neighbour.gcThresh3,
    [INOTIFY_LIMIT_PATH]: host.inotify.instancesMax,
    [INOTIFY_WATCHES_PATH]: host.inotify.watchesMax,
    [CONNTRACK_LIMIT_PATH]: host.conntrack.max,
    [BACKLOG_LIMIT_PATH]: host.backlogMax,
  };
  return (path) => limits[path];
}
