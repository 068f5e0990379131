import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { processIdentity } from '../state/index.ts';
import type { EngineHome } from './engine-home.ts';

function readPid(path: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10);
    return Number.isNaN(pid) ? undefined : pid;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function commandLine(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH') return [];
    throw error;
  }
}

/** A pid file's process, if it lives and is what the file was written for, not a later owner of the number. */
function livingProcess(pidFile: string, program: string, argument: string): number | undefined {
  const pid = readPid(pidFile);
  if (pid === undefined || !processIdentity(pid)) return undefined;
  const words = commandLine(pid);
  const isProgram = words[0] === program || (words[0] ?? '').endsWith(`/${program}`);
  return isProgram && words.includes(argument) ? pid : undefined;
}

function containerdPidFile(home: EngineHome): string {
  return join(home.execRoot, 'containerd', 'containerd.pid');
}

/** The pid of our daemon, when it lives. */
export function daemonPid(home: EngineHome): number | undefined {
  return livingProcess(home.pidFile, 'dockerd', home.dataRoot);
}

/** The pid of the containerd that our daemon started; it outlives a daemon that was killed. */
export function containerdPid(home: EngineHome): number | undefined {
  const config = join(home.execRoot, 'containerd', 'containerd.toml');
  return livingProcess(containerdPidFile(home), 'containerd', config);
}

/**
 * Removes what a crash left behind: pid files whose process is gone or is another program by now (dockerd would refuse
 * to start, or wait for a containerd that never comes), and sockets that nobody listens on. A containerd that still
 * lives is left alone: the daemon takes it over.
 */
export function removeLeftovers(home: EngineHome): readonly string[] {
  const removed: string[] = [];
  const remove = (path: string): void => {
    rmSync(path, { force: true });
    removed.push(path);
  };
  if (readPid(home.pidFile) !== undefined && daemonPid(home) === undefined) remove(home.pidFile);
  if (containerdPid(home) === undefined) {
    const folder = join(home.execRoot, 'containerd');
    if (readPid(containerdPidFile(home)) !== undefined) remove(containerdPidFile(home));
    for (const socket of ['containerd.sock', 'containerd.sock.ttrpc', 'containerd-debug.sock']) {
      rmSync(join(folder, socket), { force: true });
    }
  }
  if (daemonPid(home) === undefined) rmSync(home.socket, { force: true });
  return removed;
}

/**
 * The pid of another daemon in this network namespace. Two cannot share one: each makes the chains of iptables and the
 * bridge `docker0` its own, and takes them from the other.
 */
export function otherDaemonPid(home: EngineHome): number | undefined {
  const ours = daemonPid(home);
  const namespaceOf = (pid: string): string | undefined => {
    try {
      return readlinkSync(`/proc/${pid}/ns/net`);
    } catch (error) {
      if (['ENOENT', 'ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? ''))
        return undefined;
      throw error;
    }
  };
  const here = namespaceOf('self');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => {
      if (pid === ours) return false;
      const program = commandLine(pid)[0] ?? '';
      return (program === 'dockerd' || program.endsWith('/dockerd')) && namespaceOf(String(pid)) === here;
    });
}
