import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { engineHome, stopEmbeddedEngine } from '../engine/index.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

/** Set for a torture that stands on an engine of its own already. */
export const ON_PRIVATE_ENGINE = 'SQUALL_TORTURE_PRIVATE';

/**
 * Runs this program again with an engine, a state folder and a network namespace of its own: two daemons on one network take
 * the bridge and the chains from each other. All of it is removed afterwards, also what a killed daemon had mounted.
 * @returns its exit code
 */
export async function onPrivateEngine(args: readonly string[], signal: AbortSignal): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'squall-torture-engine-'));
  const env = {
    ...process.env,
    [ON_PRIVATE_ENGINE]: '1',
    SQUALL_ENGINE_HOME: folder,
    SQUALL_STATE_HOME: join(folder, 'state'),
    SQUALL_ENGINE_BIP: '198.19.253.1/24',
    SQUALL_ENGINE_POOL: 'base=198.19.244.0/22,size=24',
  };
  const script = 'ip link set lo up && exec "$0" --import tsx "$@"';
  try {
    const child = spawn('unshare', ['--net', 'sh', '-c', script, process.execPath, MAIN, ...args], {
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const stop = (): void => void child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    signal.removeEventListener('abort', stop);
    return code ?? 1;
  } finally {
    await stopEmbeddedEngine(engineHome({ SQUALL_ENGINE_HOME: folder }));
    for (const mount of [...mountsBelow(folder)].reverse()) await promisify(execFile)('umount', [mount]);
    rmSync(folder, { recursive: true, force: true });
  }
}

function mountsBelow(folder: string): readonly string[] {
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(folder));
}
