import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { requireScenario, type ScenarioSpec } from '../../scenario/index.ts';
import { scenarioSpec } from '../../scenario/test/fake-scenario.ts';
import { type FakeBed, FakeStage } from '../../scenario/test/fake-stage.ts';
import { bisectSubject, executeBisect, executeMissingFix } from '../index.ts';

const VARIANTS = ['both', 'health-at-firing', 'grace', 'shipped'];

function subject(changes: Partial<ScenarioSpec> = {}, titles: readonly string[] = []) {
  const base = scenarioSpec({ topology: 'memberlist-16' });
  const scenario = requireScenario(
    {
      ...base,
      overrides: { counts: { member: 4 } },
      parameters: {
        ...base.parameters,
        variant: { type: 'choice', description: 'which', default: 'shipped', choices: VARIANTS },
      },
      ...changes,
    },
    { suite: 'fake' },
  );
  return bisectSubject(scenario, { cutoff: '2', outage: '10s' }, titles);
}

describe('a bisection from end to end, on beds that are played', function () {
  // Each makes several runs; a busy machine takes its time.
  this.timeout(60_000);
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'squall-bisect-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** Members die at the release on beds of which the rule says so. */
  const stage = (leaks: (bed: FakeBed) => boolean): FakeStage =>
    new FakeStage({
      onFault: (bed, what) => {
        if (what === 'lifted' && leaks(bed)) bed.say('member-1', 'member.dead', { member: 'member-2' });
      },
    });

  const request = (played: FakeStage) => ({
    command: ['bisect', 'fake'],
    seed: '7',
    mostTrials: 60,
    parallelBeds: 2,
    reportsDir: join(dir, 'reports'),
    stage: played,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });

  it('finds the first bad value of a parameter', async () => {
    const leaks = (bed: FakeBed) => ['grace', 'shipped'].includes(environment(bed, 'SQUALL_VARIANT'));
    const { result, text, exitCode } = await executeBisect({
      ...request(stage(leaks)),
      ...subject(),
      place: { kind: 'parameter', name: 'variant' },
      versions: VARIANTS,
      confidence: 0.9,
      stepTrials: 2,
    });
    expect(exitCode).to.equal(0);
    expect(result).to.include({ outcome: 'found', firstBad: 'grace', lastGood: 'health-at-firing' });
    expect(text).to.match(/^FIRST BAD: grace \(last good: health-at-firing\), 9\d\.\d % sure/);
  });

  it('finds the first bad image in the place of a role’s own', async () => {
    const versions = ['memberlist-node@both', 'memberlist-node@grace', 'memberlist-node'];
    const leaks = (bed: FakeBed) => environment(bed, 'SQUALL_VARIANT') === 'shipped';
    const { parameters } = scenarioSpec();
    const { variant: _variant, ...others } = parameters;
    const grids = { default: { description: '', axes: {} } };
    const { result } = await executeBisect({
      ...request(stage(leaks)),
      ...subject({ parameters: others, grids }),
      place: { kind: 'image', role: 'member' },
      versions,
      confidence: 0.9,
      stepTrials: 2,
    });
    expect(result).to.include({
      outcome: 'found',
      firstBad: 'memberlist-node',
      lastGood: 'memberlist-node@grace',
    });
  });

  it('names the missing fix, each tried alone on the bad variant', async () => {
    const leaks = (bed: FakeBed) => environment(bed, 'SQUALL_HEALTH_AT_FIRING') !== 'true';
    const { result, text, exitCode } = await executeMissingFix({
      ...request(stage(leaks)),
      ...subject(),
      good: 'both',
      bad: 'shipped',
      badTrials: 8,
    });
    expect(exitCode).to.equal(0);
    expect(result.missing).to.deep.equal([['healthAtFiring']]);
    expect(text).to.include('MISSING FIX: shipped lacks healthAtFiring of both');
    expect(text).to.match(/with grace: shown in [12] of [12]\n/);
  });

  it('refuses variants of no image, and versions that a parameter does not take', async () => {
    const common = { ...request(stage(() => false)), ...subject() };
    const fixes = await executeMissingFix({ ...common, good: 'bth', bad: 'shipped', badTrials: 1 }).catch(
      (error: unknown) => error,
    );
    expect(fixes).to.be.instanceOf(SquallError).and.include({ code: 'no-such-variants', blame: 'input' });
    const place = { kind: 'parameter', name: 'variant' } as const;
    const versions = await executeBisect({
      ...common,
      place,
      versions: ['both', 'x'],
      confidence: 0.9,
      stepTrials: 1,
    }).catch((error: unknown) => error);
    expect(versions).to.be.instanceOf(SquallError).and.include({ code: 'bad-parameter', blame: 'input' });
  });
});

describe('what is bisected', () => {
  it('is the gate’s point with the values given, and the check that must fail there', () => {
    const { point, checks } = subject({
      checks: [
        { check: 'no-event', title: 'nobody dies', kind: 'invariant', parameters: { event: 'member.dead' } },
        {
          check: 'no-event',
          title: 'nobody leaves',
          kind: 'invariant',
          parameters: { event: 'member.left' },
        },
      ],
      expect: [{ where: { variant: 'grace' }, check: 'nobody leaves', outcome: 'fail' }],
      gate: { point: { variant: 'grace', cutoff: 1 }, defect: 'it', power: { shown: 1, trials: 1 } },
    });
    expect(point).to.deep.equal({ cutoff: 2, outage: 10_000, variant: 'grace' });
    expect(checks.symptoms.map(({ title }) => title)).to.deep.equal(['nobody leaves']);
  });

  it('has to be said where several checks could be meant', () => {
    const checks = ['a', 'b'].map((title) => ({
      check: 'no-event',
      title,
      kind: 'invariant' as const,
      parameters: { event: title },
    }));
    expect(() => subject({ checks })).to.throw(SquallError, /2 checks could be the defect; expected --check/);
    expect(subject({ checks }, ['b']).checks.symptoms[0]?.title).to.equal('b');
    expect(() => subject({ checks }, ['c'])).to.throw(SquallError, /no check "c"/);
  });
});

function environment(bed: FakeBed, name: string): string {
  return bed.topology.nodes[0]?.environment[name] ?? '';
}
