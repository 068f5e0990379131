import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { requireScenario } from '../../scenario/index.ts';
import { scenarioSpec } from '../../scenario/test/fake-scenario.ts';
import { FakeStage } from '../../scenario/test/fake-stage.ts';
import { executeBundle, executeRun } from '../../session/index.ts';
import { squallHere } from './in-process.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const RACK = join(ROOT, 'suites', 'incidents', 'rack-uplink.incident.yaml');
const MEMBERS = join(ROOT, 'suites', 'memberlist', 'members.explore.yaml');

describe('commands about incidents', function () {
  this.timeout(60_000);
  let dir: string;
  let run: string;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'squall-commands-'));
    const spec = scenarioSpec({ topology: 'memberlist-16', trials: 1, overrides: { counts: { member: 4 } } });
    const stage = new FakeStage({
      onFault: (bed, what) => {
        if (what === 'lifted') bed.say('member-2', 'member.dead', { member: '\u001b[2Jmember-3' });
      },
    });
    ({ dir: run } = await executeRun({
      selections: [{ scenario: requireScenario(spec, { suite: 'fake' }) }],
      command: ['run', 'fake'],
      reportsDir: join(dir, 'reports'),
      parallelBeds: 1,
      stage,
      signal: new AbortController().signal,
    }));
    writeFileSync(
      join(dir, 'compose.yaml'),
      'services: {web: {image: registry.example/web, volumes: [a:/b]}}\n',
    );
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  for (const [argv, problem] of [
    [['repro', RACK, '--oracle', '3/2'], 'expected K/N with 1 ≤ K ≤ N'],
    [['repro', RACK, '--attempts', '0'], '--attempts 0'],
    [['repro', 'x.scenario.yaml'], 'no incident among the files'],
    [['repro', 'nowhere.incident.yaml'], 'cannot be read'],
    [['repro', RACK, '--shrink', '1'], '--shrink'],
    [['explore', MEMBERS, '--for', 'long'], 'duration "long"'],
    [['explore', MEMBERS, '--batch', '0'], '--batch 0'],
    [['explore', 'no-such-topology'], 'files explore a topology of this name'],
    [['explore', MEMBERS, '--plan', '--variant', 'no-such'], 'has a variant "no-such"'],
    [['bisect', 'suites/memberlist'], 'expected --scenario with one of'],
    [['bisect', 'suites/memberlist', '--scenario', 'outage', '--confidence', '2'], '--confidence 2'],
    [['bisect', 'suites/memberlist', '--scenario', 'outage', '--set', 'cutof=1'], 'no parameter "cutof"'],
    [['bisect', 'suites/memberlist', '--scenario', 'outage', '--check', 'x'], 'no check "x"'],
    [['replay', 'nowhere.tar.gz', '--secret', 'PASSWORD'], '--secret: expected NAME=VALUE'],
    [['replay', 'nowhere.tar.gz'], 'nowhere.tar.gz: it cannot be read'],
    [['bundle', 'nowhere'], 'run nowhere: not found'],
    [['timeline', 'nowhere'], 'run nowhere: not found'],
    [['import', 'nowhere.yaml'], 'cannot be read'],
  ] as const) {
    it(`refuses \`squall ${argv.map((word) => word.replace(ROOT, '')).join(' ')}\` before anything starts`, async () => {
      const outcome = await squallHere(...argv).catch((error: unknown) => ({ error, stderr: '' }));
      expect((outcome.error as { blame?: string } | undefined)?.blame).to.equal('input');
      expect((outcome.error as Error).message).to.include(problem);
    });
  }

  it('say what a reproduction would try and how long it may take, by its options, and start nothing', async () => {
    const reports = join(dir, 'planned');
    const plan = async (...options: string[]) =>
      (await squallHere('repro', RACK, '--plan', '--seed', '7', '--reports', reports, ...options)).stdout;
    const whole = await plan();
    expect(whole).to.match(/^incident rack-uplink, seed 7: the first of 20 ways is$/m);
    expect(whole).to.include('instead of 12 min 50 s: 2 pauses').and.include('a trial has 24 nodes');
    expect(whole).to.match(/shrunk {5}up to 60 trials, about .*\n {2}measured {3}again/);
    expect(whole)
      .to.match(/^at most about 1 h .*assumed/m)
      .and.match(/^writes .*rack-uplink\.scenario\.yaml$/m);
    const small = await plan('--attempts', '1', '--shrink-trials', '0', '--confirm', '2', '--out', 'x.yaml');
    expect(small).to.include('measured   2 trials before the fix and after it').and.not.include('shrunk');
    expect(small).to.match(/^writes x\.yaml$/m);
    expect(existsSync(reports)).to.equal(false);
  });

  it('say what an exploration would try and how many schedules there is time for, and start nothing', async () => {
    const reports = join(dir, 'planned');
    const plan = async (length: string) =>
      (await squallHere('explore', MEMBERS, '--plan', '--for', length, '--seed', '7', '--reports', reports))
        .stdout;
    const half = await plan('30m');
    expect(half.match(/^ {2}at 0 ms .*; watched for 20 s$/gm)).to.have.length(4);
    const schedules = (text: string) => Number(/about (\d+) schedules in/.exec(text)?.[1]);
    expect(schedules(half)).to.be.within(12, 80);
    expect(schedules(await plan('2h'))).to.be.greaterThan(schedules(half));
    expect(half).to.include(`keeps what it finds in ${join(reports, 'explore', 'members')}`);
    expect(existsSync(reports)).to.equal(false);
  });

  it('print a timeline on which no log line steers the terminal, filtered', async () => {
    const { stdout } = await squallHere('timeline', run, '--grep', 'dead', '--point', 'cutoff=2');
    expect(stdout)
      .to.match(/phase fault/)
      .and.match(/fault cut \(hold on pick\(2,member\)/);
    expect(stdout).to.include('member-2  • member.dead').and.not.include('\u001b');
    const json = await squallHere('timeline', run, '--json', '--no-logs');
    expect(
      json.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).to.have.length.above(2);
    const none = await squallHere('timeline', run, '--trial', '9');
    expect(none.error?.message).to.include('has no finished trial number 9');
  });

  it('list what is in a bundle', async () => {
    const file = join(dir, 'run.tar.gz');
    await executeBundle(run, file, []);
    const { stdout } = await squallHere('bundle', file, '--list');
    expect(stdout).to.include('events of a trial').and.include('environments of nodes');
  });

  it('make a topology of a compose file, and tell what it lacks', async () => {
    const { stdout, stderr } = await squallHere('import', join(dir, 'compose.yaml'));
    expect(stdout).to.include('image: registry.example/web');
    expect(stderr).to.include('services.web.volumes: is not carried over');
  });

  it('print the JSON Schemas of incidents and explorations', async () => {
    for (const kind of ['incident', 'exploration']) {
      expect(JSON.parse((await squallHere('schema', kind)).stdout)).to.have.property('properties');
    }
  });
});
