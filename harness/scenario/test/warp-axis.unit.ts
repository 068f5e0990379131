import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { fakePlan, scenario } from './fake-scenario.ts';

const warped = scenario({
  warp: { ceiling: 4, control: 'the same at warp 1' },
  grids: {
    default: {
      description: '',
      axes: { cutoff: [1, 2], variant: ['shipped', 'both'] },
      points: [{ cutoff: 3, variant: 'both' }],
    },
    single: { description: '', axes: {}, points: [{ cutoff: 3 }] },
  },
});
const plain = scenario({ name: 'plain' });

describe('several warps', () => {
  const plan = fakePlan([{ scenario: warped, warps: [1, 4] }]);

  it('run every point at each of them, single points too', () => {
    const at = (warp: number) =>
      plan.points.filter((point) => point.warp === warp).map(({ point: { warp: _, ...rest } }) => rest);
    expect(at(1)).to.have.length(5);
    expect(at(4)).to.deep.equal(at(1));
    const single = fakePlan([{ scenario: warped, grid: 'single', warps: [1, 4] }]);
    expect(single.points.map(({ point, warp }) => [point['cutoff'], warp])).to.deep.equal([
      [3, 1],
      [3, 4],
    ]);
  });

  it('run next to each other on the same seeds, which are those of a run at real speed', () => {
    const ofPoint = plan.trials.filter(({ slot, point }) => slot === 1 && point.point['cutoff'] === 2);
    const places = ofPoint.map((trial) => plan.trials.indexOf(trial));
    expect(new Set(ofPoint.map(({ point }) => point.warp)).size).to.equal(2);
    expect(Math.max(...places) - Math.min(...places)).to.equal(places.length - 1);
    const seeds = new Set(ofPoint.map(({ seed }) => seed));
    expect(seeds.size).to.equal(1);
    const real = fakePlan([{ scenario: warped }]);
    expect(real.trials.map(({ seed }) => seed)).to.include([...seeds][0]);
  });

  it('do not always begin with the same one', () => {
    const first = (slot: number) =>
      plan.trials.find((trial) => trial.slot === slot && trial.point.point['cutoff'] === 1)?.point.warp;
    expect([first(1), first(2)]).to.deep.equal([1, 4]);
  });

  it('keep names apart, and those at warp 1 as they are without the axis', () => {
    const ids = plan.points.map(({ pointId }) => pointId);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(ids).to.include.members(fakePlan([{ scenario: warped }]).points.map(({ pointId }) => pointId));
  });

  it('are in the record of the plan, with what each point takes', () => {
    const points = plan.record.scenarios[0]?.points ?? [];
    expect(plan.record.warp).to.equal(4);
    expect(points.slice(0, 2).map(({ warp, estimatedMs }) => [warp, estimatedMs])).to.deep.equal([
      [1, 70_000],
      [4, 17_500],
    ]);
    expect(plan.record.scenarios[0]?.parameters?.map(({ name }) => name)).to.include('warp');
  });

  it('are each held against the ceiling', () => {
    expect(() => fakePlan([{ scenario: warped, warps: [1, 8] }])).to.throw(SquallError, /warp 8 refused/);
    expect(() => fakePlan([{ scenario: plain, warps: [1, 4] }])).to.throw(SquallError, /real speed only/);
  });
});

describe('one warp', () => {
  it('may be another for each scenario of a run, and adds nothing to the points', () => {
    const { points, record } = fakePlan([
      { scenario: warped, warps: [4] },
      { scenario: plain, warps: [1] },
    ]);
    expect(points.map((point) => [point.scenario.name, point.warp])).to.deep.include.members([
      ['outage', 4],
      ['plain', 1],
    ]);
    expect(points.every(({ point }) => !('warp' in point))).to.equal(true);
    expect(record.warp).to.equal(4);
  });
});
