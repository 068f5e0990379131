import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { stopEmbeddedEngine } from '../../engine/embedded-stop.ts';
import { engineHome } from '../../engine/engine-home.ts';
import { describeError } from '../../errors/index.ts';

const SCENE = fileURLToPath(new URL('./programs/engine-restart-scene.ts', import.meta.url));

function watchdogLogs(stateFolder: string): string {
  return readdirSync(stateFolder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.log'))
    .map((name) => `== ${name}\n${readFileSync(join(stateFolder, name), 'utf8')}`)
    .join('\n');
}

describe('a bed whose engine crashes and comes back', function () {
  this.timeout(240_000);
  const told = new Map<string, unknown>();
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'squall-crash-'));
    const env = {
      ...process.env,
      SQUALL_ENGINE_HOME: folder,
      SQUALL_STATE_HOME: join(folder, 'state'),
      SQUALL_ENGINE_BIP: '198.19.253.1/24',
      SQUALL_ENGINE_POOL: 'base=198.19.244.0/22,size=24',
    };
    // A network of its own: two daemons on one take the bridge and the chains from each other.
    const script = `ip link set lo up && exec "$0" --import tsx "$1"`;
    const command = ['--net', 'sh', '-c', script, process.execPath, SCENE];
    const { stdout } = await promisify(execFile)('unshare', command, { env }).catch((error: unknown) => {
      // A scene that stands still is told from the watchdogs' own words; the folder goes with the test.
      throw new Error(`${describeError(error)}\n${watchdogLogs(join(folder, 'state'))}`);
    });
    for (const line of stdout.trim().split('\n')) {
      const { step, value } = JSON.parse(line) as { step: string; value: unknown };
      told.set(step, value);
    }
  });
  after(async () => {
    // However the scene ended. What a killed daemon had mounted stays mounted.
    await stopEmbeddedEngine(engineHome({ SQUALL_ENGINE_HOME: folder }));
    const mounts = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '');
    for (const mount of mounts.reverse().filter((path) => path.startsWith(folder))) {
      await promisify(execFile)('umount', [mount]);
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it('sees its nodes end unexpectedly, and its agent lost', () => {
    expect(told.get('exits seen')).to.deep.equal([false, false, false]);
    expect(told.get('agent lost')).to.equal('agent-lost');
  });
  it('is not clean, and leaves nothing when it is removed', () => {
    expect(told.get('clean')).to.equal(false);
    expect(told.get('removed')).to.deep.equal([true, true]);
  });
  it('is removed by its watchdog when the owner died while the engine was away', () => {
    expect(told.get('swept by the watchdog')).to.equal(true);
  });
  it('is swept from another process when its watchdog died as well', () => {
    expect(told.get('swept from elsewhere')).to.deep.equal(['removed']);
    expect(told.get('nothing is left')).to.equal(true);
  });
});
