import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Engine, findEngine } from '../../engine/index.ts';
import { readDatagrams } from '../../fault/test/pcapng-reader.ts';
import { type RunRecord, type TrialRecord, trialDirOf } from '../../record/index.ts';
import {
  type CaptureRequest,
  DEFAULT_CAPTURE,
  type HostGuardFactory,
  type ResolvedScenario,
  requireScenario,
} from '../../scenario/index.ts';
import { LABEL } from '../../testnet/index.ts';
import { bedFactory } from '../bed-factory.ts';
import { executeRun, newRunId } from '../index.ts';

const SQUALL = fileURLToPath(new URL('../../cli/squall.mjs', import.meta.url));

/** The host is not what these tests are about, and they run beside others. */
const TRUSTED: HostGuardFactory = {
  start: async () => ({ stop: async () => ({ verdict: 'quiet', measures: [], reasons: [] }) }),
};

const CONVERGED = {
  name: 'warm-up',
  steps: [
    {
      name: 'all see all',
      until: { event: 'converged', on: 'member', count: 'all' as const },
      within: '60s',
      orElse: 'void' as const,
    },
  ],
};

function scenario(changes: Partial<ResolvedScenario> = {}): ResolvedScenario {
  return requireScenario(
    {
      name: 'small',
      description: 'six members, two of them cut off for a while too short to matter',
      topology: 'memberlist-16',
      parameters: {
        variant: { type: 'choice', description: '', default: 'shipped', choices: ['shipped', 'both'] },
      },
      overrides: { counts: { member: 6 } },
      grids: { default: { description: '', axes: { variant: ['shipped', 'both'] } } },
      defaultGrid: 'default',
      trials: 2,
      bed: 'reuse',
      phases: [
        CONVERGED,
        {
          name: 'fault',
          steps: [
            {
              name: 'cut',
              fault: { kind: 'hold', id: 'cut', on: 'pick(2,member)', for: '4s', udp: 'hold', tcp: 'drop' },
            },
          ],
        },
        { name: 'recovery', steps: [{ wait: '5s' }] },
      ],
      measure: [],
      measures: [],
      checks: [
        { check: 'no-event', title: 'nobody dies', kind: 'invariant', parameters: { event: 'member.dead' } },
        { check: 'faults-bit', title: 'the cut bit', kind: 'guard', parameters: {} },
        { check: 'bed-clean', title: 'the bed was clean', kind: 'guard', parameters: {} },
        { check: 'logs-complete', title: 'no line was lost', kind: 'guard', parameters: {} },
      ],
      ...changes,
    },
    { suite: 'engine-test' },
  );
}

