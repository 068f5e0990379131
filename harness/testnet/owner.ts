import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * The process that answers for a run's resources. A PID alone is not an identity (it is used again), and neither is a
 * PID with its start time when two machines or PID namespaces share one engine; so both are written beside it.
 */
export interface Owner {
  readonly host: string;
  /** Changes at every boot of the host's kernel. */
  readonly bootId: string;
  /** Inode of the PID namespace in which `pid` counts. */
  readonly pidNamespace: string;
  readonly pid: number;
  /** Field 22 of /proc/PID/stat: clock ticks after boot. */
  readonly startTicks: string;
}

/** `unknown`: the owner belongs to another host or PID namespace and cannot be seen from here. */
export type OwnerLife = 'alive' | 'dead' | 'unknown';

/** Reads of /proc, so that tests can stand in for them. */
export interface ProcReader {
  readText(path: string): string;
  readLink(path: string): string;
  hostname(): string;
}

const realProc: ProcReader = {
  readText: (path) => readFileSync(path, 'utf8'),
  readLink: (path) => readlinkSync(path),
  hostname,
};

/** Start time of a process in clock ticks after boot; undefined when there is no such process (or only its zombie). */
export function readStartTicks(pid: number, proc: ProcReader = realProc): string | undefined {
  let text: string;
  try {
    text = proc.readText(`/proc/${pid}/stat`);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
  // The command name, in parentheses, may itself hold spaces and parentheses: fields count from the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

export function currentOwner(pid: number = process.pid, proc: ProcReader = realProc): Owner {
  return {
    host: proc.hostname(),
    bootId: proc.readText('/proc/sys/kernel/random/boot_id').trim(),
    pidNamespace: proc.readLink('/proc/self/ns/pid').replace(/\D/g, ''),
    pid,
    startTicks: readStartTicks(pid, proc) ?? '0',
  };
}

/** As a label's value: `host/boot-id/pid-namespace/pid/start-ticks`. */
export function formatOwner(owner: Owner): string {
  return [owner.host, owner.bootId, owner.pidNamespace, owner.pid, owner.startTicks].join('/');
}

/** Undefined when the text is not an owner (somebody else's label, or a newer format). */
export function parseOwner(text: string | undefined): Owner | undefined {
  const [host, bootId, pidNamespace, pid, startTicks, ...rest] = (text ?? '').split('/');
  if (!host || !bootId || !pidNamespace || !startTicks || rest.length > 0 || !/^\d+$/.test(pid ?? '')) {
    return undefined;
  }
  return { host, bootId, pidNamespace, pid: Number(pid), startTicks };
}

/** Whether the process lives. A host that has booted since then has lost all its processes. */
export function ownerLife(owner: Owner, proc: ProcReader = realProc): OwnerLife {
  const here = currentOwner(process.pid, proc);
  if (owner.host !== here.host) return 'unknown';
  if (owner.bootId !== here.bootId) return 'dead';
  if (owner.pidNamespace !== here.pidNamespace) return 'unknown';
  return readStartTicks(owner.pid, proc) === owner.startTicks ? 'alive' : 'dead';
}
