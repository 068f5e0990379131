import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { writeBaseline } from '../../baseline/index.ts';
import { parseGate } from '../../gate/index.ts';
import type { PlanRecord } from '../../record/index.ts';
import { hostClass } from '../../session/index.ts';
import { githubJob } from '../github-job.ts';
import { squallHere } from './in-process.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

describe('squall gate', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'squall-gate-cli-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('plans as the quick gate of this project what the gate grids of its suites are', async () => {
    const lines: string[] = [];
    for (const [suite, scenario] of [
      ['suites/memberlist', 'memberlist/outage'],
      ['suites/smp', 'smp/contact-joins'],
      ['suites/session', 'session/account-moves-gate'],
      ['suites/ant', 'ant/answering-holder'],
    ] as const) {
      const { stdout: grid } = await squallHere('plan', suite, '--grid', 'gate', '--json');
      const points = (JSON.parse(grid) as PlanRecord).scenarios.flatMap((one) => one.points);
      expect(points.map(({ trials }) => trials)).to.deep.equal([1, 1]);
      lines.push(`run  ${scenario} ${points.map(({ pointId }) => pointId).join(' | ')} × 1`);
    }
    const { stdout } = await squallHere('gate', '--quick', '--plan', '--reports', dir);
    expect(stdout.split('\n').slice(0, lines.length)).to.deep.equal(lines);
    expect(stdout).to.include('gate: 8 trials in 4 parts, ');
  });

  it('says what a budget leaves out before anything starts', async () => {
    const { stdout } = await squallHere('gate', '--full', '--budget', '10m', '--plan', '--reports', dir);
    expect(stdout).to.match(/^gate: .* of 10 min 00 s/m);
    expect(stdout).to.match(/^left out, .* parts of memberlist\/outage .* mutant both-without-grace × /m);
  });

  it('bounds this project’s full gate by the newest baseline of this machine, and says where there is none', async () => {
    const note = 'the bound on firstDetectionMedianS of crash is not judged';
    const plan = async (mode: string) =>
      (await squallHere('gate', mode, '--tag', 'memberlist', '--plan', '--reports', dir)).stdout;
    const home = process.cwd();
    process.chdir(dir);
    try {
      expect(await plan('--full')).to.include(note);
      // Its quick gate has no crash.
      expect(await plan('--quick')).to.not.include('bound');
      const point = (variant: string) => ({
        ...{ suite: 'memberlist', scenario: 'crash', point: { variant }, pointId: variant, warp: 1 },
        measures: { firstDetectionMedianS: { unit: 's', values: [12.3, 12.4, 12.5] } },
      });
      const saved = { savedAt: '2026-11-01T00:00:00.000Z', runId: 'run', squallVersion: '0.1.0' };
      const points = ['shipped', 'both'].map(point);
      await writeBaseline('baselines', {
        ...{ baselineVersion: 1, name: 'here', host: hostClass(undefined), points },
        ...saved,
      });
      expect(await plan('--full'))
        .to.include('run  memberlist/crash')
        .and.to.not.include('not judged');
    } finally {
      process.chdir(home);
    }
  });

  it('takes a file of the user’s own', async () => {
    const file = join(dir, 'mine.yaml');
    writeFileSync(
      file,
      'name: mine\nquick: [{suite: suites/memberlist, scenario: crash, where: {variant: both}}]\n',
    );
    const { stdout } = await squallHere('gate', '--quick', '--config', file, '--plan', '--reports', dir);
    expect(stdout).to.include('run  memberlist/crash variant=both × 1');
  });

  it('refuses a waiver of nothing in the plan already', async () => {
    const file = join(dir, 'waiving.yaml');
    const waiver = '{scenario: crash, check: nothing of the sort, owner: me, until: 2099-01-01, reason: x}';
    writeFileSync(
      file,
      `quick: [{suite: suites/memberlist, scenario: crash, where: {variant: both}}]\nwaivers: [${waiver}]\n`,
    );
    const { error } = await squallHere('gate', '--quick', '--config', file, '--plan', '--reports', dir);
    expect(error?.message).to.match(
      /waiver is for the check "nothing of the sort", which crash does not have/,
    );
  });

  for (const [argv, problem] of [
    [['--quick', '--full'], /one or the other/],
    [['--config', 'nowhere.yaml'], /nowhere\.yaml: not found/],
    [['--quick', '--budget', '1s'], /too small: what must run/],
    [['--quick', '--budget', 'soon'], /duration "soon"/],
    [['--quick', '--shard', '5/5'], /shard 5\/5 is empty/],
    [['--quick', '--tag', 'nothing'], /no entry of --quick has the tag/],
  ] as const) {
    it(`refuses \`gate ${argv.join(' ')}\``, async () => {
      const { error } = await squallHere('gate', ...argv, '--plan', '--reports', dir);
      expect(error?.blame).to.equal('input');
      expect(error?.message).to.match(problem);
    });
  }
});

