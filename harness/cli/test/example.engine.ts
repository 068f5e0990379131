import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Engine, findEngine } from '../../engine/index.ts';
import { ensureImage } from '../../image/index.ts';
import { LABEL } from '../../testnet/index.ts';
import { installPacked } from './packed-project.ts';

const EXAMPLE = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'docs', 'example');

describe('the example project, outside of the tree, on the packed package', function () {
  this.timeout(600_000);
  let dir: string;
  let engine: Engine;
  let guest: string;
  before(async () => {
    engine = await findEngine({ yes: true });
    guest = (await ensureImage(engine, { kind: 'ours', name: 'memberlist-node' })).reference;
    dir = mkdtempSync(join(tmpdir(), 'squall-example-'));
    cpSync(EXAMPLE, dir, { recursive: true });
    installPacked(dir);
  });
  after(() => {
    engine.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('passes as a mocha suite with describeScenario and testcontainers, and leaves nothing behind', async () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        join(dir, 'node_modules', 'mocha', 'bin', 'mocha.js'),
        '--node-option',
        'import=tsx',
        'suites/members/suite.ts',
      ],
      {
        cwd: dir,
        encoding: 'utf8',
        env: { ...process.env, CI: 'true', GUEST_IMAGE: guest, SQUALL_SEED: '7' },
      },
    );
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout).to.contain('nobody calls the guest dead').and.contain('3 passing');
    const [run] = readdirSync(join(dir, 'reports')).filter((name) => /^\d{8}-/.test(name));
    const point = join(dir, 'reports', run ?? '', 'trials', 'default');
    // The last one: a busy host may have spoiled those before.
    const last =
      readdirSync(point)
        .sort((a, b) => Number(a) - Number(b))
        .at(-1) ?? '';
    // The members saw the guest, so it stood on their network.
    expect(readFileSync(join(point, last, 'events.jsonl'), 'utf8')).to.match(/"event":"converged"/);
    expect(await engine.listContainers([`${LABEL.run}=${run}`])).to.deep.equal([]);
  });

  it('passes by the command of its README as well', () => {
    const bin = join(dir, 'node_modules', 'squall', 'harness', 'cli', 'squall.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'run', 'suites/members'], {
      cwd: dir,
      encoding: 'utf8',
      env: { ...process.env, CI: 'true', GUEST_IMAGE: guest },
    });
    expect(status, stdout + stderr).to.equal(0);
  });
});
