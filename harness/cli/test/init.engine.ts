import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { findEngine } from '../../engine/index.ts';
import { ensureImage } from '../../image/index.ts';

const BIN = join(dirname(fileURLToPath(import.meta.url)), '..', 'squall.mjs');

describe('squall init for an image of somebody', function () {
  this.timeout(600_000);
  let dir: string;
  let image: string;
  before(async () => {
    // Ours as if it were somebody else's: a reference, and nothing that Squall knows of it.
    const engine = await findEngine({ yes: true });
    image = (await ensureImage(engine, { kind: 'ours', name: 'memberlist-node' })).reference;
    engine.close();
  });
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'squall-init-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  function squall(...args: string[]) {
    return spawnSync(process.execPath, [BIN, ...args], { cwd: dir, encoding: 'utf8' });
  }

  it('writes what is planned and run as it is, and passes', () => {
    const answers = ['--count', '3', '--ready', 'log:"event":"ready"', '--name', 'mine', '--outage', '3s'];
    const talk = ['--env', 'SQUALL_JOIN={addresses:node}', '--fault', 'drop', '--workflow', 'github'];
    const made = squall('init', image, ...answers, ...talk, '--yes');
    expect(made.status, made.stderr).to.equal(0);
    expect(made.stdout.trim().split('\n')).to.deep.equal([
      'package.json',
      'topologies/mine.yaml',
      'suites/mine/outage.scenario.yaml',
      'gate.yaml',
      '.github/workflows/squall.yml',
    ]);
    const plan = squall('plan', 'suites/mine');
    expect(plan.status, plan.stderr).to.equal(0);
    expect(plan.stdout).to.contain('mine/mine-outage: 1 point, 3 trials');
    const ran = squall(
      'run',
      'suites/mine',
      '--trials',
      '1',
      '--set',
      'watch=3s',
      '--parallel-beds',
      '1',
      '--seed',
      '7',
    );
    expect(ran.status, ran.stdout + ran.stderr).to.equal(0);
    expect(ran.stdout).to.contain('PASS');
    const run = JSON.parse(readFileSync(join(dir, 'reports', 'latest', 'run.json'), 'utf8'));
    expect(run.points[0].checks.map(({ title }: { title: string }) => title)).to.include(
      'nobody logs something fatal',
    );
    expect(existsSync(join(dir, 'reports', 'latest', 'index.html'))).to.equal(true);
    const watched = squall('watch', '--once');
    expect(watched.status, watched.stderr).to.equal(0);
    expect(watched.stdout).to.contain('ended').and.contain('verdict pass');
  });

  it('takes Squall from where it runs, and writes nothing over what is there', () => {
    expect(squall('init', image, '--name', 'mine', '--yes').status).to.equal(0);
    const { devDependencies } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
    expect(Object.keys(devDependencies)).to.deep.equal(['squall']);
    const folder = resolve(dir, String(devDependencies.squall).replace(/^file:/, ''));
    expect(realpathSync(folder)).to.equal(realpathSync(join(dirname(BIN), '..', '..')));
    const again = squall('init', image, '--name', 'mine', '--yes');
    expect(again.status).to.equal(3);
    expect(again.stderr).to.contain('topologies/mine.yaml').and.contain('nothing was written');
  });
});
