import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { readImages } from '../../image/index.ts';
import type { PlanRecord, RunObserver, RunRecord } from '../../record/index.ts';
import { type ResolvedScenario, requireScenario, type ScenarioSpec } from '../../scenario/index.ts';
import { scenarioSpec } from '../../scenario/test/fake-scenario.ts';
import { type FakeBehaviour, FakeStage, SPOILED } from '../../scenario/test/fake-stage.ts';
import { loadSuite } from '../../suite/index.ts';
import {
  claimProblems,
  defaultParallelBeds,
  executeMutation,
  executeRun,
  gateNotes,
  knownMutants,
  type MutationRequest,
  makePlan,
  mutantClaims,
  otherClaims,
  type PlanRequest,
  type RunRequest,
} from '../index.ts';
import { defaultBeds, planCosts } from '../plan-costs.ts';
import { findUnfinishedRun } from '../resume.ts';

/** Eight real memberlist nodes, as far as anybody can see from the plan; the stage plays them. */
function scenario(changes: Partial<ScenarioSpec> = {}): ResolvedScenario {
  return requireScenario(scenarioSpec({ topology: 'memberlist-16', ...changes }), { suite: 'fake' });
}

/** The library as shipped lets somebody die at the release. */
const LEAKY: FakeBehaviour = {
  onFault: (bed, what) => {
    const variant = bed.topology.nodes[0]?.environment['SQUALL_VARIANT'];
    if (what === 'lifted' && variant !== 'both') bed.say('member-1', 'member.dead', { member: 'member-2' });
  },
};

