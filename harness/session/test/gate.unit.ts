import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Baseline, findBaseline } from '../../baseline/index.ts';
import { SquallError } from '../../errors/index.ts';
import { type GateResult, parseGate } from '../../gate/index.ts';
import { readImages } from '../../image/index.ts';
import { registerMeasure } from '../../record/index.ts';
import { type ResolvedScenario, requireScenario, type ScenarioSpec } from '../../scenario/index.ts';
import { scenarioSpec } from '../../scenario/test/fake-scenario.ts';
import { type FakeBehaviour, FakeStage } from '../../scenario/test/fake-stage.ts';
import { bindBaseline, executeGate, type GateRequest, hostClass, knownMutants, planGate } from '../index.ts';

const MUTANTS = ['both-without-grace', 'both-without-health'];

function scenario(changes: Partial<ScenarioSpec> = {}, suite = 'fake'): ResolvedScenario {
  return requireScenario(scenarioSpec({ topology: 'memberlist-16', ...changes }), { suite });
}

/** Passes with `both`, and is to notice two mutants of it. */
const claimed = scenario({
  name: 'claimed',
  parameters: {
    ...scenarioSpec().parameters,
    variant: { type: 'choice', description: '', default: 'both', choices: ['both', ...MUTANTS] },
  },
  grids: { default: { description: '', axes: {} } },
  trials: 6,
  kills: MUTANTS.map((mutant) => ({ mutant })),
});

const MISSING_FIX: FakeBehaviour = {
  onFault: (bed, what) => {
    const variant = bed.topology.nodes[0]?.environment['SQUALL_VARIANT'];
    if (what === 'lifted' && variant === 'both-without-grace') bed.say('member-1', 'member.dead');
  },
};

