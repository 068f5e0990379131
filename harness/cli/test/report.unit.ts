import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { judgeRun } from '../../check/index.ts';
import { sampleRun } from '../../report/test/sample-run.ts';
import { squallHere } from './in-process.ts';

describe('squall report over several runs', () => {
  let reports: string;
  before(async () => {
    reports = await mkdtemp(join(tmpdir(), 'squall-cli-report-'));
    for (const name of ['run-a', 'run-b']) {
      await sampleRun(join(reports, name), {
        outagesS: [40],
        cutoffs: [32],
        trials: 1,
        failing: name === 'run-b',
      });
      await judgeRun(join(reports, name), { checks: 'recorded' });
    }
  });
  after(() => rm(reports, { recursive: true, force: true }));

  it('draws the index beside the runs, and two runs beside the later one', async () => {
    const index = await squallHere('report', '--index', '--reports', reports);
    expect(index.error).to.equal(undefined);
    expect(index.stdout).to.contain('2 runs').and.contain(join(reports, 'index.html'));
    expect(existsSync(join(reports, 'index.html'))).to.equal(true);
    const compared = await squallHere('report', join(reports, 'run-b'), '--against', join(reports, 'run-a'));
    expect(compared.error).to.equal(undefined);
    expect(compared.stdout).to.contain('run-a').and.contain('They did not run in turns');
    const page = readFileSync(join(reports, 'run-b', 'against-run-a.html'), 'utf8');
    expect(page).to.contain('href="../run-a/index.html"');
  });

  it('refuses what makes no sense, and says what is wrong', async () => {
    const run = join(reports, 'run-a');
    for (const [argv, problem] of [
      [['report', run, '--against', run], 'expected two runs'],
      [['report', run, '--index', '--against', run], 'expected one of them'],
      [['report', '--index', '--reports', join(reports, 'none')], 'holds no run'],
      [['watch', run, '--bed', 'x'], 'expected one of them'],
      [['watch', run, '--web', '--port', '70000'], '0 to 65535'],
    ] as const) {
      const { error } = await squallHere(...argv);
      expect(error?.blame, argv.join(' ')).to.equal('input');
      expect(error?.message).to.contain(problem);
    }
  });

  it('shows a finished run once, whatever the verdict', async () => {
    const { stdout, error } = await squallHere('watch', join(reports, 'run-b'), '--once');
    expect(error).to.equal(undefined);
    expect(stdout)
      .to.contain('run-b ended')
      .and.match(/verdict (pass|fail|inconclusive)/);
  });
});