describe('a run from end to end', () => {
  let reportsDir: string;
  beforeEach(() => {
    reportsDir = mkdtempSync(join(tmpdir(), 'squall-session-'));
  });
  afterEach(() => rmSync(reportsDir, { recursive: true, force: true }));

  function execute(
    stage: FakeStage,
    changes: Partial<RunRequest> = {},
    one: ResolvedScenario = scenario(),
  ): ReturnType<typeof executeRun> {
    return executeRun({
      selections: [{ scenario: one }],
      command: ['run', 'suites/fake', '--trials', '1'],
      seed: '7',
      reportsDir,
      parallelBeds: 1,
      stage,
      signal: new AbortController().signal,
      ...changes,
    });
  }

  it('passes, and leaves the record and the reports as laid out', async () => {
    const { run, dir, exitCode } = await execute(new FakeStage());
    expect(run.verdict).to.equal('pass');
    expect(exitCode).to.equal(0);
    expect(readdirSync(dir)).to.include.members([
      'plan.json',
      'events.jsonl',
      'run.json',
      'index.html',
      'junit.xml',
      'trials',
    ]);
    expect(join(reportsDir, readlinkSync(join(reportsDir, 'latest')))).to.equal(dir);
    expect(run.repeat).to.include('--seed 7');
    const trials = readdirSync(join(dir, 'trials', 'cutoff=1,variant=both'));
    expect(trials).to.deep.equal(['1', '2']);
    const told = readFileSync(join(dir, 'events.jsonl'), 'utf8');
    const names = [...told.matchAll(/"event":"([a-z.]+)"/g)].map(([, name]) => name);
    expect(names[0]).to.equal('run.began');
    expect(names.at(-1)).to.equal('run.ended');
    // What the bed is made of is told once, not with every trial.
    expect(names.filter((name) => name === 'bed.described')).to.have.length(1);
    expect(told).to.contain('"name":"member-16","role":"member"');
  });

  it('fails with exit 1 when the system fails, and 0 when that was expected', async () => {
    const failed = await execute(new FakeStage(LEAKY));
    expect(failed.run.verdict).to.equal('fail');
    expect(failed.exitCode).to.equal(1);
    const expected = scenario({
      expect: [{ where: { variant: 'shipped' }, check: 'nobody dies', outcome: 'fail' }],
    });
    const turned = await execute(new FakeStage(LEAKY), {}, expected);
    expect(turned.exitCode).to.equal(0);
  });

  it('keeps the bed of a trial that only its events show to have failed, and of none that they show to have passed', async () => {
    const death = { event: 'member.dead', where: { member: 'member-2' } };
    for (const [check, bound, kept] of [
      ['no-event', {}, 1],
      ['event-count', { op: '>=', value: 1 }, 0],
    ] as const) {
      const { beds, guard, clock } = new FakeStage(LEAKY);
      const given: string[] = [];
      const keep = async ({ id }: { readonly id: string }): Promise<void> => void given.push(id);
      const one = scenario({
        checks: [{ check, title: check, kind: 'invariant', parameters: { ...death, ...bound } }],
        grids: { default: { description: '', axes: { variant: ['shipped'] } } },
      });
      const { run } = await execute(new FakeStage(), { stage: { beds, guard, clock, keep } }, one);
      expect(run.verdict, check).to.equal(kept === 1 ? 'fail' : 'pass');
      expect(given, check).to.have.length(kept);
    }
  });

  it('is inconclusive with exit 2 when the host spoiled every repeat', async () => {
    const stage = new FakeStage();
    stage.hosts.push(...Array(5_000).fill(SPOILED));
    const { run, exitCode } = await execute(stage);
    expect(run.verdict).to.equal('inconclusive');
    expect(exitCode).to.equal(2);
  });

  it('exits 4 when beds do not start, and still writes the reports', async () => {
    const { exitCode, dir, run } = await execute(new FakeStage({ startError: () => new Error('no room') }));
    expect(exitCode).to.equal(4);
    expect(run.partial).to.equal(true);
    expect(existsSync(join(dir, 'junit.xml'))).to.equal(true);
    expect(readFileSync(join(dir, 'run.json'), 'utf8')).to.include('no room');
  });

  it('exits 4 when some trials broke, whatever the others said', async () => {
    const { exitCode } = await execute(
      new FakeStage({ startError: (number) => (number === 1 ? new Error('hiccup') : undefined) }),
    );
    expect(exitCode).to.equal(4);
  });

  it('writes partial reports when it is interrupted', async () => {
    const stop = new AbortController();
    const stage = new FakeStage({ onFault: () => stop.abort(new Error('interrupted by SIGINT')) });
    const { run, dir, outcome } = await execute(stage, { signal: stop.signal });
    expect(outcome.aborted).to.equal(true);
    expect(run.partial).to.equal(true);
    expect(existsSync(join(dir, 'index.html'))).to.equal(true);
    expect(existsSync(join(reportsDir, 'latest'))).to.equal(true);
    expect(stage.living).to.deep.equal([]);
  });

  it('refuses wrong input before anything is written', async () => {
    const wrong = scenario({ topology: 'no-such-topology' });
    let error: unknown;
    try {
      await execute(new FakeStage(), {}, wrong);
    } catch (caught) {
      error = caught;
    }
    expect(error).to.be.instanceOf(SquallError).with.property('blame', 'input');
    expect(readdirSync(reportsDir)).to.deep.equal([]);
  });

  for (const [changes, problem] of [
    [{ on: 'membr' }, /outage at cutoff=1,variant=shipped: .*membr/],
    [{ on: 'member[99]' }, /member\[99\]/],
    [{ udpp: 'hold' }, /udpp.*did you mean "udp"/],
    [{ for: '5s', kind: 'blackhole-stream', protocol: 'udp' }, /Toxiproxy carries TCP only/],
  ] as const) {
    it(`refuses a fault ${JSON.stringify(changes)} before anything starts`, async () => {
      const fault = { kind: 'hold' as const, id: 'cut', on: 'member', for: '1s', ...changes };
      const wrong = scenario({ phases: [{ name: 'fault', steps: [{ fault }] }] });
      const stage = new FakeStage();
      let error: unknown;
      try {
        await execute(stage, {}, wrong);
      } catch (caught) {
        error = caught;
      }
      expect(error).to.be.instanceOf(SquallError).with.property('blame', 'input');
      expect((error as SquallError).message).to.match(problem);
      expect(stage.built).to.deep.equal([]);
    });
  }

  it('leaves a selector by label to the bed, whose nodes may name labels themselves', async () => {
    const labelled = scenario({
      phases: [{ name: 'fault', steps: [{ fault: { kind: 'hold', on: 'member[rack=3]', for: '1s' } }] }],
    });
    const { exitCode } = await execute(new FakeStage(), {}, labelled);
    expect(exitCode, 'zero targets inside a run is a broken run').to.equal(4);
  });

  it('resumes the run of the same plan: done trials are not done again, and the seed is kept', async () => {
    const stop = new AbortController();
    let faults = 0;
    const first = await execute(
      new FakeStage({
        onFault: (_bed, what) => {
          faults += what === 'applied' ? 1 : 0;
          if (faults === 4) stop.abort(new Error('interrupted'));
        },
      }),
      { signal: stop.signal, seed: '99' },
    );
    const done: number[] = [];
    const observer: RunObserver = { planned: (_plan, alreadyDone) => void done.push(alreadyDone) };
    const { seed: _drawn, ...anySeed } = { seed: undefined };
    const request: RunRequest = {
      selections: [{ scenario: scenario() }],
      command: ['run', 'suites/fake'],
      reportsDir,
      parallelBeds: 1,
      stage: new FakeStage(),
      signal: new AbortController().signal,
      resume: true,
      observer,
      ...anySeed,
    };
    const second = await executeRun(request);
    expect(done).to.deep.equal([3]);
    expect(second.dir).to.equal(first.dir);
    expect(second.run.seed).to.equal('99');
    expect(second.run.partial).to.equal(false);
    expect(second.outcome.trials).to.have.length(5);
    const third = await executeRun({ ...request, stage: new FakeStage() });
    expect(third.outcome.trials, 'nothing is left').to.have.length(0);
    expect(third.exitCode).to.equal(0);
  });

  it('does not resume a run of another plan or seed', async () => {
    const { run } = await execute(new FakeStage());
    const plan = JSON.parse(readFileSync(join(reportsDir, run.runId, 'plan.json'), 'utf8')) as PlanRecord;
    expect(await findUnfinishedRun(reportsDir, plan, undefined)).to.have.property('plan');
    expect(await findUnfinishedRun(reportsDir, plan, '8')).to.equal(undefined);
    expect(await findUnfinishedRun(reportsDir, { ...plan, warp: 2 }, undefined)).to.equal(undefined);
    expect(await findUnfinishedRun(join(reportsDir, 'nowhere'), plan, undefined)).to.equal(undefined);
  });

  it('keeps the bed of a failure and ends there', async () => {
    const kept: string[] = [];
    const stage = new FakeStage(LEAKY);
    const { outcome } = await execute(stage, {
      stage: {
        beds: stage.beds,
        guard: stage.guard,
        clock: stage.clock,
        keep: async (bed) => void kept.push(bed.id),
      },
    });
    expect(kept).to.deep.equal([outcome.keptBed]);
    expect(outcome.trials.filter((trial) => trial.outcome === 'completed')).to.have.length(1);
  });

  it('repeats with the same seed: the same targets and seeds', async () => {
    const targets = async () =>
      (await execute(new FakeStage())).outcome.trials.map((trial) => [trial.seed, trial.faults[0]?.targets]);
    expect(await targets()).to.deep.equal(await targets());
  });

  it('gives the nodes of each point its own warp, on beds that all of them can share', () => {
    const warped = scenario({ warp: { ceiling: 4, control: 'at warp 1' } });
    const plan = makePlan({ selections: [{ scenario: warped, warps: [1, 4] }], command: [] });
    for (const { topology, warp } of plan.points) {
      const warps = topology.nodes.map(({ environment }) => environment['SQUALL_WARP']);
      expect(new Set(warps)).to.deep.equal(new Set([String(warp)]));
    }
    for (const trial of plan.trials) {
      const [node] = plan.topologyOf(trial).nodes;
      expect(node?.environment['SQUALL_WARP']).to.equal(String(trial.point.warp));
    }
    expect(new Set(plan.points.map(({ warp }) => warp))).to.deep.equal(new Set([1, 4]));
    expect(new Set(plan.points.map(({ shape }) => shape)).size).to.equal(1);
  });

  it('refuses more beds at once than there are subnets, when planning and when running', async () => {
    const many = scenario({ trials: 40 });
    const plan = makePlan({ selections: [{ scenario: many }], command: [] });
    const most = (await planCosts(plan, 31, reportsDir)).parallelBeds;
    expect(most).to.equal(31);
    const refusals = [
      () => planCosts(plan, 32, reportsDir),
      () => execute(new FakeStage(), { parallelBeds: 32 }, many),
    ];
    for (const refusal of refusals) {
      const problem = await refusal().then(
        () => undefined,
        (error: Error) => error.message,
      );
      expect(problem).to.include('--parallel-beds 32: expected 31 at most');
    }
  });

  it('refuses no beds that a plan has no trials for', async () => {
    const { run } = await execute(new FakeStage(), { parallelBeds: 40 });
    expect(run.exitCode).to.equal(0);
  });

  it('starts on a large host, unasked, no more beds than there are subnets, light ones included', async () => {
    const patient = scenario({ name: 'patient', shortestTimeout: '2s', trials: 40 });
    const onHost = (cpus: number, scenarios: readonly ResolvedScenario[]) => {
      const plan = makePlan({ selections: scenarios.map((one) => ({ scenario: one })), command: [] });
      return { ...plan, record: { ...plan.record, host: { ...plan.record.host, cpus } } };
    };
    const beds = (...call: Parameters<typeof onHost>) => {
      const { beds, lightBeds } = defaultBeds(onHost(...call), 1);
      return [beds, lightBeds];
    };
    expect(beds(4, [patient])).to.deep.equal([16, 0]);
    expect(beds(8, [patient])).to.deep.equal([31, 0]);
    expect(beds(29, [scenario(), patient])).to.deep.equal([29, 2]);
    expect(beds(64, [scenario(), patient])).to.deep.equal([31, 0]);
    expect((await planCosts(onHost(8, [patient]), undefined, reportsDir)).parallelBeds).to.be.at.most(31);
  });

  it('learns what beds take, and says so in the next plan', async () => {
    const plan = makePlan({ selections: [{ scenario: scenario() }], command: [] });
    const before = await planCosts(plan, 1, reportsDir);
    expect(before.basis).to.include('assumed');
    await execute(new FakeStage({ startMs: 60_000 }));
    const after = await planCosts(plan, 1, reportsDir);
    expect(after.basis).to.include('measured');
    expect(after.durationMs).to.be.greaterThan(before.durationMs);
  });

  it('learns what a trial of each point takes, whatever its steps say it may', async () => {
    const slow = scenario({
      phases: [{ name: 'recovery', steps: [{ run: (trial) => trial.wait('10m') }] }],
    });
    const costs = async () =>
      await planCosts(makePlan({ selections: [{ scenario: slow }], command: [] }), 1, reportsDir);
    const before = await costs();
    await execute(new FakeStage(), {}, slow);
    expect((await costs()).durationMs).to.be.greaterThan(before.durationMs * 3);
  });

  it('kills a mutant that the designated scenario notices, and says which one survives', async () => {
    const claimed = scenario({
      parameters: {
        ...scenarioSpec().parameters,
        variant: {
          type: 'choice',
          description: '',
          default: 'both',
          choices: ['both', 'both-without-grace', 'both-without-health'],
        },
      },
      grids: { default: { description: '', axes: {} } },
      checks: [
        {
          check: 'no-event',
          title: 'nobody dies with both',
          kind: 'invariant',
          parameters: { event: 'member.dead' },
          where: { variant: 'both' },
        },
      ],
      trials: 6,
      kills: [{ mutant: 'both-without-grace' }, { mutant: 'both-without-health', showRate: 0.9 }],
    });
    const claims = mutantClaims([claimed], knownMutants(readImages()));
    const stage = new FakeStage({
      onFault: (bed, what) => {
        const variant = bed.topology.nodes[0]?.environment['SQUALL_VARIANT'];
        if (what === 'lifted' && variant === 'both-without-grace') bed.say('member-1', 'member.dead');
      },
    });
    const { report, exitCode, dir, text } = await executeMutation({
      claims,
      command: ['mutate', 'suites/fake'],
      seed: '7',
      reportsDir,
      parallelBeds: 1,
      stage,
      signal: new AbortController().signal,
    });
    const fates = Object.fromEntries(report.mutants.map((one) => [one.mutant, one.fate]));
    expect(fates).to.deep.equal({ 'both-without-grace': 'killed', 'both-without-health': 'survived' });
    expect(exitCode).to.equal(1);
    expect(text).to.include('both-without-health').and.include('survived');
    expect(text, 'the rate of the claim').to.include('a fault that shows in 90 % of trials');
    const junit = readFileSync(join(dir, 'junit.xml'), 'utf8');
    expect(junit.match(/<failure/g), 'the survivor alone is a failure').to.have.length(1);
  });
});

