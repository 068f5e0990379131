import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  type CheckSpec,
  createRun,
  type ExpectationSpec,
  type PlanRecord,
  type RunWriter,
  readRun,
  registerMeasure,
  SCHEMAS,
  type TrialRecord,
} from '../../record/index.ts';
import { samplePlan, sampleTrial } from '../../record/test/sample-record.ts';
import { judgeRun } from '../index.ts';

const noDeath: CheckSpec = {
  check: 'measure-bound',
  title: 'no false death',
  kind: 'invariant',
  parameters: { measure: 'falseDeaths', op: '=', value: 0 },
};

function planFor(
  variants: readonly string[],
  options: { trials?: number; checks?: CheckSpec[]; expectations?: ExpectationSpec[] } = {},
): PlanRecord {
  return samplePlan({
    scenarios: [
      {
        suite: 'synthetic',
        scenario: 'outage',
        description: '',
        kills: [],
        points: variants.map((variant) => ({
          point: { variant },
          pointId: `variant=${variant}`,
          trials: options.trials ?? 3,
          estimatedMs: 0,
        })),
        checks: options.checks ?? [noDeath],
        expectations: options.expectations ?? [],
        published: [],
        measures: [{ name: 'falseDeaths', title: 'False deaths', unit: 'deaths' }],
        plots: [],
      },
    ],
  });
}

async function write(
  run: RunWriter,
  variant: string,
  trial: number,
  changes: Partial<TrialRecord>,
): Promise<void> {
  const pointId = `variant=${variant}`;
  const writer = await run.openTrial({ pointId, trial });
  writer.event({ node: 'member-1', event: 'member.dead', atNs: 5, fields: {} });
  await writer.finish(sampleTrial({ point: { variant }, pointId, trial, ...changes }));
}

