import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { acquireLock, readLockOwner, tryLock } from '../lock.ts';
import { isAlive, processIdentity, selfIdentity } from '../process-identity.ts';

const CONTENDER = fileURLToPath(new URL('./contend.ts', import.meta.url));

describe('a process', () => {
  it('is told apart from a later one with its number', () => {
    const self = selfIdentity();
    expect(isAlive(self)).to.equal(true);
    expect(isAlive({ ...self, startTime: 'another boot/1' })).to.equal(false);
    expect(processIdentity(0)).to.equal(undefined);
    expect(processIdentity(2 ** 22 + 1)).to.equal(undefined);
  });

  it('that has ended and is not yet waited for counts as gone', async () => {
    const child = spawn('true', [], { stdio: 'ignore' });
    const identity = { pid: child.pid ?? 0, startTime: processIdentity(child.pid ?? 0)?.startTime ?? '' };
    await new Promise((resolve) => child.once('exit', resolve));
    expect(isAlive(identity)).to.equal(false);
  });
});

describe('a lock', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'squall-lock-'));
    path = join(folder, 'deep', 'x.lock');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('is had by one at a time, and says whose it is and what for', () => {
    const held = tryLock(path, { facts: { runId: 'r1' } });
    expect(tryLock(path)).to.equal(undefined);
    expect(readLockOwner(path)).to.deep.include({ facts: { runId: 'r1' } });
    expect(readLockOwner(path)?.owner.pid).to.equal(process.pid);
    held?.release();
    expect(readLockOwner(path)).to.equal(undefined);
    expect(tryLock(path)).to.not.equal(undefined);
  });

  it('of a dead owner, or one whose number was given away, is taken over', () => {
    tryLock(path)?.release();
    for (const stale of [
      { pid: 2 ** 22 + 1, startTime: 'x' },
      { pid: process.pid, startTime: 'another' },
    ]) {
      writeFileSync(path, JSON.stringify({ ...stale, token: 'old', facts: {} }));
      expect(readLockOwner(path)).to.equal(undefined);
      tryLock(path)?.release();
    }
    writeFileSync(path, 'not JSON at all');
    expect(tryLock(path)).to.not.equal(undefined);
  });

  it('that was taken over is not released by its former owner', () => {
    const first = tryLock(path);
    writeFileSync(path, JSON.stringify({ ...selfIdentity(), token: 'of another', facts: {} }));
    first?.release();
    expect(readFileSync(path, 'utf8')).to.include('of another');
  });

  it('is waited for, and had as soon as it is free', async () => {
    const held = tryLock(path);
    const waiting: number[] = [];
    const later = acquireLock(path, { withinMs: 5_000, onWait: (owner) => waiting.push(owner.pid) });
    await new Promise((resolve) => setTimeout(resolve, 20));
    held?.release();
    (await later).release();
    expect(waiting).to.deep.equal([process.pid]);
  });

  it('that does not get free is an error that names its owner', async () => {
    tryLock(path);
    const outcome = await acquireLock(path, { withinMs: 10 }).catch((error: unknown) => error);
    expect(outcome).to.include({ code: 'lock-timeout' });
    expect((outcome as Error).message).to.include(`process ${process.pid}`);
  });

  it('can be given up waiting for', async () => {
    tryLock(path);
    const signal = AbortSignal.timeout(10);
    const outcome = await acquireLock(path, { withinMs: 60_000, signal }).catch((error: Error) => error.name);
    expect(outcome).to.match(/TimeoutError|AbortError/);
  });

  it('is never had by two of many processes that die with it in their hands', async () => {
    const journal = join(folder, 'journal');
    writeFileSync(journal, '');
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--import', 'tsx', CONTENDER, path, journal], {
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    );
    await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))));
    const lines = readFileSync(journal, 'utf8').trim().split('\n');
    expect(lines).to.have.length(4 * 10 * 2);
    lines.forEach((line, index) => {
      const [verb, who] = line.split(' ');
      expect(verb).to.equal(index % 2 === 0 ? 'in' : 'out');
      if (index % 2 === 1) expect(who).to.equal(lines[index - 1]?.split(' ')[1]);
    });
    expect(readdirSync(join(folder, 'deep')).filter((name) => /draft|stale/.test(name))).to.deep.equal([]);
  }).timeout(60_000);
});