describe('mutants of a run', () => {
  let reportsDir: string;
  beforeEach(() => {
    reportsDir = mkdtempSync(join(tmpdir(), 'squall-mutants-'));
  });
  afterEach(() => rmSync(reportsDir, { recursive: true, force: true }));

  const CHOICES = ['both', 'both-without-grace', 'both-without-health'];
  const designed = (changes: Partial<ScenarioSpec> = {}) =>
    scenario({
      parameters: {
        ...scenarioSpec().parameters,
        variant: { type: 'choice', description: '', default: 'both', choices: CHOICES },
      },
      grids: { default: { description: '', axes: {} } },
      ...changes,
    });
  const mutate = async (
    claimed: ResolvedScenario,
    stage: FakeStage,
    others: readonly ResolvedScenario[] = [],
    request: Partial<MutationRequest> = {},
  ) => {
    const claims = mutantClaims([claimed], knownMutants(readImages()));
    return await executeMutation({
      claims: [...claims, ...otherClaims(claims, [claimed, ...others])],
      command: ['mutate', 'suites/fake'],
      seed: '7',
      reportsDir,
      parallelBeds: 1,
      stage,
      signal: new AbortController().signal,
      ...request,
    });
  };

  it('run at the warp that they are given, and so do their controls', async () => {
    const claimed = designed({
      trials: 1,
      warp: { ceiling: 4, control: 'itself at warp 1' },
      kills: [{ mutant: 'both-without-grace' }],
    });
    const { dir } = await mutate(claimed, new FakeStage(), [], {
      pace: (selections) => selections.map((one) => ({ ...one, warps: [4] })),
    });
    const plan = JSON.parse(readFileSync(join(dir, 'plan.json'), 'utf8')) as PlanRecord;
    const warps = plan.scenarios.flatMap(({ points }) => points.map(({ warp }) => warp));
    expect(warps).to.deep.equal([4, 4]);
  });

  it('stop as soon as their fate is clear: one failure, or trials enough to have shown it', async () => {
    const claimed = designed({
      trials: 20,
      kills: [{ mutant: 'both-without-grace', showRate: 0.8, trials: 20 }],
    });
    const { report } = await mutate(claimed, new FakeStage());
    expect(report.mutants[0]).to.deep.include({ fate: 'survived', trials: 2 });
  });

  it('are killed by one failure of many trials planned, and their run is whole', async () => {
    const claimed = designed({ trials: 3, kills: [{ mutant: 'both-without-grace', trials: 3 }] });
    const stage = new FakeStage({
      onFault: (bed, what) => {
        const variant = bed.topology.nodes[0]?.environment['SQUALL_VARIANT'];
        if (what === 'lifted' && variant === 'both-without-grace') bed.say('member-1', 'member.dead');
      },
    });
    const { report, exitCode, dir } = await mutate(claimed, stage);
    expect(report.mutants[0]).to.deep.include({ fate: 'killed', trials: 1 });
    expect(exitCode).to.equal(0);
    const run = JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8')) as RunRecord;
    expect([run.verdict, run.exitCode, run.partial]).to.deep.equal(['pass', 0, false]);
    expect(readFileSync(join(dir, 'junit.xml'), 'utf8')).to.include('failures="0" errors="0"');
  });

  it('are detected when they do not end, and nothing of ours has broken then', async () => {
    const claimed = designed({
      trials: 1,
      timeBudget: '60s',
      phases: [
        {
          name: 'recovery',
          steps: [
            { run: (trial) => trial.wait(trial.point['variant'] === 'both' ? '1s' : '61s') },
            { until: { event: 'settled', on: 'member' }, within: '1h' },
          ],
        },
      ],
      kills: [{ mutant: 'both-without-grace', trials: 4 }],
    });
    const stage = new FakeStage({
      onStart: (bed, topology) => {
        if (topology.nodes[0]?.environment['SQUALL_VARIANT'] === 'both') bed.say('member-1', 'settled');
      },
    });
    const { report, exitCode, dir } = await mutate(claimed, stage);
    expect(report.mutants[0], report.mutants[0]?.sentence).to.deep.include({ fate: 'timed-out' });
    expect(exitCode).to.equal(0);
    const junit = readFileSync(join(dir, 'junit.xml'), 'utf8');
    expect(junit).to.include('failures="0" errors="0"').and.include('it ends within its time budget');
    expect(readFileSync(join(dir, 'mutation.html'), 'utf8')).to.include('timed out');
  });

  it('run at the other scenarios too when asked, which decide nothing', async () => {
    const claimed = designed({ trials: 1, kills: [{ mutant: 'both-without-grace', showRate: 0.99 }] });
    const blind = designed({
      name: 'blind',
      trials: 1,
      checks: [{ check: 'no-event', title: 'nothing odd', kind: 'invariant', parameters: { event: 'odd' } }],
    });
    const other = scenario({ name: 'without-mutants' });
    const stage = new FakeStage({
      onFault: (bed, what) => {
        const variant = bed.topology.nodes[0]?.environment['SQUALL_VARIANT'];
        if (what === 'lifted' && variant === 'both-without-grace') bed.say('member-1', 'member.dead');
      },
    });
    const { report, exitCode, dir } = await mutate(claimed, stage, [blind, other]);
    expect(exitCode).to.equal(0);
    expect(report.others?.map((one) => [one.scenario, one.fate])).to.deep.equal([['blind', 'too-rare']]);
    const elements = JSON.parse(readFileSync(join(dir, 'mutation-elements.json'), 'utf8')) as {
      files: Record<
        string,
        { mutants: { location: { start: { line: number } }; killedBy: string[] }[]; source: string }
      >;
    };
    const file = elements.files['images/memberlist-node/image.json'];
    const line = file?.source.split('\n')[(file.mutants[0]?.location.start.line ?? 0) - 1];
    expect(line).to.match(/^\s*"both-without-grace"/);
    expect(file?.mutants[0]?.killedBy).to.deep.equal(['fake/outage']);
  });
});

