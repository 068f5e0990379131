import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createRun, readRun, registerMeasure, type TrialRecord, trialDirOf } from '../../record/index.ts';
import {
  DIAGNOSIS_FILE,
  type RunOutcome,
  type RunPlan,
  type RunPlanOptions,
  registerAction,
  runPlan,
  type Step,
  type TrialJudge,
} from '../index.ts';
import { fakePlan, scenario } from './fake-scenario.ts';
import { type FakeBehaviour, FakeStage, QUIET, SPOILED, UNWATCHED } from './fake-stage.ts';

const PLANNED_ONLY: TrialJudge = {
  decide: (point, trials) => ({
    action:
      trials.filter((trial) => trial.outcome === 'completed').length >= point.trials ? 'stop' : 'continue',
  }),
  failed: () => false,
};

const ONE_POINT = { default: { description: '', axes: {} } };

describe('running a plan', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'squall-run-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  async function run(
    plan: RunPlan,
    stage: FakeStage,
    options: Partial<RunPlanOptions> = {},
  ): Promise<RunOutcome & { readonly runDir: string }> {
    const runDir = join(dir, plan.record.runId);
    const writer = await createRun(runDir, plan.record);
    try {
      const outcome = await runPlan({
        plan,
        writer,
        beds: stage.beds,
        guard: stage.guard,
        clock: stage.clock,
        judge: PLANNED_ONLY,
        parallelBeds: 1,
        signal: new AbortController().signal,
        ...options,
      });
      return { ...outcome, runDir };
    } finally {
      await writer.finish();
    }
  }

  const onePoint = (behaviour: FakeBehaviour = {}, changes: Parameters<typeof scenario>[0] = {}) => ({
    stage: new FakeStage(behaviour),
    plan: fakePlan([{ scenario: scenario({ grids: ONE_POINT, ...changes }) }]),
  });

  it('runs every trial, reuses one bed by resetting it, and removes it', async () => {
    const stage = new FakeStage();
    const { trials, errors } = await run(fakePlan([{ scenario: scenario() }]), stage);
    expect(errors).to.deep.equal([]);
    expect(trials.map((trial) => trial.outcome)).to.deep.equal(Array(8).fill('completed'));
    expect(stage.built).to.have.length(1);
    expect(stage.built[0]?.resets).to.have.length(7);
    expect(stage.living).to.deep.equal([]);
  });

  it('tells the board when a step that lifts a fault was due, and nothing of what is lifted at the end', async () => {
    const lifted = async (step: Step): Promise<readonly number[]> => {
      const fault = { kind: 'hold', id: 'cut', on: 'member' } as const;
      const steps: Step[] = [{ fault }, { wait: '12s' }, step];
      const stage = new FakeStage();
      const one = scenario({ grids: ONE_POINT, phases: [{ name: 'fault', steps }], trials: 1 });
      const runId = `20260101-000000-${Object.values(step).join('')}`.replace('*', 'all');
      const { trials } = await run(fakePlan([{ scenario: one }], { runId }), stage);
      const [cut] = trials[0]!.faults;
      return stage.built[0]!.liftDues.map((dueNs) => (Number(dueNs) - Number(cut?.appliedNs)) / 1e6);
    };
    expect(await lifted({ lift: 'cut' })).to.deep.equal([12_000]);
    expect(await lifted({ lift: '*' })).to.deep.equal([12_000]);
    expect(await lifted({ wait: '1s' })).to.deep.equal([]);
  });

  describe('with captures', () => {
    const capture = { snapBytes: 2_048, fileBytes: 1_000 };
    const capturing = (behaviour: FakeBehaviour = {}) =>
      onePoint({ onFault: (bed) => bed.capturer?.captured('member-1', Buffer.from('packet')), ...behaviour });

    it('leaves a file a node in each trial and says which are complete', async () => {
      const { stage, plan } = capturing({
        onCapture: (agent) => agent.captureCounts.set('member-2', { unread: 2 }),
        onFault: (bed) => {
          for (const node of ['member-1', 'member-2']) bed.capturer?.captured(node, Buffer.from('packet'));
        },
      });
      const { trials, runDir } = await run(plan, stage, { capture });
      expect(trials.map(({ outcome }) => outcome)).to.deep.equal(['completed', 'completed']);
      for (const trial of trials) {
        const { files, problems, fromNs, toNs, utcMinusMonotonicUs } = trial.pcap!;
        expect(problems).to.deep.equal([]);
        expect(toNs).to.be.above(fromNs!);
        expect(utcMinusMonotonicUs).to.be.above(0);
        expect(files.map(({ path, complete, unread }) => [path, complete, unread])).to.deep.equal([
          ['pcap/member-1.pcapng', true, 0],
          ['pcap/member-2.pcapng', false, 2],
        ]);
        // At the fault and at its lift.
        expect(await readFile(join(trialDirOf(runDir, trial), files[0]!.path), 'utf8')).to.equal(
          'packetpacket',
        );
      }
    });

    it('goes on without them where they cannot be made, and says why', async () => {
      const { stage, plan } = capturing({
        onCapture: (agent) => agent.refuse.set('capture', 'capture-failed'),
      });
      const { trials } = await run(plan, stage, { capture });
      expect(trials[0]?.outcome).to.equal('completed');
      expect(trials[0]?.pcap?.files).to.deep.equal([]);
      expect(trials[0]?.pcap?.problems.join()).to.include('refused "capture"');
    });

    it('keeps what came when the agent of the captures dies', async () => {
      const { stage, plan } = capturing({
        onFault: async (bed, what) => {
          if (what === 'applied') return bed.capturer?.captured('member-1', Buffer.from('packet'));
          await bed.capturer?.captureAskedOn();
          bed.capturer?.die();
        },
      });
      const { trials } = await run(plan, stage, { capture });
      const [file] = trials[0]!.pcap!.files;
      expect(file).to.deep.include({ node: 'member-1', complete: false });
      expect(trials[0]?.pcap?.problems).to.not.deep.equal([]);
    });

    it('makes none when none are asked for', async () => {
      const { stage, plan } = capturing();
      const { trials, runDir } = await run(plan, stage);
      expect(trials[0]).to.not.have.property('pcap');
      expect(existsSync(join(trialDirOf(runDir, trials[0]!), 'pcap'))).to.equal(false);
    });
  });

  it('gives both variants of a point the same seed, targets and timeline', async () => {
    const { trials } = await run(fakePlan([{ scenario: scenario() }]), new FakeStage());
    const of = (variant: string) =>
      trials
        .filter((trial) => trial.point['variant'] === variant && trial.point['cutoff'] === 2)
        .map((trial) => ({ seed: trial.seed, targets: trial.faults[0]?.targets }));
    expect(of('shipped')).to.deep.equal(of('both'));
    expect(new Set(of('shipped').map(({ seed }) => seed))).to.have.length(2);
  });

  it('interleaves the variants of a point', async () => {
    const { trials } = await run(fakePlan([{ scenario: scenario() }]), new FakeStage());
    expect(
      trials.map((trial) => `${trial.point['cutoff']} ${trial.point['variant']}`).slice(0, 4),
    ).to.deep.equal(['1 shipped', '1 both', '2 shipped', '2 both']);
  });

  it('resets the bed to the variant of the next trial', async () => {
    const stage = new FakeStage();
    await run(fakePlan([{ scenario: scenario() }]), stage);
    const variants = stage.built[0]?.resets.map(
      (topology) => topology.nodes[0]?.environment['SQUALL_VARIANT'],
    );
    expect(variants?.slice(0, 3)).to.deep.equal(['both', 'shipped', 'both']);
  });

  it('starts a fresh bed for each trial where the scenario asks for it', async () => {
    const { stage, plan } = onePoint({}, { bed: 'fresh' });
    const { trials } = await run(plan, stage);
    expect(stage.built).to.have.length(2);
    expect(trials.map((trial) => trial.bed.reused)).to.deep.equal([false, false]);
  });

  it('counts waits from the instant of the release, not from when it was noticed', async () => {
    const { stage, plan } = onePoint();
    const { trials } = await run(plan, stage);
    for (const trial of trials) {
      const [fault] = trial.faults;
      expect((fault?.liftedNs ?? 0) - (fault?.appliedNs ?? 0)).to.equal(40e9);
      expect(trial.endNs - (fault?.liftedNs ?? 0)).to.equal(30e9);
    }
  });

  it('divides every duration by the warp', async () => {
    const { stage } = onePoint();
    const plan = fakePlan(
      [{ scenario: scenario({ grids: ONE_POINT, warp: { ceiling: 4, control: 'at warp 1' } }) }],
      { warp: 4 },
    );
    const { trials } = await run(plan, stage);
    const [fault] = trials[0]?.faults ?? [];
    expect((fault?.liftedNs ?? 0) - (fault?.appliedNs ?? 0)).to.equal(10e9);
    expect(trials[0]?.warp).to.equal(4);
  });

  it('runs each of several warps at its own speed', async () => {
    const { stage } = onePoint();
    const plan = fakePlan([
      {
        scenario: scenario({ grids: ONE_POINT, warp: { ceiling: 4, control: 'at warp 1' } }),
        warps: [1, 4],
      },
    ]);
    const { trials } = await run(plan, stage);
    const lengths = trials.map(({ warp, point, faults: [fault] }) => [
      warp,
      point['warp'],
      (fault?.liftedNs ?? 0) - (fault?.appliedNs ?? 0),
    ]);
    expect(lengths).to.deep.include.members([
      [1, 1, 40e9],
      [4, 4, 10e9],
    ]);
  });

  it('keeps the pause between two faults exact', async () => {
    const { stage, plan } = onePoint(
      {},
      {
        phases: [
          {
            name: 'fault',
            steps: [
              { fault: { kind: 'hold', id: 'cut-1', on: 'member', for: '10s' } },
              { wait: '4s' },
              { fault: { kind: 'hold', id: 'cut-2', on: 'member', for: '10s' } },
            ],
          },
        ],
      },
    );
    const { trials } = await run(plan, stage);
    const [first, second] = trials[0]?.faults ?? [];
    expect((second?.appliedNs ?? 0) - (first?.liftedNs ?? 0)).to.equal(4e9);
  });

  it('repeats a trial that the host spoiled, with the same seed, and keeps the record of the void one', async () => {
    const { stage, plan } = onePoint();
    stage.hosts.push(SPOILED);
    const { trials, runDir } = await run(plan, stage);
    expect(trials.map((trial) => trial.outcome)).to.deep.equal(['void', 'completed', 'completed']);
    expect(trials[0]?.seed).to.equal(trials[1]?.seed);
    expect(trials[0]?.reasons).to.deep.equal(['the host was starved']);
    expect((await readRun(runDir)).trials).to.have.length(3);
  });

  it('repeats a trial whose host was not watched to the end, and says why', async () => {
    const { stage, plan } = onePoint({}, { trials: 1 });
    stage.hosts.push(UNWATCHED);
    const { trials } = await run(plan, stage);
    expect(trials.map((trial) => trial.outcome)).to.deep.equal(['void', 'completed']);
    expect(trials[0]?.reasons).to.deep.equal(['the host was not watched to the end: no canary was watched']);
  });

  it('counts no trial where the host cannot be watched at all', async () => {
    const { stage, plan } = onePoint(
      { guardError: () => new Error('the canary does not start') },
      { trials: 1 },
    );
    const { trials, errors } = await run(plan, stage);
    expect(trials.map((trial) => trial.outcome)).to.deep.equal(['void', 'void', 'void']);
    expect(trials[0]?.reasons.join()).to.contain('the canary does not start');
    expect(errors).to.deep.equal([]);
  });

  it('waits for the host to calm down before it repeats a trial', async () => {
    const { stage, plan } = onePoint({}, { trials: 1 });
    // The trial itself, then two looks at a host that is still busy, then one at a quiet one.
    stage.hosts.push(SPOILED, SPOILED, SPOILED, QUIET);
    const told: string[] = [];
    const { trials } = await run(plan, stage, {
      observer: { stepped: (_trial, text) => told.push(text) },
    });
    expect(trials.map((trial) => trial.outcome)).to.deep.equal(['void', 'completed']);
    expect(told.filter((text) => text.includes('calm down'))).to.have.length(1);
    const [first, second] = trials;
    expect((second?.startNs ?? 0) - (first?.endNs ?? 0)).to.be.at.least(15e9);
  });

  it('stops repeating after two repeats of one trial', async () => {
    const { stage, plan } = onePoint({}, { trials: 1 });
    stage.hosts.push(...Array(200).fill(SPOILED));
    const { trials } = await run(plan, stage);
    expect(trials.map((trial) => trial.outcome)).to.deep.equal(['void', 'void', 'void']);
  });

  it('voids a trial for what the agent or Toxiproxy measured', async () => {
    const { stage, plan } = onePoint({ voids: () => ['a queue overflowed'] }, { trials: 1 });
    const { trials } = await run(plan, stage, { repeats: { perTrial: 0 } });
    expect(trials[0]?.outcome).to.equal('void');
    expect(trials[0]?.reasons).to.deep.equal(['a queue overflowed']);
  });

  it('ends a trial at once as void when the agent is lost, and does not use the bed again', async () => {
    let lost = false;
    const { stage, plan } = onePoint({
      onFault: (bed, what) => {
        if (what === 'applied' && !lost) bed.events.emit('agent.lost', {});
        lost = true;
      },
      dirtyAfter: (bed) => (stage.built.indexOf(bed) === 0 ? ['the agent is gone'] : []),
    });
    const { trials } = await run(plan, stage);
    expect(trials.map((trial) => trial.outcome)).to.deep.equal(['void', 'completed', 'completed']);
    expect(stage.built).to.have.length(2);
  });

  it('calls a trial void, not broken, when its faults could not be lifted because the agent was lost', async () => {
    const { stage, plan } = onePoint(
      {
        onFault: (bed, what) => {
          if (what === 'applied') bed.events.emit('agent.lost', {});
        },
        liftError: () => new Error('the agent does not answer'),
      },
      { trials: 1 },
    );
    const { trials, errors } = await run(plan, stage, { repeats: { perTrial: 0 } });
    expect(trials[0]?.outcome).to.equal('void');
    expect(errors).to.deep.equal([]);
  });

  it('never uses a dirty bed again', async () => {
    const { stage, plan } = onePoint({ dirtyAfter: () => ['fault cut is still in force'] });
    const { trials } = await run(plan, stage);
    expect(trials.map((trial) => trial.cleanAfter)).to.deep.equal([false, false]);
    expect(stage.built).to.have.length(2);
    expect(stage.living).to.deep.equal([]);
  });

  it('replaces a bed that cannot be reset', async () => {
    const { stage, plan } = onePoint({ resetError: () => new Error('no answer') });
    const { trials } = await run(plan, stage);
    expect(trials.map((trial) => trial.outcome)).to.deep.equal(['completed', 'completed']);
    expect(stage.built).to.have.length(2);
  });

  it('records a fault that cannot be lifted as an error and discards the bed', async () => {
    const { stage, plan } = onePoint({ liftError: () => new Error('stuck') }, { trials: 1 });
    const { trials, errors } = await run(plan, stage);
    expect(trials[0]?.outcome).to.equal('error');
    expect(errors[0]).to.include('stuck');
    expect(stage.living).to.deep.equal([]);
  });

  it('records a bed that does not start, and gives up after three in a row', async () => {
    const { stage, plan } = onePoint({ startError: () => new Error('no room') }, { trials: 9 });
    const { trials, errors } = await run(plan, stage);
    expect(trials).to.have.length(3);
    expect(trials.every((trial) => trial.outcome === 'error')).to.equal(true);
    expect(trials[0]?.reasons[0]).to.include('no room');
    expect(errors.at(-1)).to.include('3 broken trials in a row');
  });

  it('plays the next trial on a new bed when the engine does not let go of the last one, and says what is left', async () => {
    const { stage, plan } = onePoint(
      {
        dirtyAfter: () => ['a queue is still bound'],
        removeError: ({ id }) => (id.endsWith('-1') ? new Error('has active endpoints') : undefined),
      },
      { trials: 2 },
    );
    const { trials, errors } = await run(plan, stage);
    expect(trials.filter(({ reasons }) => reasons.join().includes('was not ready'))).to.deep.equal([]);
    expect(new Set(trials.map(({ bed }) => bed.id)).size).to.equal(2);
    expect(errors.join()).to.match(/bed \S+-1 could not be removed: has active endpoints/);
    expect(stage.living.map(({ id }) => id.slice(-2))).to.deep.equal(['-1']);
  });

  it('runs no more trials of a point whose answer is clear', async () => {
    const { stage, plan } = onePoint({}, { trials: 50 });
    const stopped: string[] = [];
    const { trials } = await run(plan, stage, {
      judge: {
        ...PLANNED_ONLY,
        decide: (_point, soFar) => ({ action: soFar.length >= 3 ? 'stop' : 'continue', why: 'clear' }),
      },
      observer: { pointStopped: (_point, why) => stopped.push(why) },
    });
    expect(trials).to.have.length(3);
    expect(stopped).to.deep.equal(['clear']);
  });

  it('asks a judge that wants it after void and broken trials too, and waits for its word', async () => {
    for (const always of [true, false]) {
      const { stage, plan } = onePoint({}, { trials: 4 });
      stage.hosts.push(...Array(200).fill(SPOILED));
      let asked = 0;
      const { trials } = await run({ ...plan, record: { ...plan.record, runId: `asks-${always}` } }, stage, {
        judge: {
          ...PLANNED_ONLY,
          asksAlways: always,
          decide: async () => {
            asked += 1;
            await Promise.resolve();
            return { action: 'stop', why: 'no room' };
          },
        },
        repeats: { perTrial: 1, perRun: 1 },
      });
      expect(trials.every(({ outcome }) => outcome === 'void')).to.equal(true);
      expect([asked, trials.length]).to.deep.equal(always ? [1, 1] : [0, 5]);
    }
  });

  it('goes on with what is left of a run that is resumed', async () => {
    const whole = onePoint({}, { trials: 3 });
    const { trials: earlier } = await run(whole.plan, whole.stage);
    const plan = fakePlan([{ scenario: scenario({ grids: ONE_POINT, trials: 3 }) }], { runId: 'second' });
    const { trials } = await run(plan, new FakeStage(), { earlier: earlier.slice(0, 2) });
    expect(trials).to.have.length(1);
    expect(trials[0]?.trial).to.equal(3);
    expect(trials[0]?.seed).to.equal(earlier[2]?.seed);
  });

  it('records an interrupted trial, lifts its faults and removes its bed', async () => {
    const stop = new AbortController();
    const { stage, plan } = onePoint({
      onFault: (_bed, what) => {
        if (what === 'applied') stop.abort(new Error('interrupted by SIGINT'));
      },
    });
    const { trials, aborted } = await run(plan, stage, { signal: stop.signal });
    expect(aborted).to.equal(true);
    expect(trials.map((trial) => trial.outcome)).to.deep.equal(['aborted']);
    expect(trials[0]?.faults[0]?.gone).to.equal(true);
    expect(stage.living).to.deep.equal([]);
    expect(stage.built[0]?.hurried, 'a person waits').to.equal(true);
  });

  it('says which step hung, what it awaited and what was seen last', async () => {
    const { stage, plan } = onePoint(
      { onStart: (bed) => bed.say('member-1', 'ready') },
      {
        trials: 1,
        timeBudget: '60s',
        phases: [
          {
            name: 'warm-up',
            steps: [
              { wait: '61s' },
              { name: 'all there', until: { event: 'converged', on: 'member', count: 'all' }, within: '1h' },
            ],
          },
        ],
      },
    );
    const { trials } = await run(plan, stage);
    expect(trials[0]?.outcome).to.equal('error');
    expect(trials[0]?.reasons[0])
      .to.include('step "all there" of phase warm-up')
      .and.include('event "converged" from each of 4 nodes')
      .and.include('ready from member-1');
  });

  for (const [what, expected, first, reason] of [
    ['gives up at once when a node that it waits for ends by itself', false, 'ready', 'ended with code 101'],
    ['waits on for a node that was made to end', true, 'ready', 'not seen within'],
    ['does not mind a node that ends after its turn', false, 'converged', ''],
  ] as const) {
    it(`${what}, where every node is awaited`, async () => {
      const { stage, plan } = onePoint(
        {
          onStart: (bed) => {
            bed.say('member-1', first);
            bed.say('member-1', 'node.exited', { code: 101, cause: 'by itself', expected });
            for (const { name } of bed.nodes().slice(1)) bed.say(name, 'converged');
          },
        },
        {
          trials: 1,
          phases: [
            {
              name: 'warm-up',
              steps: [{ until: { event: 'converged', on: 'member', count: 'all' }, within: '1s' }],
            },
          ],
        },
      );
      const { trials } = await run(plan, stage);
      if (reason === '') expect(trials[0]?.reasons).to.deep.equal([]);
      else expect(trials[0]?.reasons.join()).to.include('step').and.include(reason);
    });
  }

  it('lets a condition that does not come count as a failure of the system', async () => {
    const { stage, plan } = onePoint(
      {},
      {
        trials: 1,
        phases: [{ name: 'warm-up', steps: [{ until: { event: 'converged' }, within: '20ms' }] }],
      },
    );
    const { trials } = await run(plan, stage);
    expect(trials[0]?.outcome).to.equal('completed');
    expect(trials[0]?.events.byName?.['expectation.missed']).to.equal(1);
    expect(trials[0]?.checks.map((check) => check.parameters['event'])).to.include('expectation.missed');
  });

  it('voids a trial whose condition does not come, where the step says so', async () => {
    const { stage, plan } = onePoint(
      {},
      {
        trials: 1,
        phases: [
          { name: 'warm-up', steps: [{ until: { event: 'converged' }, within: '20ms', orElse: 'void' }] },
        ],
      },
    );
    const { trials } = await run(plan, stage, { repeats: { perTrial: 0 } });
    expect(trials[0]?.outcome).to.equal('void');
  });

  it('goes on after a condition that does not come, where the step says so', async () => {
    const { stage, plan } = onePoint(
      {},
      {
        trials: 1,
        phases: [
          {
            name: 'warm-up',
            steps: [{ until: { event: 'converged' }, within: '20ms', orElse: 'continue' }, { wait: '5s' }],
          },
        ],
      },
    );
    const { trials } = await run(plan, stage);
    expect(trials[0]?.outcome).to.equal('completed');
    expect(trials[0]?.steps).to.have.length(2);
    expect(trials[0]?.events.byName?.['expectation.missed']).to.equal(undefined);
  });

  it('asks nodes for nothing before the fault that it is about is in force', async () => {
    let askedNs = 0;
    const { stage, plan } = onePoint(
      { answersAhead: true },
      {
        trials: 1,
        phases: [
          {
            name: 'fault',
            steps: [
              { fault: { kind: 'blackhole-connect', id: 'cut', on: 'member[1]' }, background: true },
              {
                name: 'asked',
                run: async () => {
                  askedNs = stage.clock.nowNs();
                },
              },
            ],
          },
        ],
      },
    );
    const { trials } = await run(plan, stage);
    expect(trials[0]?.faults[0]?.appliedNs).to.be.above(trials[0]?.startNs as number);
    expect(askedNs).to.be.at.least(trials[0]?.faults[0]?.appliedNs as number);
  });

  it('runs one node’s process anew, with variables of its own, where a step in code says so', async () => {
    const relaunched: unknown[] = [];
    const { stage, plan } = onePoint(
      { onStart: (bed) => relaunched.push(bed.relaunched) },
      {
        trials: 1,
        phases: [
          {
            name: 'fault',
            steps: [{ name: 'anew', run: (trial) => trial.relaunch('member-1', { SQUALL_FOLDER: '/a' }) }],
          },
        ],
      },
    );
    const { trials } = await run(plan, stage);
    expect(trials[0]?.outcome).to.equal('completed');
    expect(relaunched[0]).to.deep.equal([{ node: 'member-1', env: { SQUALL_FOLDER: '/a' } }]);
  });

  it('does what an action of that name does, with the parameters of the point', async () => {
    registerAction('run-plan-test.says', async (trial, { word }) => trial.emit('said', { word }));
    registerMeasure('run-plan-test.said', (_trial, events) => ({
      said: events.filter(({ event, fields }) => event === 'said' && fields['word'] === 2).length,
    }));
    const { stage, plan } = onePoint(
      {},
      {
        trials: 1,
        parameters: { words: { type: 'integer', description: '', default: 2 } },
        measure: ['run-plan-test.said'],
        measures: [{ name: 'said', title: 'Said', unit: '' }],
        phases: [
          {
            name: 'fault',
            steps: [{ do: { action: 'run-plan-test.says', parameters: { word: '${words}' } } }],
          },
        ],
      },
    );
    const { trials } = await run(plan, stage);
    expect(trials[0]).to.deep.include({ outcome: 'completed', measures: { said: 1 } });
  });

  it('ends a trial no earlier than the last thing that its condition counted, whoever was heard last', async () => {
    registerMeasure('run-plan-test.arrived', (_trial, events) => ({
      arrived: events.filter(({ event }) => event === 'arrived').length,
    }));
    const { stage, plan } = onePoint(
      {
        onStart: (bed) => {
          for (const [node, aheadNs] of [
            ['member-1', 9e7],
            ['member-2', 0],
            ['member-3', 2e8],
          ] as const)
            bed.events.append({
              node,
              event: 'arrived',
              atNs: stage.clock.nowNs() + 5e9 + aheadNs,
              fields: {},
            });
        },
      },
      {
        trials: 1,
        measure: ['run-plan-test.arrived'],
        measures: [{ name: 'arrived', title: 'Arrived', unit: '' }],
        phases: [{ name: 'watch', steps: [{ until: { event: 'arrived', count: 2 }, within: '1s' }] }],
      },
    );
    const { trials } = await run(plan, stage);
    // The third is of a time after the end.
    expect(trials[0]?.measures['arrived']).to.equal(2);
  });

  it('sees a condition that came before its step, within the same phase', async () => {
    const { stage, plan } = onePoint(
      {
        onStart: (bed) => {
          for (const node of bed.nodes()) bed.say(node.name, 'converged');
        },
      },
      {
        phases: [
          {
            name: 'warm-up',
            steps: [{ until: { event: 'converged', on: 'member', count: 'all' }, within: '1s' }],
          },
        ],
      },
    );
    const { trials } = await run(plan, stage);
    expect(trials.map((trial) => trial.outcome)).to.deep.equal(['completed', 'completed']);
  });

  it('shows a node that ended by itself, though the trial went on', async () => {
    const { stage, plan } = onePoint(
      {
        onFault: (bed) => {
          bed.crashed.add('member-2');
        },
      },
      { trials: 1 },
    );
    const { trials } = await run(plan, stage);
    expect(trials[0]?.events.byName?.['node.crashed']).to.equal(1);
  });

  it('measures a finished trial with the registered measures', async () => {
    registerMeasure('test.deaths', (_trial, events) => ({
      deaths: events.filter((event) => event.event === 'member.dead').length,
    }));
    const { stage, plan } = onePoint(
      {
        onFault: (bed, what) => {
          if (what === 'lifted') bed.say('member-1', 'member.dead', { member: 'member-2' });
        },
      },
      { trials: 1, measure: ['test.deaths'] },
    );
    const { trials, runDir } = await run(plan, stage);
    expect(trials[0]?.measures).to.deep.equal({ deaths: 1 });
    const [stored] = (await readRun(runDir)).trials;
    const lines = (await readFile(join(stored?.dir ?? '', 'events.jsonl'), 'utf8')).trim().split('\n');
    expect(lines.filter((line) => line.includes('member.dead'))).to.have.length(1);
  });

  it('leaves out what nodes say after the end of the watch', async () => {
    registerMeasure('test.late', (_trial, events) => ({
      late: events.filter((event) => event.event === 'late').length,
    }));
    const { stage, plan } = onePoint(
      {
        dirtyAfter: (bed) => {
          bed.events.append({ node: 'member-1', event: 'late', atNs: stage.clock.nowNs() + 1, fields: {} });
          return [];
        },
      },
      { trials: 1, measure: ['test.late'] },
    );
    const { trials } = await run(plan, stage);
    expect(trials[0]?.measures).to.deep.equal({ late: 0 });
    expect(trials[0]?.events.byName?.['late']).to.equal(undefined);
  });

  it('asks the nodes for their state when a trial failed, and not when it passed', async () => {
    for (const failed of [true, false]) {
      const { stage, plan } = onePoint({}, { trials: 1 });
      const { trials, runDir } = await run(plan, stage, { judge: { ...PLANNED_ONLY, failed: () => failed } });
      const file = join(trialDirOf(runDir, trials[0] as TrialRecord), DIAGNOSIS_FILE);
      expect(existsSync(file)).to.equal(failed);
      if (failed) expect(readFileSync(file, 'utf8')).to.include(trials[0]?.faults[0]?.targets[0]);
      rmSync(runDir, { recursive: true });
    }
  });

  it('keeps the bed of the first failed trial and ends there', async () => {
    const { stage, plan } = onePoint({}, { trials: 5 });
    const kept: TrialRecord[] = [];
    const { trials, keptBed } = await run(plan, stage, {
      judge: { ...PLANNED_ONLY, failed: () => true },
      keep: async (_bed, trial) => void kept.push(trial),
    });
    expect(kept).to.have.length(1);
    expect(trials).to.have.length(1);
    expect(stage.living.map((bed) => bed.id)).to.deep.equal([keptBed]);
  });

  it('runs several beds at once and never lets one disturb a critical window of another', async () => {
    const stage = new FakeStage({ startMs: 700, resetMs: 150, removeMs: 350 });
    const plan = fakePlan([{ scenario: scenario({ trials: 4 }) }]);
    const { trials } = await run(plan, stage, { parallelBeds: 3 });
    expect(trials).to.have.length(16);
    expect(trials.every((trial) => trial.outcome === 'completed')).to.equal(true);
    expect(stage.built).to.have.length(3);
    const critical = stage.happenings.filter(({ what }) => what === 'apply' || what === 'release');
    const clashes = critical.flatMap((moment) =>
      stage.happenings.filter(
        (other) =>
          other.bed !== moment.bed &&
          other.fromNs < moment.fromNs + (moment.what === 'apply' ? 3e9 : 10e9) &&
          other.toNs > moment.fromNs - 1e9,
      ),
    );
    expect(clashes).to.deep.equal([]);
    const first = trials[0] as TrialRecord;
    const overlapping = trials.filter((trial) => trial.startNs < first.endNs && trial.endNs > first.startNs);
    expect(overlapping.length, 'trials at the same time').to.be.greaterThan(1);
  });

  it('lets the next bed begin after the first step of a scenario that has but one phase', async () => {
    const steps: Step[] = [
      { name: 'asked', wait: '1s' },
      { name: 'watched', wait: '60s' },
    ];
    const one = scenario({ grids: ONE_POINT, phases: [{ name: 'fetch', steps }], trials: 3 });
    const { trials } = await run(fakePlan([{ scenario: one }]), new FakeStage(), { parallelBeds: 3 });
    const starts = trials.map(({ startNs }) => startNs).sort((a, b) => a - b);
    expect(trials).to.have.length(3);
    expect((starts[2]! - starts[0]!) / 1e9, 's until three beds play').to.be.below(60);
  });

  it('plays small beds of patient systems beside the others, which still have no more than their own', async () => {
    const patient = scenario({ name: 'patient', shortestTimeout: '5s' });
    const plan = fakePlan([{ scenario: scenario() }, { scenario: patient }]);
    const { trials } = await run(plan, new FakeStage(), { lightBeds: 1 });
    expect(trials.map(({ outcome }) => outcome)).to.deep.equal(Array(16).fill('completed'));
    const others = trials.filter((trial) => trial.scenario === 'outage');
    const beside = (trial: TrialRecord, some: readonly TrialRecord[]): boolean =>
      some.some((one) => one !== trial && one.startNs < trial.endNs && one.endNs > trial.startNs);
    expect(others.filter((trial) => beside(trial, others))).to.deep.equal([]);
    const patients = trials.filter((trial) => trial.scenario === 'patient');
    expect(patients.some((trial) => beside(trial, others))).to.equal(true);
  });
});