describe('judging a run', () => {
  let dir: string;
  beforeEach(async () => {
    dir = join(await mkdtemp(join(tmpdir(), 'squall-judge-')), 'run-1');
  });
  afterEach(async () => {
    await rm(join(dir, '..'), { recursive: true, force: true });
  });

  const expectation: ExpectationSpec = {
    where: { variant: 'shipped' },
    check: 'no false death',
    outcome: 'fail',
  };

  it('passes when the fixed side holds and the old side fails as expected, and writes run.json', async () => {
    const run = await createRun(dir, planFor(['shipped', 'both'], { expectations: [expectation] }));
    for (const trial of [1, 2, 3]) {
      await write(run, 'shipped', trial, { measures: { falseDeaths: trial * 10 } });
      await write(run, 'both', trial, { measures: { falseDeaths: 0 } });
    }
    await run.finish();
    const record = await judgeRun(dir, { checks: 'recorded' });
    expect(record).to.include({ verdict: 'pass', exitCode: 0, partial: false });
    expect(record.points[0]?.checks[0]).to.include({ rawVerdict: 'fail', verdict: 'pass', expected: 'fail' });
    expect(record.points[1]?.checks[0]?.excludesRate).to.be.closeTo(0.6316, 1e-3);
    expect(record.points[0]?.measures['falseDeaths']).to.deep.include({
      values: [10, 20, 30],
      mean: 20,
      median: 20,
    });
    const stored = await readRun(dir);
    expect(stored.run).to.deep.equal(record);
    expect(SCHEMAS.run.safeParse(JSON.parse(await readFile(join(dir, 'run.json'), 'utf8'))).error).to.equal(
      undefined,
    );
  });

  it('fails on a surprise pass', async () => {
    const run = await createRun(dir, planFor(['shipped'], { expectations: [expectation] }));
    for (const trial of [1, 2, 3]) await write(run, 'shipped', trial, { measures: { falseDeaths: 0 } });
    const record = await judgeRun(dir, { checks: 'recorded' });
    expect(record).to.include({ verdict: 'fail', exitCode: 1 });
    expect(record.points[0]?.checks[0]?.sentence).to.match(/^Passed, but must fail here\./);
  });

  it('says the same again', async () => {
    const run = await createRun(dir, planFor(['both']));
    for (const trial of [1, 2, 3]) await write(run, 'both', trial, { measures: { falseDeaths: 0 } });
    const first = await judgeRun(dir, { checks: 'recorded' });
    expect(await judgeRun(dir, { checks: 'recorded' })).to.deep.equal(first);
  });

  it('is inconclusive about a run that was killed in its second trial, and says which left no record', async () => {
    const run = await createRun(dir, planFor(['both', 'shipped']));
    await write(run, 'both', 1, { measures: { falseDeaths: 0 } });
    await run.openTrial({ pointId: 'variant=both', trial: 2 });
    const record = await judgeRun(dir, { checks: 'recorded' });
    expect(record).to.include({ verdict: 'inconclusive', exitCode: 2, partial: true });
    expect(record.points[0]?.trials).to.include({ planned: 3, completed: 1, aborted: 1 });
    expect(record.points[1]?.checks[0]?.sentence).to.equal('No trial ran.');
    expect(record.notes?.join()).to.contain('trial 2 began and left no record');
  });

  it('never passes on nothing', async () => {
    await createRun(dir, samplePlan());
    const record = await judgeRun(dir, { checks: 'recorded' });
    expect(record.verdict).to.equal('inconclusive');
    expect(record.exitCode).to.equal(4);
  });

  it('counts no void trial, and says why it was void', async () => {
    const run = await createRun(dir, planFor(['both']));
    await write(run, 'both', 1, {
      outcome: 'void',
      reasons: ['CPU steal of 30 %'],
      measures: { falseDeaths: 99 },
    });
    for (const trial of [2, 3, 4]) await write(run, 'both', trial, { measures: { falseDeaths: 0 } });
    const record = await judgeRun(dir, { checks: 'recorded' });
    expect(record).to.include({ verdict: 'pass', partial: false });
    expect(record.counts.voidTrials).to.equal(1);
    expect(record.points[0]?.measures['falseDeaths']?.values).to.deep.equal([0, 0, 0]);
    expect(record.notes?.join()).to.contain('CPU steal of 30 %');
  });

  it('never passes a trial whose fault was not seen to act, though no guard asks', async () => {
    const run = await createRun(dir, planFor(['both'], { trials: 1 }));
    const fault = {
      id: 'cut',
      kind: 'hold',
      targets: ['member-1'],
      selector: 'member[1]',
      settings: {},
      bit: false,
      gone: true,
      problems: ['0 packets held'],
    };
    await write(run, 'both', 1, { measures: { falseDeaths: 0 }, faults: [fault] });
    const record = await judgeRun(dir, { checks: 'recorded' });
    expect(record.verdict).to.equal('inconclusive');
    expect(record.points[0]?.checks[0]).to.include({ check: 'faults-bit', verdict: 'inconclusive' });
    expect(record.points[0]?.checks[0]?.sentence).to.contain('0 packets held');
  });

  for (const [verdict, reason] of [
    ['unknown', 'no canary was watched'],
    ['spoiled', 'CPU steal of 30 %'],
  ] as const) {
    it(`never passes a trial of an older record whose host was ${verdict}, though no guard asks`, async () => {
      const run = await createRun(dir, planFor(['both'], { trials: 1 }));
      const host = { verdict, measures: [], reasons: [reason] };
      await write(run, 'both', 1, { measures: { falseDeaths: 0 }, host });
      const record = await judgeRun(dir, { checks: 'recorded' });
      expect(record.verdict).to.equal('inconclusive');
      const [guard, check] = record.points[0]?.checks ?? [];
      expect(guard).to.include({ check: 'host-quiet', verdict: 'inconclusive' });
      expect(guard?.sentence).to.contain(reason);
      expect(check?.sentence).to.match(/^No trial counts: none of 1 proves anything \(the host was /);
    });
  }

  it('does not turn a failure on an unwatched host into one of the system', async () => {
    const run = await createRun(dir, planFor(['both'], { trials: 1 }));
    const host = { verdict: 'unknown' as const, measures: [], reasons: [] };
    await write(run, 'both', 1, { measures: { falseDeaths: 99 }, host });
    expect((await judgeRun(dir, { checks: 'recorded' })).verdict).to.equal('inconclusive');
  });

  it('is broken, not failed, when trials broke and the plan was not reached', async () => {
    const run = await createRun(dir, planFor(['both'], { trials: 1 }));
    await write(run, 'both', 1, { outcome: 'error', reasons: ['the engine went away'] });
    expect(await judgeRun(dir, { checks: 'recorded' })).to.include({ verdict: 'inconclusive', exitCode: 4 });
  });

  it('tells of an expectation that no check answers to', async () => {
    const typo = { ...expectation, check: 'no flase death' };
    const run = await createRun(dir, planFor(['shipped'], { trials: 1, expectations: [typo] }));
    await write(run, 'shipped', 1, { measures: { falseDeaths: 0 } });
    const record = await judgeRun(dir, { checks: 'recorded' });
    expect(record.errors.join()).to.contain('no flase death');
    expect(record.exitCode).to.equal(4);
  });

  it('tells of a check with wrong parameters instead of passing it', async () => {
    const wrong = { ...noDeath, parameters: { measure: 'falseDeaths', operator: '=', value: 0 } };
    const run = await createRun(dir, planFor(['both'], { trials: 1, checks: [wrong] }));
    await write(run, 'both', 1, { measures: { falseDeaths: 0 } });
    const record = await judgeRun(dir, { checks: 'recorded' });
    expect(record).to.include({ verdict: 'inconclusive', exitCode: 4 });
  });

  it('judges by the checks of today when asked, measuring the events again', async () => {
    const run = await createRun(dir, planFor(['both'], { trials: 1 }));
    await write(run, 'both', 1, { measures: { falseDeaths: 0 } });
    registerMeasure('judge-run-test.deaths', (_trial, events) => ({
      falseDeaths: events.filter((event) => event.event === 'member.dead').length,
    }));
    const scenarios = [{ suite: 'synthetic', scenario: 'outage', measure: ['judge-run-test.deaths'] }];
    const record = await judgeRun(dir, { checks: 'today', scenarios });
    expect(record).to.include({ verdict: 'fail', judgedBy: 'today' });
    expect(record.points[0]?.measures['falseDeaths']?.values).to.deep.equal([1]);
  });

  it('leaves no half-written file behind', async () => {
    await createRun(dir, planFor(['both']));
    await judgeRun(dir, { checks: 'recorded' });
    await access(join(dir, 'run.json'));
    const { readdir } = await import('node:fs/promises');
    expect((await readdir(dir)).filter((name) => name.endsWith('.tmp'))).to.deep.equal([]);
  });
});