describe('the gate of a plan', () => {
  const gated = scenario({
    gate: { point: { cutoff: 2 }, defect: 'the leak', power: { shown: 55, trials: 55 } },
    warp: { ceiling: 4, control: 'outage' },
  });
  const notes = (changes: Partial<PlanRequest> = {}) =>
    gateNotes(makePlan({ selections: [{ scenario: gated }], command: [], ...changes }));

  it('is said with the power of its point, and of no other', () => {
    expect(notes()).to.have.length(1);
    expect(notes()[0]).to.match(
      /^gate cutoff=2,variant=shipped: the leak shows at this point in at least 94\.7 %.* 244 further trials/,
    );
    const elsewhere = { scenario: gated, lists: { outage: [8_000] } };
    expect(notes({ selections: [elsewhere] })).to.deep.equal([]);
  });

  it('says nothing of a run that is faster than what was measured', () => {
    expect(notes({ warp: 4 })).to.deep.equal([]);
  });

  it('says nothing of a scenario that has none', () => {
    expect(notes({ selections: [{ scenario: scenario() }] })).to.deep.equal([]);
  });

  it('is told to whoever watches the run, and stands in run.json and the report', async () => {
    const reportsDir = mkdtempSync(join(tmpdir(), 'squall-gate-'));
    try {
      const told: string[] = [];
      const { run, dir } = await executeRun({
        selections: [{ scenario: gated, points: [{ cutoff: 2, outage: 40_000, variant: 'shipped' }] }],
        command: ['run', 'suites/fake'],
        reportsDir,
        parallelBeds: 1,
        stage: new FakeStage(),
        observer: { noted: (text) => void told.push(text) },
        signal: new AbortController().signal,
      });
      expect(told.filter((text) => text.startsWith('gate '))).to.have.length(1);
      expect(run.points.map(({ gate }) => gate?.atLeastRate.toFixed(3))).to.deep.equal(['0.947']);
      expect(readFileSync(join(dir, 'run.json'), 'utf8')).to.include('"furtherTrials": 244');
      expect(readFileSync(join(dir, 'index.html'), 'utf8')).to.match(
        /Gate, cutoff=2\S*: the leak shows at this point in at least 94\.7 %/,
      );
    } finally {
      rmSync(reportsDir, { recursive: true, force: true });
    }
  });
});

