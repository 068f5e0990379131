import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { createRun, type HostClass, type MeasureValue, type PlannedScenario } from '../../record/index.ts';
import { samplePlan, sampleTrial } from '../../record/test/sample-record.ts';
import {
  type Baseline,
  baselineChecks,
  baselinesIn,
  findBaseline,
  findNewestBaseline,
  parseBaseline,
  sameMachineClass,
  scaleFor,
  takeBaseline,
  writeBaseline,
} from '../index.ts';

const HOST: HostClass = samplePlan().host;
const OTHER: HostClass = { ...HOST, cpus: 8, cpuModel: 'faster' };

function baseline(values: readonly number[], changes: Partial<Baseline> = {}): Baseline {
  return {
    baselineVersion: 1,
    name: 'release',
    savedAt: '2026-01-02T03:04:05.000Z',
    runId: 'run-1',
    squallVersion: '0.1.0',
    host: HOST,
    points: [
      {
        suite: 'synthetic',
        scenario: 'outage',
        point: { cutoff: 8 },
        pointId: 'cutoff=8',
        warp: 1,
        measures: { recovery: { unit: 's', values } },
      },
    ],
    ...changes,
  };
}

async function rejection(work: Promise<unknown>): Promise<SquallError> {
  let error: unknown;
  await work.catch((caught: unknown) => {
    error = caught;
  });
  expect(error).to.be.instanceOf(SquallError);
  return error as SquallError;
}

describe('a baseline', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'squall-baseline-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('is the newest one of this class of machine that has what the bounds name', async () => {
    const bounds = [{ scenario: 'outage', measure: 'recovery' }];
    const folder = join(dir, 'baselines');
    const newest = async (more = bounds) => (await findNewestBaseline(HOST, more, dir))?.name;
    expect(await newest()).to.equal(undefined);
    const elsewhere = { name: 'elsewhere', host: OTHER, savedAt: '2026-05-01T00:00:00.000Z' };
    await writeBaseline(folder, baseline([1, 2], elsewhere));
    expect(await newest()).to.equal(undefined);
    await writeBaseline(folder, baseline([1, 2], { name: 'a-later', savedAt: '2026-03-01T00:00:00.000Z' }));
    await writeBaseline(folder, baseline([1, 2], { name: 'b-earlier', savedAt: '2026-02-01T00:00:00.000Z' }));
    await writeBaseline(
      folder,
      baseline([], { name: 'c-of-nothing', savedAt: '2026-04-01T00:00:00.000Z', points: [] }),
    );
    expect(await newest()).to.equal('a-later');
    expect(await newest([...bounds, { scenario: 'outage', measure: 'lost' }])).to.equal(undefined);
    const error = await rejection(writeBaseline(folder, baseline([1], { name: 'newest' })));
    expect(error.code).to.equal('bad-name');
  });

  async function runWith(measures: readonly Readonly<Record<string, MeasureValue>>[]): Promise<string> {
    const scenario: PlannedScenario = {
      suite: 'synthetic',
      scenario: 'outage',
      description: '',
      kills: [],
      points: [{ point: { cutoff: 8 }, pointId: 'cutoff=8', trials: measures.length, estimatedMs: 1 }],
      checks: [],
      expectations: [],
      published: [],
      measures: ['recovery', 'lost', 'deaths'].map((name) => ({ name, title: name, unit: 's' })),
      plots: [],
    };
    const run = join(dir, 'run-1');
    const writer = await createRun(run, samplePlan({ scenarios: [scenario] }));
    for (const [index, own] of measures.entries()) {
      const trial = await writer.openTrial({ pointId: 'cutoff=8', trial: index + 1 });
      await trial.finish(sampleTrial({ trial: index + 1, measures: own }));
    }
    await writer.finish();
    return run;
  }

  it('has a value a trial of each measure that every trial has', async () => {
    const run = await runWith([
      { recovery: 3, lost: 1, deaths: [1, 3] },
      { recovery: 5, lost: null, deaths: [2, 2] },
    ]);
    const taken = await takeBaseline(run, { name: 'release', commit: 'abc' });
    expect(taken.points).to.have.length(1);
    expect(taken.points[0]?.measures).to.deep.equal({
      recovery: { unit: 's', values: [3, 5] },
      deaths: { unit: 's', values: [2, 2] },
    });
    expect(taken).to.deep.include({ name: 'release', commit: 'abc', runId: 'run-1', host: HOST });
    const one = await takeBaseline(run, { name: 'release', measures: ['recovery'] });
    expect(Object.keys(one.points[0]?.measures ?? {})).to.deep.equal(['recovery']);
    expect((await rejection(takeBaseline(run, { name: 'r', measures: ['lost'] }))).code).to.equal(
      'baseline-empty',
    );
  });

  it('is found by file, by name and by run, and is refused by what is there', async () => {
    const run = await runWith([{ recovery: 3 }]);
    const saved = await takeBaseline(run, { name: 'release-1' });
    const file = await writeBaseline(join(dir, 'baselines'), saved);
    expect(await findBaseline('release-1', dir)).to.deep.equal(saved);
    expect(await findBaseline(file, '/')).to.deep.equal(saved);
    expect((await findBaseline(run, dir)).points).to.deep.equal(saved.points);
    expect((await baselinesIn(join(dir, 'baselines'))).map(({ name }) => name)).to.deep.equal(['release-1']);
    const missing = await rejection(findBaseline('release-2', dir));
    expect(missing.hint).to.include('release-1');
    expect((await rejection(writeBaseline(dir, { ...saved, name: '../up' }))).code).to.equal('bad-name');
  });

  it('is refused when it is damaged or newer', async () => {
    const file = await writeBaseline(dir, baseline([1, 2]));
    expect(parseBaseline(await readFile(file, 'utf8'), file)).to.deep.equal(baseline([1, 2]));
    expect(() => parseBaseline('{', 'x')).to.throw(SquallError, /is not JSON/);
    expect(() => parseBaseline('{"baselineVersion": 1}', 'x')).to.throw(SquallError, /is none; name/);
    expect(() => parseBaseline('{"baselineVersion": 9}', 'x')).to.throw(SquallError, /up to version 1/);
    await writeFile(join(dir, 'broken.json'), '[]');
    expect((await rejection(baselinesIn(dir))).message).to.include('broken.json');
  });
});