describe('a gate from end to end', () => {
  let reportsDir: string;
  beforeEach(() => {
    reportsDir = mkdtempSync(join(tmpdir(), 'squall-gate-'));
  });
  afterEach(() => rmSync(reportsDir, { recursive: true, force: true }));

  function request(text: string, changes: Partial<GateRequest> = {}): GateRequest {
    const suites: Record<string, readonly ResolvedScenario[]> = {
      fake: [scenario(), claimed],
      other: [scenario({}, 'other')],
    };
    return {
      config: parseGate(text, 'gate.yaml'),
      mode: 'quick',
      suiteOf: (suite) => suites[suite] ?? [],
      mutants: knownMutants(readImages()),
      command: ['gate', '--quick'],
      seed: '7',
      reportsDir,
      parallelBeds: 1,
      stage: new FakeStage(),
      today: '2026-11-30',
      signal: new AbortController().signal,
      ...changes,
    };
  }

  it('runs its entries as one run, and leaves its result beside the record', async () => {
    const { result, dir, exitCode, text } = await executeGate(
      request('quick: [{suite: fake, scenario: outage, trials: 1}]'),
    );
    expect(exitCode).to.equal(0);
    expect(result.lines.map((line) => line.check)).to.include('nobody dies');
    expect(JSON.parse(readFileSync(join(dir, 'gate.json'), 'utf8')) as GateResult).to.deep.equal(result);
    expect(readFileSync(join(dir, 'gate.md'), 'utf8')).to.match(/^## ✅ PASS/);
    expect(existsSync(join(dir, 'junit.xml'))).to.equal(true);
    expect(text).to.match(/PASS {2}gate release --quick/);
    expect(result.repeat).to.equal('npx squall gate --quick --seed 7');
  });

  it('refuses more beds at once than what it chose has subnets for, as a plan too', async () => {
    const beds = (parallelBeds: number, trials: number) =>
      planGate(request(`quick: [{suite: fake, scenario: outage, trials: ${trials}}]`, { parallelBeds }));
    await refused(beds(40, 60), /--parallel-beds 40: expected 31 at most/);
    expect((await beds(40, 1)).run.trials.length).to.be.lessThan(31);
  });

  it('fails with the check that fails, and names it', async () => {
    const leaky = new FakeStage({
      onFault: (bed, what) => {
        if (what === 'lifted') bed.say('member-1', 'member.dead');
      },
    });
    const { result, exitCode } = await executeGate(
      request('quick: [{suite: fake, scenario: outage, trials: 1}]', { stage: leaky }),
    );
    expect(exitCode).to.equal(1);
    expect(result.lines.filter((line) => line.verdict === 'fail').map((line) => line.check)).to.deep.equal([
      'nobody dies',
    ]);
  });

  it('runs mutants in the same run, with their controls, and fails for the one that survives', async () => {
    const text = 'quick: [{suite: fake, scenario: claimed}, {suite: fake, mutants: all}]';
    const { result, dir, exitCode } = await executeGate(request(text, { stage: new FakeStage(MISSING_FIX) }));
    const mutants = result.lines.filter((line) => line.kind === 'mutant');
    expect(mutants.map((line) => [line.check, line.verdict])).to.deep.equal([
      ['mutant both-without-health', 'fail'],
      ['mutant both-without-grace', 'pass'],
    ]);
    expect(exitCode).to.equal(1);
    expect(result.notes?.join(), 'nobody claims this one').to.match(/ of memberlist-node is not covered/);
    expect(
      result.lines.filter((line) => line.scenario.includes('claimed-')),
      'mutants have one line',
    ).to.deep.equal([]);
    const junit = readFileSync(join(dir, 'junit.xml'), 'utf8');
    expect(junit.match(/<failure/g), 'the survivor alone is a failure').to.have.length(1);
    const plan = JSON.parse(readFileSync(join(dir, 'plan.json'), 'utf8')) as {
      scenarios: { points: unknown[] }[];
    };
    expect(
      plan.scenarios.map((one) => one.points.length),
      'the control is the point of the entry',
    ).to.deep.equal([1, 1, 1]);
  });

  it('knows the mutants that no scenario claims, of images of which it is to run them all', async () => {
    const { uncovered } = await planGate(request('quick: [{suite: fake, mutants: all}]'));
    const own = knownMutants(readImages()).filter(({ image }) => image === 'memberlist-node');
    expect(uncovered.map(({ mutant }) => mutant)).to.have.members(
      own.map(({ mutant }) => mutant).filter((mutant) => !MUTANTS.includes(mutant)),
    );
    expect(uncovered).to.not.be.empty;
    const some = request(`quick: [{suite: fake, mutants: [${MUTANTS[0]}]}]`);
    expect((await planGate(some)).uncovered).to.deep.equal([]);
  });

  it('keeps the sides of a point together, and leaves out what the budget has no room for', async () => {
    const text = 'quick: [{suite: fake, scenario: outage}, {suite: fake, mutants: all}]';
    const whole = await planGate(request(text));
    expect(whole.leftOut).to.deep.equal([]);
    const first = await planGate(request('quick: [{suite: fake, scenario: outage}]'));
    const { chosen, leftOut, plannedMs } = await planGate(request(text, { budgetMs: first.plannedMs }));
    expect(plannedMs).to.equal(first.plannedMs);
    expect(chosen.every((unit) => unit.claim === undefined)).to.equal(true);
    for (const unit of chosen) {
      expect(unit.wanted.map(({ point }) => point['variant'])).to.have.members(['shipped', 'both']);
    }
    expect(leftOut.map(({ unit }) => unit.claim?.mutant)).to.deep.equal(MUTANTS);
    const { result } = await executeGate(request(text, { budgetMs: first.plannedMs }));
    expect(result.leftOut.map(({ id }) => id).join()).to.include('mutant both-without-grace');
  });

  it('gives every shard the same split, whatever this machine has measured', async () => {
    const text = 'quick: [{suite: fake, scenario: outage}, {suite: fake, mutants: all}]';
    const whole = (await planGate(request(text))).chosen.map(({ id }) => id);
    const ids = async (index: number) =>
      (await planGate(request(text, { shard: { index, total: 2 } }))).chosen.map(({ id }) => id);
    const before = [await ids(1), await ids(2)];
    expect(before.flat()).to.have.members(whole);
    const measured = { startMsPerNode: 9_000, resetMsPerNode: 700, settleMsPerNode: 800, trials: 4 };
    writeFileSync(join(reportsDir, 'durations.json'), JSON.stringify(measured));
    expect(await ids(1)).to.deep.equal(before[0]);
  });

  it('picks entries by tag, and refuses a tag that none has', async () => {
    const text =
      'quick: [{suite: fake, scenario: outage, tags: [net]}, {suite: fake, mutants: all, tags: [slow]}]';
    const { chosen } = await planGate(request(text, { tags: ['slow'] }));
    expect(chosen.map(({ claim }) => claim?.mutant)).to.deep.equal(MUTANTS);
    await refused(planGate(request(text, { tags: ['fast'] })), /There are: net, slow/);
  });

  it('keeps points of scenarios of one name in two suites apart', async () => {
    const text = 'quick: [{suite: fake, scenario: outage, trials: 1}, {suite: other, trials: 1}]';
    const { run } = await planGate(request(text));
    const ids = run.points.map(({ pointId }) => pointId);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(ids[0]).to.match(/^fake,outage,/);
  });

  for (const [entry, problem] of [
    ['{suite: fake, scenario: outrage}', /no scenario "outrage".*did you mean "outage"/],
    ['{suite: fake, scenario: outage, grid: gaet}', /no grid "gaet"/],
    ['{suite: fake, scenario: outage, where: {cutof: 1}}', /no parameter "cutof".*did you mean "cutoff"/],
    ['{suite: fake, scenario: outage, where: {cutoff: 77}}', /entry 1 .*selects nothing/],
    ['{suite: fake, grid: nowhere}', /selects nothing/],
    ['{suite: fake, mutants: [both-without-grase]}', /did you mean "both-without-grace"/],
    ['{suite: other, mutants: all}', /selects nothing/],
  ] as const) {
    it(`refuses the entry ${entry}`, async () => {
      await refused(planGate(request(`quick: [${entry}]`)), problem);
    });
  }

  describe('on one commit', () => {
    const TEXT = 'quick: [{suite: fake, scenario: outage, trials: 1, where: {cutoff: 1, variant: both}}]';
    const COMMIT = { hash: 'c0ffee', dirty: false };
    /** Lets somebody die in each of the faults that are counted here. */
    const failing = (faults: readonly number[]) => {
      let count = 0;
      return new FakeStage({
        onFault: (bed, what) => {
          if (what !== 'lifted') return;
          count += 1;
          if (faults.includes(count)) bed.say('member-1', 'member.dead');
        },
      });
    };
    const died = (result: GateResult) => result.lines.find((line) => line.check === 'nobody dies');

    it('gives each check’s pass rate over a soak, on seeds that differ', async () => {
      const { result, text, exitCode } = await executeGate(request(TEXT, { soak: 3 }));
      expect(exitCode).to.equal(0);
      expect(result.soak).to.have.length(3);
      expect(died(result)?.stability).to.deep.include({ passed: 3, runs: 3, high: 1 });
      expect(text).to.match(/nobody dies .* Passed 3 of 3 runs of this commit \(pass rate 29\.2 to 100 %\)/);
      const plans = (result.soak ?? []).map((id) => readFileSync(join(reportsDir, id, 'plan.json'), 'utf8'));
      expect(new Set(plans.map((plan) => (JSON.parse(plan) as { seed: string }).seed)).size).to.equal(3);
    });

    it('calls a check unstable that fails once in a soak, and fails for an invariant', async () => {
      const { result, text, exitCode } = await executeGate(request(TEXT, { soak: 3, stage: failing([2]) }));
      expect(exitCode).to.equal(1);
      expect(died(result)).to.deep.include({ verdict: 'fail', unstable: true });
      expect(text).to.include('Unstable: passed 2 of 3 runs of this commit').and.include('1 check unstable');
    });

    it('never lets a failure be retried into a pass', async () => {
      const first = await executeGate(request(TEXT, { commit: COMMIT, stage: failing([1]) }));
      expect(first.exitCode).to.equal(1);
      const again = await executeGate(request(TEXT, { commit: COMMIT }));
      expect(again.exitCode).to.equal(1);
      expect(died(again.result)).to.deep.include({ verdict: 'fail', unstable: true });
      const other = await executeGate(request(TEXT, { commit: { ...COMMIT, hash: 'decade' } }));
      expect(other.exitCode, 'of another commit').to.equal(0);
      const changed = await executeGate(request(TEXT, { commit: { ...COMMIT, dirty: true } }));
      expect(changed.exitCode, 'of changed files').to.equal(0);
    });

    it('divides a budget by the runs of a soak', async () => {
      const { plannedMs } = await planGate(request(TEXT));
      await refused(executeGate(request(TEXT, { soak: 2, budgetMs: plannedMs * 1.5 })), /too small/);
    });
  });

  it('keeps as many runs as it is told to, its own among them', async () => {
    const text = 'quick: [{suite: fake, scenario: outage, trials: 1}]\nretention: {runs: 2}';
    const dirs: string[] = [];
    for (let time = 0; time < 3; time += 1) {
      dirs.push((await executeGate(request(text, { stage: new FakeStage() }))).dir);
    }
    expect(dirs.map((dir) => existsSync(dir))).to.deep.equal([false, true, true]);
  });

  describe('with a waiver', () => {
    const leaky = () =>
      new FakeStage({
        onFault: (bed, what) => {
          if (what === 'lifted') bed.say('member-1', 'member.dead');
        },
      });
    const gate = async (waiver: string, stage = leaky()) =>
      await executeGate(
        request(`quick: [{suite: fake, scenario: outage, trials: 1}]\nwaivers: [${waiver}]`, { stage }),
      );
    const RULE = 'scenario: outage, check: nobody dies, owner: the net team, reason: known since 1.3';

    it('passes what fails and somebody answers for, and says so everywhere', async () => {
      const { result, exitCode, dir, text, markdown } = await gate(`{${RULE}, until: 2026-11-30}`);
      expect(exitCode).to.equal(0);
      const waived = result.lines.filter((line) => line.waived);
      expect(waived.map((line) => line.check)).to.deep.equal(['nobody dies']);
      expect(text).to.match(/^~ fake\/outage: nobody dies .*Waived until 2026-11-30 by the net team/m);
      expect(text).to.include('; 1 check waived');
      expect(markdown).to.include('🟡');
      const junit = readFileSync(join(dir, 'junit.xml'), 'utf8');
      expect(junit).to.match(/<skipped message="Waived until 2026-11-30 by the net team/);
      expect(junit).to.include('failures="0" errors="0" skipped="4"');
      expect(readFileSync(join(dir, 'index.html'), 'utf8')).to.include('Waived until 2026-11-30');
    });

    it('fails once the waiver has run out, and says that it has', async () => {
      const { result, exitCode } = await gate(`{${RULE}, until: 2026-11-29}`);
      expect(exitCode).to.equal(1);
      expect(result.notes?.join()).to.include('has run out');
    });

    it('fails where the waiver does not reach', async () => {
      const { result, exitCode } = await gate(`{${RULE}, until: 2027-01-01, where: {variant: shipped}}`);
      expect(exitCode).to.equal(1);
      expect(result.lines.find((line) => line.verdict === 'fail')?.pointId).to.include('variant=both');
    });

    it('says when a waiver is not needed', async () => {
      const { result, exitCode } = await gate(`{${RULE}, until: 2027-01-01}`, new FakeStage());
      expect(exitCode).to.equal(0);
      expect(result.notes?.join()).to.include('was not needed');
    });

    it('waives no fault of ours', async () => {
      const broken = new FakeStage({ startError: () => new Error('no room') });
      expect((await gate(`{${RULE}, until: 2027-01-01}`, broken)).exitCode).to.equal(4);
    });

    it('refuses a waiver of nothing', async () => {
      await refused(
        gate(`{${RULE.replace('nobody dies', 'nobody dyes')}, until: 2027-01-01}`),
        /did you mean "nobody dies"/,
      );
      await refused(
        gate(`{${RULE.replace('outage', 'outrage')}, until: 2027-01-01}`),
        /did you mean "outage"/,
      );
      await refused(
        gate(`{${RULE}, until: 2027-01-01, where: {outage: 999h}}`),
        /waiver of “nobody dies” is for outage where .*999h.* no point/,
      );
      expect(() => parseGate(`quick: [{suite: a}]\nwaivers: [{${RULE}, until: soon}]`, 'x')).to.throw(
        /until/,
      );
    });
  });

  it('judges what it has when it is cancelled, and says that it is partial', async () => {
    const stop = new AbortController();
    const stage = new FakeStage({ onFault: () => stop.abort(new Error('interrupted by SIGTERM')) });
    const { result, exitCode, dir } = await executeGate(
      request('quick: [{suite: fake, scenario: outage, trials: 1}]', { stage, signal: stop.signal }),
    );
    expect(result.partial).to.equal(true);
    expect(exitCode).to.not.equal(0);
    expect(existsSync(join(dir, 'gate.md'))).to.equal(true);
    expect(stage.living).to.deep.equal([]);
  });
});

describe('a gate with bounds relative to a baseline', () => {
  let reportsDir: string;
  /** By how much everything is slower than the first time. */
  let slowness = 1;
  before(() => {
    registerMeasure('gate-test.recovery', (trial) => ({
      recovery: slowness * (10 + (trial.trial % 3) * 0.1),
    }));
  });
  beforeEach(() => {
    slowness = 1;
    reportsDir = mkdtempSync(join(tmpdir(), 'squall-gate-baseline-'));
  });
  afterEach(() => rmSync(reportsDir, { recursive: true, force: true }));

  const timed = scenario({
    grids: { default: { description: '', axes: {} } },
    trials: 6,
    measure: ['gate-test.recovery'],
    measures: [{ name: 'recovery', title: 'Recovery', unit: 's' }],
  });
  const TEXT =
    'quick: [{suite: fake}]\nrelative: [{scenario: outage, measure: recovery, better: lower, atMost: 10%}]';

  async function gate(
    text: string,
    baseline: Baseline | undefined,
    calibration?: Baseline,
    host = hostClass(undefined),
    optional = false,
  ) {
    const config = parseGate(text, 'gate.yaml');
    const suiteOf = bindBaseline(() => [timed], { config, baseline, calibration, host, optional });
    return await executeGate({
      config,
      mode: 'quick',
      suiteOf,
      mutants: [],
      command: ['gate', '--quick'],
      seed: '7',
      reportsDir,
      parallelBeds: 1,
      stage: new FakeStage(),
      today: '2026-11-30',
      signal: new AbortController().signal,
      ...(optional && config.relative && { unjudged: config.relative }),
    });
  }

  it('says which bounds are not judged, where there may be no baseline and is none', async () => {
    const { exitCode, result, text } = await gate(TEXT, undefined, undefined, undefined, true);
    expect(exitCode).to.equal(0);
    const note = /the bound on recovery of outage is not judged: no baseline under baselines\//;
    expect(result.notes?.join()).to.match(note);
    expect(text).to.match(note);
    expect(result.lines.map((line) => line.check).join()).to.not.include('baseline');
    await refused(
      gate(TEXT.replace('recovery', 'recovrey'), undefined, undefined, undefined, true),
      /did you mean "recovery"/,
    );
  });

  it('passes what is as fast, fails what is slower, and names the measure', async () => {
    const first = await gate('quick: [{suite: fake}]', undefined);
    const baseline = await findBaseline(first.dir);
    const same = await gate(TEXT, baseline);
    expect(same.exitCode, same.text).to.equal(0);
    slowness = 1.3;
    const slower = await gate(TEXT, baseline);
    expect(slower.exitCode).to.equal(1);
    const failed = slower.result.lines.filter((line) => line.verdict === 'fail');
    expect(failed.map((line) => line.check)).to.deep.equal([
      `recovery against the baseline ${baseline.name}`,
    ]);
    expect(failed[0]?.sentence).to.include('more than the allowed 10 % above it');
  });

  it('refuses a baseline of another machine, and rescales it by a calibration', async () => {
    const first = await gate('quick: [{suite: fake}]', undefined);
    const here = await findBaseline(first.dir);
    const there: Baseline = {
      ...here,
      host: { ...here.host, cpuModel: 'another' },
      points: here.points.map((point) => ({
        ...point,
        measures: {
          recovery: {
            unit: 's',
            values: (point.measures['recovery']?.values ?? []).map((value) => value / 4),
          },
        },
      })),
    };
    await refused(gate(TEXT, there), /was taken on .*another.*--calibration/);
    expect((await gate(TEXT, there, here)).exitCode).to.equal(0);
  });

  for (const [text, withBaseline, problem] of [
    [TEXT, false, /names none.*--baseline/],
    ['quick: [{suite: fake}]', true, /no bound is relative to it/],
    [TEXT.replace('recovery', 'recovrey'), true, /no measure "recovrey".*did you mean "recovery"/],
    [
      TEXT.replace('scenario: outage', 'scenario: outrage'),
      true,
      /which no entry runs.*did you mean "outage"/,
    ],
    [TEXT.replace('atMost: 10%', 'atMost: 10%, where: {cutof: 1}'), true, /no parameter "cutof"/],
  ] as const) {
    it(`refuses ${JSON.stringify(text)} ${withBaseline ? 'with' : 'without'} a baseline`, async () => {
      const first = await gate('quick: [{suite: fake, trials: 1}]', undefined);
      const baseline = withBaseline ? await findBaseline(first.dir) : undefined;
      await refused(gate(text, baseline), problem);
    });
  }
});

async function refused(work: Promise<unknown>, problem: RegExp): Promise<void> {
  let error: unknown;
  await work.catch((caught: unknown) => {
    error = caught;
  });
  expect(error).to.be.instanceOf(SquallError).with.property('blame', 'input');
  expect(`${(error as SquallError).message} ${(error as SquallError).hint ?? ''}`).to.match(problem);
}
