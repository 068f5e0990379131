import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { otherDaemonPid } from '../embedded-process.ts';
import { ensureEmbeddedEngine } from '../embedded-start.ts';
import { stopEmbeddedEngine } from '../embedded-stop.ts';
import { engineHome } from '../engine-home.ts';

const SCENE = fileURLToPath(new URL('./embedded-scene.ts', import.meta.url));

describe('an engine of our own', function () {
  this.timeout(180_000);
  const told = new Map<string, unknown>();
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'squall-engine-'));
    const env = {
      ...process.env,
      SQUALL_ENGINE_HOME: folder,
      SQUALL_STATE_HOME: join(folder, 'state'),
      SQUALL_ENGINE_BIP: '198.19.254.1/24',
      SQUALL_ENGINE_POOL: 'base=198.19.248.0/22,size=24',
    };
    const command = ['--net', process.execPath, '--import', 'tsx', SCENE];
    const { stdout } = await promisify(execFile)('unshare', command, { env });
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

  it('is started once by two at once', () => {
    expect(told.get('two at once')).to.deep.equal(['found', 'started']);
  });
  it('is found again, not started a second time', () => {
    expect(told.get('found again')).to.deep.equal(['found', true]);
  });
  it('runs containers, inside the range that beds leave to it', () => {
    expect(told.get('runs containers')).to.deep.equal(['hello']);
    expect(told.get('default bridge')).to.deep.equal(['198.19.254.0/24']);
  });
  it('is started again after a crash that left its containerd alive', () => {
    expect(told.get('after a crash of the daemon')).to.deep.equal(['started', true]);
  });
  it('is watched across its crash: reconnected is said, and events come again', () => {
    expect(told.get('events across the crash')).to.equal(true);
  });
  it('is started again past pid files and a lock whose numbers belong to others by now', () => {
    expect(told.get('after a crash of both, with recycled numbers and a stale lock')).to.equal('started');
  });
  it('is stopped with its containerd, and stopping nothing says so', () => {
    expect(told.get('stopped')).to.equal(true);
    expect(told.get('nothing to stop')).to.deep.equal([false, 'no process']);
  });
  it('that cannot start says why, out of its log', () => {
    expect(told.get('a start that fails')).to.match(/dockerd ended with exit code 1[\s\S]*none-such/);
  });

  it('is not started beside another daemon on the same network', async () => {
    const home = engineHome({ SQUALL_ENGINE_HOME: folder });
    const other = otherDaemonPid(home);
    const outcome = await ensureEmbeddedEngine(home, {
      environment: { ...process.env, SQUALL_STATE_HOME: folder },
    }).catch((error: unknown) => error);
    expect(other).to.be.a('number');
    expect((outcome as Error).message).to.include(
      `another dockerd (process ${other}) runs on this machine's network`,
    );
  });
});