describe('a baseline on a machine', () => {
  it('counts as of one class by CPUs and memory, whatever the kernel', () => {
    expect(sameMachineClass(HOST, { ...HOST, kernel: '7.0', engine: '29', node: 'v24' })).to.equal(true);
    expect(sameMachineClass(HOST, { ...HOST, memoryBytes: HOST.memoryBytes * 0.95 })).to.equal(true);
    expect(sameMachineClass(HOST, { ...HOST, memoryBytes: HOST.memoryBytes * 0.8 })).to.equal(false);
    expect(sameMachineClass(HOST, OTHER)).to.equal(false);
  });

  it('is taken as it is on its own, and refused on another', () => {
    expect(scaleFor(baseline([1]), HOST)('synthetic', 'outage', 'recovery')).to.equal(undefined);
    expect(() => scaleFor(baseline([1]), OTHER)).to.throw(SquallError, /2 × synthetic.*this is 8 × faster/);
  });

  it('is rescaled by a calibration made here, at the points that both have', () => {
    const there = baseline([10, 10.1, 9.9, 10]);
    const here = baseline([5, 5.05, 4.95, 5], { name: 'calibration', host: OTHER });
    const scale = scaleFor(there, OTHER, here)('synthetic', 'outage', 'recovery');
    expect(scale?.factor).to.be.closeTo(0.5, 1e-9);
    expect(scale?.low).to.be.within(0.48, 0.5);
    expect(scale?.high).to.be.within(0.5, 0.52);
  });

  it('is not rescaled by a run of elsewhere, nor by too little', () => {
    const elsewhere = baseline([5, 5], { name: 'calibration' });
    expect(() => scaleFor(baseline([1, 1]), OTHER, elsewhere)).to.throw(
      SquallError,
      /expected a run on this machine/,
    );
    const weak = baseline([5], { name: 'calibration', host: OTHER });
    expect(() => scaleFor(baseline([1, 1]), OTHER, weak)('synthetic', 'outage', 'recovery')).to.throw(
      SquallError,
      /too little to rescale recovery/,
    );
  });
});

describe('bounds relative to a baseline', () => {
  const bound = { scenario: 'outage', measure: 'recovery', better: 'lower', marginRatio: 0.1 } as const;
  const scenario = { suite: 'synthetic', name: 'outage' };

  it('become checks that carry the figures, so that a record can be judged again', () => {
    const [check] = baselineChecks(scenario, [bound], baseline([1, 2]), () => undefined);
    expect(check).to.deep.include({ check: 'baseline-bound', kind: 'estimate' });
    expect(check?.parameters['baseline']).to.deep.equal({
      name: 'release',
      points: [{ point: { cutoff: 8 }, values: [1, 2] }],
    });
  });

  it('are of their scenario alone, and refused where the baseline has nothing of it', () => {
    const none = () => undefined;
    expect(baselineChecks({ suite: 'synthetic', name: 'crash' }, [bound], baseline([1]), none)).to.deep.equal(
      [],
    );
    const other = { ...bound, suite: 'other' };
    expect(baselineChecks(scenario, [other], baseline([1]), none)).to.deep.equal([]);
    const wrong = { ...bound, measure: 'recoverie' };
    expect(() => baselineChecks(scenario, [wrong], baseline([1]), none)).to.throw(
      SquallError,
      /no values of recoverie/,
    );
  });
});
