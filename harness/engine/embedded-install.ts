import { SquallError } from '../errors/index.ts';
import { findProgram, runProgram } from '../program/index.ts';
import { Ledger, stateHome } from '../state/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `iptables` is only recommended by docker.io, and the daemon does not start without it. */
export const ENGINE_PACKAGES = ['docker.io', 'iptables'] as const;

/** Finding and running programs, so that a test can stand in for apt. */
export interface ProgramPort {
  find(name: string, environment: Environment): string | undefined;
  run: typeof runProgram;
}

const REAL_PROGRAMS: ProgramPort = { find: findProgram, run: runProgram };

async function missingPackages(environment: Environment, programs: ProgramPort): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const name of ENGINE_PACKAGES) {
    let installed = false;
    const onLine = (line: string): void => {
      installed ||= line === 'installed';
    };
    await programs.run(['dpkg-query', '-W', '-f', '${db:Status-Status}\\n', name], { environment, onLine });
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
  programs: ProgramPort = REAL_PROGRAMS,
): Promise<void> {
  if (programs.find('dockerd', environment) && programs.find('iptables', environment)) return;
  const packages = await missingPackages(environment, programs);
  onProgress(`installing ${packages.join(' and ')} with apt-get (undone by \`squall doctor --restore\`)`);
  await new Ledger(stateHome(environment)).add({ kind: 'packages-installed', packages });
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...packages];
  // apt-get install takes the lock of dpkg; another apt may hold it for a while.
  const patient = [...install.slice(0, 2), '-o', 'DPkg::Lock::Timeout=300', ...install.slice(2)];
  const quiet = { ...environment, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
  const onLine = (line: string): void => {
    if (/^(Get|Hit|Unpacking|Setting up|Selecting|Fetched)/.test(line)) onProgress(line);
  };
  const options = { environment: quiet, onLine, signal, tailLines: 15 };
  let result = await programs.run(patient, options);
  if (result.exitCode !== 0) {
    onProgress('updating the package lists with apt-get');
    await programs.run(['apt-get', '-o', 'DPkg::Lock::Timeout=300', 'update'], options);
    result = await programs.run(patient, options);
  }
  if (result.exitCode !== 0 || !programs.find('dockerd', environment)) {
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
