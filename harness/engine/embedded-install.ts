import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { SquallError } from '../errors/index.ts';
import { Ledger } from '../state/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `iptables` is only recommended by docker.io, and the daemon does not start without it. */
export const ENGINE_PACKAGES = ['docker.io', 'iptables'] as const;

/** Where daemons live, which a user's PATH may lack. */
const SYSTEM_PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Lines of a failed command kept for its error. */
const TAIL_LINES = 15;

export function systemPath(environment: Environment): string {
  const own = (environment['PATH'] ?? '').split(delimiter).filter(Boolean);
  return [...new Set([...own, ...SYSTEM_PATH])].join(delimiter);
}

/** Absolute path of a program; undefined when it is not installed. */
export function findProgram(name: string, environment: Environment): string | undefined {
  for (const folder of systemPath(environment).split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'ENOTDIR') throw error;
    }
  }
  return undefined;
}

interface RunResult {
  readonly exitCode: number | null;
  readonly tail: readonly string[];
}

function run(
  command: readonly string[],
  environment: Environment,
  onLine: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const [program = '', ...args] = command;
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...environment, PATH: systemPath(environment), DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
      ...(signal ? { signal } : {}),
    });
    const tail: string[] = [];
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        tail.push(line);
        if (tail.length > TAIL_LINES) tail.shift();
        onLine(line);
      });
    }
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, tail }));
  });
}

async function missingPackages(environment: Environment): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const name of ENGINE_PACKAGES) {
    let installed = false;
    await run(
      ['dpkg-query', '-W', '-f', '${db:Status-Status}\n', name],
      environment,
      (line) => {
        installed ||= line === 'installed';
      },
      undefined,
    );
    if (!installed) missing.push(name);
  }
  return missing;
}

/**
 * Installs the distribution's engine with apt, unless a daemon is here already. Entered in the ledger first, so that
 * `doctor --restore` knows what was not here before.
 * @throws SquallError `engine-install-failed` with the last lines that apt said.
 */
export async function installEngine(
  environment: Environment,
  onProgress: (text: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  if (findProgram('dockerd', environment) && findProgram('iptables', environment)) return;
  const packages = await missingPackages(environment);
  onProgress(`installing ${packages.join(' and ')} with apt-get (undone by \`squall doctor --restore\`)`);
  await new Ledger().add({ kind: 'packages-installed', packages });
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...packages];
  // apt-get install takes the lock of dpkg; another apt may hold it for a while.
  const patient = [...install.slice(0, 2), '-o', 'DPkg::Lock::Timeout=300', ...install.slice(2)];
  const report = (line: string): void => {
    if (/^(Get|Hit|Unpacking|Setting up|Selecting|Fetched)/.test(line)) onProgress(line);
  };
  let result = await run(patient, environment, report, signal);
  if (result.exitCode !== 0) {
    onProgress('updating the package lists with apt-get');
    await run(['apt-get', '-o', 'DPkg::Lock::Timeout=300', 'update'], environment, report, signal);
    result = await run(patient, environment, report, signal);
  }
  if (result.exitCode !== 0 || !findProgram('dockerd', environment)) {
    throw new SquallError(
      `engine install: \`${install.join(' ')}\` ended with ${result.exitCode}; expected a dockerd`,
      {
        code: 'engine-install-failed',
        facts: { tail: result.tail },
        hint: `Last lines:\n${result.tail.map((line) => `    ${line}`).join('\n')}`,
      },
    );
  }
}