describe('a job on GitHub Actions', () => {
  let dir: string;
  let written: string[];
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'squall-job-'));
    written = [];
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const write = (text: string): void => void written.push(text);

  it('takes no line for a command while nodes are heard, and listens again once', () => {
    const listen = githubJob({ GITHUB_ACTIONS: 'true' }, write).quiet();
    listen();
    listen();
    expect(written).to.have.length(2);
    const token = /^::stop-commands::([0-9a-f]{32})\n$/.exec(written[0] as string)?.[1];
    expect(written[1]).to.equal(`::${token}::\n`);
  });

  it('adds the summary to what is there', async () => {
    const file = join(dir, 'summary.md');
    writeFileSync(file, 'before\n');
    await githubJob({ GITHUB_STEP_SUMMARY: file }, write).summarise('## after\n');
    expect(readFileSync(file, 'utf8')).to.equal('before\n## after\n');
  });

  it('is told nothing elsewhere', async () => {
    const job = githubJob({}, write);
    job.quiet()();
    job.annotate(['::error::x']);
    await job.summarise('x');
    expect(written).to.deep.equal([]);
  });
});

describe('the guide to the gate', () => {
  const guide = readFileSync(join(ROOT, 'docs/gate.md'), 'utf8');

  it('has an example that is valid, and calls that the parser takes', async () => {
    const example = /```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
    expect(parseGate(example, 'docs/gate.md').full).to.have.length(4);
    const calls = [...guide.matchAll(/^ {4}npx squall (gate .*?)(?: {2,}.*)?$/gm)].map(
      ([, call]) => call as string,
    );
    expect(calls.length).to.be.greaterThan(3);
    for (const call of calls) await planned(call);
  });

  for (const [file, jobs] of [
    ['docs/ci/github-actions.yml', 2],
    ['docs/ci/gitlab-ci.yml', 2],
  ] as const) {
    it(`has ${file}, whose calls the parser takes`, async () => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      expect(parse(text)).to.be.an('object');
      const calls = [...text.matchAll(/npx squall (gate .*)$/gm)].map(([, call]) => call as string);
      expect(calls).to.have.length(jobs);
      expect(keptHistories(text), 'every job finds how the last one ended, a failed one too').to.equal(jobs);
      for (const call of calls) {
        await planned(
          call.replace(/\$\{\{ matrix\.part \}\}|\$CI_NODE_INDEX/, '1').replace('$CI_NODE_TOTAL', '3'),
        );
      }
    });
  }

  /** Caches of the history that are saved after a failure as well, under a key that a further attempt of the job does not find taken. */
  function keptHistories(text: string): number {
    const saved = /cache\/save@v4\n +if: always\(\)\n(?: +.*\n){1,5}? +key: .*run_attempt/g;
    const kept = /cache:\n +key: .*\n +when: always\n +paths: .*gate-history\.json/g;
    return (text.match(saved) ?? text.match(kept) ?? []).length;
  }

  async function planned(call: string): Promise<void> {
    const words = call.trim().split(/\s+/);
    const plan = words.includes('--plan') ? [] : ['--plan'];
    const { error } = await squallHere(...words, ...plan, '--reports', join(tmpdir(), 'squall-no-reports'));
    expect(error?.message, call).to.equal(undefined);
  }
});
