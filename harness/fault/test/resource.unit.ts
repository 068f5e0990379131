import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { cgroupPaths } from '../resource/cgroup-limits.ts';
import { clockSupport, isStatic } from '../resource/clock-support.ts';
import { fakeBed, never } from './fake-bed.ts';

describe('cgroupPaths', () => {
  for (const [what, text, paths] of [
    [
      'the first generation',
      '9:memory:/docker/ab\n4:cpu,cpuacct:/docker/ab\n1:name=systemd:/docker/ab\n0::/system.slice\n',
      {
        memory: '/sys/fs/cgroup/memory/docker/ab',
        cpu: '/sys/fs/cgroup/cpu,cpuacct/docker/ab',
        unified: '/sys/fs/cgroup/system.slice',
      },
    ],
    [
      'the second generation',
      '0::/system.slice/docker-ab.scope\n',
      { unified: '/sys/fs/cgroup/system.slice/docker-ab.scope' },
    ],
    ['nothing', '', {}],
  ] as const) {
    it(`reads ${what}`, () => {
      expect(cgroupPaths(text)).to.deep.equal(paths);
    });
  }
});

describe('clock support', () => {
  let dir: string;
  let child: ChildProcess | undefined;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'squall-clock-'));
  });
  afterEach(() => {
    child?.kill('SIGKILL');
    child = undefined;
    rmSync(dir, { recursive: true });
  });

  /** A process of this host's node, as the node of a dynamically linked image would be. */
  async function start(environment: NodeJS.ProcessEnv): Promise<number> {
    child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(child.stdout!, 'data');
    return child.pid as number;
  }

  /** Some library under the name that is looked for: what it does to clocks is its own business. */
  function preloadable(): string {
    const library = join(dir, 'libfaketime.so.1');
    const maps = readFileSync('/proc/self/maps', 'utf8');
    copyFileSync(/\S*\/libm[.-]\S*/.exec(maps)?.[0] ?? 'none', library);
    return library;
  }

  it('tells a program without an interpreter from one with', () => {
    expect(isStatic(readFileSync(process.execPath).subarray(0, 8_192))).to.equal(false);
    const head = Buffer.alloc(120);
    head.writeUInt32BE(0x7f454c46, 0);
    head.writeBigUInt64LE(64n, 32);
    head.writeUInt16LE(56, 54);
    head.writeUInt16LE(1, 56);
    head.writeUInt32LE(1, 64);
    expect(isStatic(head)).to.equal(true);
    head.writeUInt32LE(3, 64);
    expect(isStatic(head)).to.equal(false);
  });

  it('says what is missing', async () => {
    expect(clockSupport(await start({})))
      .to.have.property('why')
      .that.matches(/FAKETIME_TIMESTAMP_FILE/);
    child?.kill('SIGKILL');
    const environment = { FAKETIME_TIMESTAMP_FILE: join(dir, 'offset') };
    expect(clockSupport(await start(environment)))
      .to.have.property('why')
      .that.matches(/LD_PRELOAD/);
  });

  it('writes the offset where the library reads it, and puts back what was there', async () => {
    const file = join(dir, 'offset');
    writeFileSync(file, '+5\n');
    const pid = await start({ LD_PRELOAD: preloadable(), FAKETIME_TIMESTAMP_FILE: file });
    const running = { running: true, paused: false };
    const node = {
      name: 'member-1',
      containerId: 'c',
      pid,
      address: '198.18.0.2',
      image: 'x',
      imageKind: 'reference',
    } as const;
    const engine = { info: { host: 'this' }, inspectContainer: async () => running };
    const bed = await fakeBed({ nodes: () => [node], engine: engine as never });
    const request = {
      kind: 'clock-offset',
      on: 'member-1',
      seed: 's',
      settings: { offsetMs: '1.5h' },
    } as const;
    const [applied] = await bed.board.apply([bed.board.plan({ id: 'c', ...request })], never());
    expect(readFileSync(file, 'utf8')).to.equal('+5400\n');
    await bed.board.lift('c');
    expect(await applied!.lifted).to.include({ bit: true, gone: true });
    expect(readFileSync(file, 'utf8')).to.equal('+5\n');
  });
});
