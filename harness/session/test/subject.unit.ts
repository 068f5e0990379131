import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { parseGate } from '../../gate/index.ts';
import { type ResolvedScenario, requireScenario, type ScenarioSpec } from '../../scenario/index.ts';
import { scenarioSpec } from '../../scenario/test/fake-scenario.ts';
import { type FakeBehaviour, FakeStage } from '../../scenario/test/fake-stage.ts';
import { knownSuites, loadSuite } from '../../suite/index.ts';
import { checkFaults, executeGate, planGate } from '../index.ts';
import { unreachedChecks } from '../unreached-checks.ts';

describe('the harness as a subject', () => {
  let reportsDir: string;
  let canary: ResolvedScenario;
  before(async () => {
    canary = (await loadSuite('suites/canary')).scenarios[0] as ResolvedScenario;
  });
  beforeEach(() => {
    reportsDir = mkdtempSync(join(tmpdir(), 'squall-subject-'));
  });
  afterEach(() => rmSync(reportsDir, { recursive: true, force: true }));

  const request = (scenario: ResolvedScenario, behaviour: FakeBehaviour = {}) => ({
    config: parseGate('quick: [{suite: subject}]', 'gate.yaml'),
    mode: 'quick' as const,
    suiteOf: () => [scenario],
    mutants: [],
    command: ['gate', '--quick'],
    seed: '7',
    reportsDir,
    parallelBeds: 1,
    stage: new FakeStage(behaviour),
    today: '2026-11-30',
    signal: new AbortController().signal,
  });
  const small = (changes: Partial<ScenarioSpec>): ResolvedScenario =>
    requireScenario(
      scenarioSpec({
        topology: 'memberlist-16',
        grids: { default: { description: '', axes: {} } },
        trials: 1,
        ...changes,
      }),
      { suite: 'subject' },
    );

  const converged: FakeBehaviour['onStart'] = (bed, topology) => {
    for (const { name } of topology.nodes) bed.say(name, 'converged');
  };

  it('passes the canary when the death is seen', async () => {
    const { exitCode, text } = await executeGate(
      request(canary, {
        onStart: converged,
        onFault: (bed, what) => {
          if (what === 'applied') bed.say('member-1', 'member.dead', { member: 'member-2' });
        },
      }),
    );
    expect(exitCode, text).to.equal(0);
  });

  it('is caught by the canary when it sees nothing', async () => {
    const { exitCode, result } = await executeGate(request(canary, { onStart: converged }));
    expect(exitCode).to.equal(1);
    const failed = result.lines.filter((line) => line.verdict === 'fail');
    expect(failed.map((line) => line.check)).to.deep.equal(['nobody is called dead']);
    expect(failed[0]?.sentence).to.match(/^Passed, but must fail here/);
  });

  it('is caught when a fault does not bite, whatever the checks would say', async () => {
    for (const onFault of [undefined, diesAtRelease]) {
      const { exitCode, result } = await executeGate(
        request(small({}), { bites: () => false, ...(onFault && { onFault }) }),
      );
      expect(exitCode).to.equal(2);
      expect(result.lines.find((line) => line.kind === 'guard')?.sentence).to.include('not seen to act');
    }
  });

  it('is caught when a check is never reached, before anything starts', async () => {
    const unreached = small({
      checks: [
        ...scenarioSpec().checks,
        {
          check: 'no-event',
          title: 'nobody leaves',
          kind: 'invariant',
          parameters: { event: 'member.left' },
          where: { cutoff: 3 },
        },
      ],
    });
    const asked = request(unreached);
    let error: unknown;
    await planGate(asked).catch((caught: unknown) => {
      error = caught;
    });
    expect(error).to.be.instanceOf(SquallError).with.property('code', 'check-unreached');
    expect((error as SquallError).message).to.include('subject/outage: "nobody leaves"');
    expect(asked.stage.built).to.deep.equal([]);
  });

  it('has a canary whose plan its topology can carry', async () => {
    const { run } = await planGate(request(canary));
    checkFaults(run);
    expect(run.points[0]?.topology.nodes).to.have.length(6);
  });

  it('has no suite with a check that is never reached', async () => {
    for (const word of knownSuites()) {
      for (const scenario of (await loadSuite(word)).scenarios) {
        expect(unreachedChecks(scenario), `${word}/${scenario.name}`).to.deep.equal([]);
      }
    }
  });
});

const diesAtRelease: FakeBehaviour['onFault'] = (bed, what) => {
  if (what === 'lifted') bed.say('member-1', 'member.dead');
};