describe('mutants and who claims them', () => {
  const mutants = knownMutants(readImages());

  it('are each claimed by a scenario of the suites, a second claim with a reason', async () => {
    const { scenarios } = await loadSuite('suites/memberlist');
    const claims = mutantClaims(scenarios, mutants);
    const images = new Set(claims.map((claim) => claim.image));
    const relevant = mutants.filter((mutant) => images.has(mutant.image));
    expect(relevant).to.not.be.empty;
    expect(claimProblems(claims, relevant)).to.deep.equal([]);
  });

  it('are refused when no image has them', () => {
    const one = scenario({ kills: [{ mutant: 'both-without-grase' }] });
    expect(() => mutantClaims([one], mutants)).to.throw(SquallError, /did you mean "both-without-grace"/);
  });

  it('are reported when nobody claims them, or somebody again without a reason', () => {
    const one = scenario({ kills: [{ mutant: 'both-without-grace' }, { mutant: 'both-without-grace' }] });
    const problems = claimProblems(mutantClaims([one], mutants), mutants);
    expect(problems.join('\n'))
      .to.include('both-without-health of memberlist-node is claimed by no scenario')
      .and.include('claimed again by outage without a reason');
  });
});

describe('room for beds side by side', () => {
  const room = {
    cpus: 8,
    freeMemoryBytes: 24 * 1024 ** 3,
    bedMemoryBytes: 3 * 1024 ** 3,
    neighbourLimit: 65_536,
    bedNeighbours: 16_256,
    light: false,
    subnetBeds: 31,
  };
  for (const [changes, beds, why] of [
    [{}, 3, 'neighbour table'],
    [{ cpus: 2 }, 2, '2 CPUs'],
    [{ freeMemoryBytes: 10 * 1024 ** 3 }, 2, 'memory'],
    [{ freeMemoryBytes: 1 }, 1, 'memory'],
    [{ bedNeighbours: 0, bedMemoryBytes: 1, cpus: 4 }, 4, '4 CPUs'],
    [{ bedNeighbours: 0, bedMemoryBytes: 1, cpus: 2, light: true }, 8, '2 CPUs'],
    [{ bedNeighbours: 0, bedMemoryBytes: 1, light: true }, 31, 'subnets'],
    [{ bedNeighbours: 0, bedMemoryBytes: 1, cpus: 4, light: true, subnetBeds: 15 }, 15, 'subnets'],
  ] as const) {
    it(`is ${beds} for ${JSON.stringify(changes)}, because of ${why}`, () => {
      expect(defaultParallelBeds({ ...room, ...changes })).to.deep.equal({ beds, why });
    });
  }
});
