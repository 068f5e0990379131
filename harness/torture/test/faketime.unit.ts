import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { findFaketime, hasFaketime } from '../faketime.ts';
import { figuresOf, isPassed, renderFigures } from '../figures.ts';
import { clockStep } from '../parts/clock-step.ts';

const TESTING = fileURLToPath(new URL('../../testing/', import.meta.url));

describe('libfaketime, for the stepped clock', () => {
  let folder: string;
  let child: ChildProcess | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'squall-faketime-'));
  });
  afterEach(() => {
    child?.kill('SIGKILL');
    child = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  for (const place of ['riscv64-linux-gnu/faketime', 'faketime']) {
    it(`is found in ${place}`, () => {
      expect(findFaketime([folder, join(folder, 'none')])).to.equal(undefined);
      mkdirSync(join(folder, place), { recursive: true });
      const library = join(folder, place, 'libfaketimeMT.so.1');
      writeFileSync(library, '');
      expect(findFaketime([folder])).to.equal(library);
    });
  }

  it('is seen in a process that has it, and not in one that has not', async () => {
    // Any library under its name: what is looked at is what the loader has mapped.
    const maps = spawnSync('cat', ['/proc/self/maps'], { encoding: 'utf8' }).stdout;
    const [real = ''] = /\/\S*libc\.so\S*/.exec(maps) ?? [];
    const library = join(folder, 'libfaketimeMT.so.1');
    copyFileSync(real, library);
    child = spawn('sleep', ['60'], { env: { ...process.env, LD_PRELOAD: library } });
    while (hasFaketime(child.pid as number) !== true && child.exitCode === null) await sleep(10);
    expect(hasFaketime(child.pid as number)).to.equal(true);
    expect(hasFaketime(process.pid)).to.equal(false);
    const ended = new Promise((resolve) => child?.once('close', resolve));
    child.kill('SIGKILL');
    await ended;
    expect(hasFaketime(child.pid as number)).to.equal(undefined);
  });

  it('is told where it is missing, and the part is then not passed', () => {
    const absent = { ...clockStep, whyNot: () => 'libfaketime is not installed' };
    const figures = figuresOf(absent, 10, []);
    expect(isPassed(figures)).to.equal(false);
    expect(renderFigures([figures])).to.match(/✗ +clock-step +0 +0\/10 +libfaketime is not installed/);
  });

  it('is installed by its package where it is missing, and said to be missing where that fails', () => {
    for (const [name, program] of [
      ['apt-get', '#!/bin/sh\necho "$@" >>"$LOG"\nexit "$APT_EXIT"\n'],
      ['id', '#!/bin/sh\necho 0\n'],
      ['ls', '#!/bin/sh\nexit 2\n'],
    ] as const) {
      writeFileSync(join(folder, name), program);
      chmodSync(join(folder, name), 0o755);
    }
    const install = (exit: string) =>
      spawnSync(join(TESTING, 'install-faketime.sh'), {
        encoding: 'utf8',
        env: { PATH: `${folder}:/usr/bin:/bin`, LOG: join(folder, 'log'), APT_EXIT: exit },
      });
    const installed = install('0');
    expect(installed.status).to.equal(0);
    expect(installed.stderr).to.equal('installing faketime with apt-get, for the stepped clock of torture\n');
    expect(spawnSync('cat', [join(folder, 'log')], { encoding: 'utf8' }).stdout).to.match(
      /install .* faketime$/m,
    );
    const failed = install('100');
    expect(failed.status).to.equal(0);
    expect(failed.stderr).to.match(
      /no libfaketime was found; install the package faketime, .* does not pass/,
    );
  });
});
