import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { installPacked } from './packed-project.ts';

// Needs no engine; it stands with the slow tests because it packs and unpacks the project.
describe('the packed package', function () {
  this.timeout(120_000);
  let dir: string;
  let bin: string;

  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'squall-package-'));
    bin = installPacked(dir);
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  const squall = (...args: string[]) =>
    spawnSync(process.execPath, [bin, ...args], { cwd: dir, encoding: 'utf8' });

  it('has a command that works outside the checkout', () => {
    const { status, stdout, stderr } = squall('--version');
    expect(stderr).to.equal('');
    expect(status).to.equal(0);
    expect(stdout.trim()).to.match(/^\d+\.\d+\.\d+$/);
  });

  it('carries the suites, topologies and images that they need', () => {
    const { status, stdout, stderr } = squall('plan', 'memberlist', '--scenario', 'outage');
    expect(status, stderr).to.equal(0);
    expect(stdout).to.include('128 nodes');
  });

  it('runs suites of its user, which import it by its name', () => {
    const folder = join(dir, 'suites', 'mine');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(dir, 'package.json'), '{"type": "module"}');
    writeFileSync(
      join(folder, 'suite.ts'),
      `import { describeScenario, type ScenarioSpec } from 'squall';
const mine: ScenarioSpec = {
  name: 'mine', description: 'of a user', topology: 'memberlist-16', parameters: {},
  grids: { default: { description: '', axes: {} } }, defaultGrid: 'default', trials: 2, bed: 'reuse',
  phases: [{ name: 'recovery', steps: [{ wait: '1s' }] }], measure: [], measures: [],
  checks: [{ check: 'no-event', title: 'nothing', kind: 'invariant', parameters: { event: 'x' } }],
};
describeScenario(mine);
`,
    );
    const { status, stdout, stderr } = squall('plan', 'suites/mine');
    expect(status, stderr).to.equal(0);
    expect(stdout).to.include('mine/mine: 1 point, 2 trials');
  });

  it('carries no tests', () => {
    const files = readdirSync(join(dir, 'node_modules', 'squall'), {
      recursive: true,
      encoding: 'utf8',
    }).filter((file) => !file.startsWith('node_modules'));
    expect(files).to.include('package.json');
    expect(files.filter((file) => /\.(unit|engine)\.ts$|_test\.go$/.test(file))).to.deep.equal([]);
  });
});