describe('a run on real containers', () => {
  let engine: Engine;
  let reportsDir: string;
  before(async () => {
    engine = await findEngine({ yes: true });
  });
  after(() => engine.close());
  beforeEach(() => {
    reportsDir = mkdtempSync(join(tmpdir(), 'squall-run-'));
  });
  afterEach(() => rmSync(reportsDir, { recursive: true, force: true }));

  async function run(one: ResolvedScenario, parallelBeds = 1, capture?: CaptureRequest) {
    const runId = newRunId(new Date());
    const executed = await executeRun({
      selections: [{ scenario: one }],
      command: ['run', 'engine-test'],
      runId,
      seed: '7',
      reportsDir,
      parallelBeds,
      ...(capture && { capture }),
      stage: { beds: bedFactory(engine, runId), guard: TRUSTED },
      signal: new AbortController().signal,
    });
    return { ...executed, left: await engine.listContainers([`${LABEL.run}=${runId}`]) };
  }

  it('runs both variants on one bed, cuts the same members in both, shows that it did, and leaves nothing', async () => {
    const { run: record, outcome, left, exitCode } = await run(scenario());
    expect(outcome.errors).to.deep.equal([]);
    expect(exitCode, JSON.stringify(record.points)).to.equal(0);
    const trials = outcome.trials;
    expect(trials.map((trial) => trial.outcome)).to.deep.equal(Array(4).fill('completed'));
    expect(new Set(trials.map((trial) => trial.bed.id)).size).to.equal(1);
    expect(trials.map((trial) => trial.bed.reused)).to.deep.equal([false, true, true, true]);
    expect(trials.map((trial) => trial.nodes[0]?.variant)).to.deep.equal([
      'shipped',
      'both',
      'both',
      'shipped',
    ]);
    const targets = (trial: TrialRecord | undefined) => trial?.faults[0]?.targets;
    expect(targets(trials[0])).to.deep.equal(targets(trials[1]));
    expect(targets(trials[2])).to.deep.equal(targets(trials[3]));
    for (const trial of trials) {
      const [fault] = trial.faults;
      expect(fault?.witness?.counts['heldIn']).to.be.greaterThan(0);
      expect(((fault?.liftedNs ?? 0) - (fault?.appliedNs ?? 0)) / 1e9).to.be.closeTo(4, 0.5);
    }
    expect(left).to.deep.equal([]);
  });

  it('captures the packets of every node in every trial, on fresh and on reused beds', async () => {
    const grids = { default: { description: '', axes: {} } };
    const { outcome, dir } = await run(scenario({ grids }), 1, DEFAULT_CAPTURE);
    expect(outcome.trials.map((trial) => [trial.outcome, trial.bed.reused])).to.deep.equal([
      ['completed', false],
      ['completed', true],
    ]);
    for (const trial of outcome.trials) {
      const { files, problems, utcMinusMonotonicUs } = trial.pcap!;
      expect(problems).to.deep.equal([]);
      expect(files.map((file) => file.node)).to.deep.equal(trial.nodes.map((node) => node.name).sort());
      const [fault] = trial.faults;
      for (const { node, path, complete, bytes } of files) {
        const file = readFileSync(join(trialDirOf(dir, trial), path));
        expect([complete, file.length], node).to.deep.equal([true, bytes]);
        const sent = readDatagrams(file).filter((one) => one.outbound);
        const within = sent.filter(({ utcUs }) => {
          const atNs = (utcUs - utcMinusMonotonicUs!) * 1_000;
          // A packet that passed just before the cut may be seen just after it.
          return atNs > fault!.appliedNs! + 5e7 && atNs < fault!.liftedNs! - 5e7;
        });
        expect(sent.length, `${node}, in the whole trial`).to.be.above(0);
        if (fault!.targets.includes(node)) expect(within.length, `${node}, held`).to.equal(0);
        else expect(within.length, `${node}, not held`).to.be.above(0);
      }
    }
  });

  it('gives a trial on a reused bed the same start as one on a fresh bed', async () => {
    const grids = { default: { description: '', axes: {} } };
    const fresh = await run(scenario({ grids, bed: 'fresh', trials: 1 }));
    const reused = await run(scenario({ grids, trials: 3 }));
    const start = (trial: TrialRecord) => ({
      ready: trial.events.byName?.['ready'],
      joined: trial.events.byName?.['joined'],
      nodes: trial.nodes.map((node) => [node.name, node.address, node.exit]),
    });
    const first = fresh.outcome.trials[0] as TrialRecord;
    const again = reused.outcome.trials.filter((trial) => trial.bed.reused);
    expect(again).to.have.length(2);
    for (const trial of again) {
      expect(start(trial)).to.deep.equal(start(first));
      expect(trial.overheadMs, 'a reset against a start').to.be.lessThan(first.overheadMs / 4);
      expect(trial.events.byName?.['member.dead'], 'nothing of the trial before').to.equal(undefined);
    }
  });

  it('runs two beds at once, and no critical window of one is disturbed by the other', async () => {
    const { outcome, left } = await run(scenario(), 2);
    expect(outcome.errors).to.deep.equal([]);
    expect(new Set(outcome.trials.map((trial) => trial.bed.id)).size).to.equal(2);
    const instants = outcome.trials.flatMap((trial) =>
      trial.faults.flatMap((fault) => [
        { bed: trial.bed.id, atNs: fault.appliedNs ?? 0 },
        { bed: trial.bed.id, atNs: fault.liftedNs ?? 0 },
      ]),
    );
    for (const one of instants) {
      for (const other of instants) {
        if (one.bed !== other.bed) expect(Math.abs(one.atNs - other.atNs) / 1e9).to.be.greaterThan(3);
      }
    }
    expect(left).to.deep.equal([]);
  });

  it('shows a member that is killed in a trial as accounted for, and starts a fresh bed after it', async () => {
    const { outcome, left } = await run(
      scenario({
        trials: 2,
        grids: { default: { description: '', axes: {} } },
        phases: [
          CONVERGED,
          {
            name: 'fault',
            steps: [
              { fault: { kind: 'kill', id: 'crash', on: 'pick(1,member)' }, background: true },
              { wait: '3s' },
            ],
          },
        ],
      }),
    );
    expect(outcome.errors).to.deep.equal([]);
    for (const trial of outcome.trials) {
      expect(trial.outcome).to.equal('completed');
      expect(trial.cleanAfter, 'accounted for').to.equal(true);
      expect(trial.events.byName?.['node.crashed']).to.equal(undefined);
    }
    expect(left).to.deep.equal([]);
  });

  it('records a node that ends by itself as a failure of the system', async () => {
    const { run: record, outcome } = await run(
      scenario({
        trials: 1,
        grids: { default: { description: '', axes: {} } },
        phases: [
          CONVERGED,
          {
            name: 'fault',
            steps: [
              {
                name: 'killed behind our back',
                run: async (trial) => {
                  const containers = await engine.listContainers([`${LABEL.node}=member-3`]);
                  const mine = containers.find(({ labels }) => labels[LABEL.run] === outcomeRunId());
                  trial.emit('sabotage', {});
                  await engine.killContainer(mine?.id ?? '', 'SIGKILL');
                },
              },
              { wait: '2s' },
            ],
          },
        ],
      }),
    );
    expect(outcome.trials[0]?.outcome).to.equal('completed');
    const crash = record.points[0]?.checks.find((check) => check.title === 'no node ended by itself');
    expect(crash?.verdict).to.equal('fail');
  });

  /** The only run of this test that is going on. */
  function outcomeRunId(): string {
    return readdirSync(reportsDir).find((name) => /^\d{8}-/.test(name)) ?? '';
  }

  it('ends in an orderly way when it is interrupted in mid-fault, twice: 130, partial reports, nothing left', async () => {
    const file = join(reportsDir, 'long.scenario.yaml');
    writeFileSync(
      file,
      `
name: long
description: a cut that an interrupt ends
topology: memberlist-16
overrides: {counts: {member: 6}}
phases:
  - name: warm-up
    steps: [{until: {event: converged, on: member, count: all}, within: 60s}]
  - name: fault
    steps: [{name: cut, fault: {kind: hold, id: cut, on: 'pick(2,member)', for: 120s}}]
checks: [{check: no-event, title: nobody dies, kind: invariant, parameters: {event: member.dead}}]
`,
    );
    const reports = join(reportsDir, 'reports');
    const child = spawn(process.execPath, [SQUALL, 'run', file, '--reports', reports], {
      env: { ...process.env, DOCKER_HOST: engine.info.endpoint },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stdout.resume();
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes('fault: cut')) resolve();
      });
      child.once('close', () => reject(new Error(`ended too soon: ${said}`)));
    });
    const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
    // The step has begun; the fault itself is armed and applied within the next seconds.
    await new Promise<void>((resolve) => setTimeout(resolve, 3_000));
    child.kill('SIGINT');
    await new Promise<void>((resolve) => setTimeout(resolve, 200));
    child.kill('SIGINT');
    expect(await exited, said).to.equal(130);
    expect(said).to.include('the clean-up goes on');
    const latest = join(reports, 'latest');
    const record = JSON.parse(readFileSync(join(latest, 'run.json'), 'utf8')) as RunRecord;
    expect(record.partial).to.equal(true);
    for (const name of ['index.html', 'junit.xml', 'plan.json']) {
      expect(existsSync(join(latest, name)), name).to.equal(true);
    }
    const trial = JSON.parse(
      readFileSync(join(latest, 'trials', 'default', '1', 'trial.json'), 'utf8'),
    ) as TrialRecord;
    expect(trial.outcome).to.equal('aborted');
    expect(trial.faults[0]?.gone, 'the fault was lifted').to.equal(true);
    // What did not fit into the hurry is the watchdog's; the test's own time limit ends this wait.
    while ((await engine.listContainers([`${LABEL.run}=${record.runId}`])).length > 0) {
      await new Promise<void>((resolve) => setTimeout(resolve, 200));
    }
  });
});
