import { expect } from 'chai';
import { type EstimatedPoint, estimateRun } from '../estimate.ts';
import { REFERENCE_COSTS } from '../index.ts';

/** Of the work alone: beds are there at once, and nothing is prepared. */
const COSTS = {
  ...REFERENCE_COSTS,
  startMsPerNode: 0,
  removeMsPerNode: 0,
  resetMsPerNode: 0,
  settleMsPerNode: 0,
  trialOverheadMs: 0,
};

const point = (trials: number, light: boolean): EstimatedPoint => ({
  trials,
  nodes: light ? 4 : 100,
  trialMs: 60_000,
  freshBed: false,
  light,
});

describe('the estimate of a plan with light beds beside the others', () => {
  const minutes = (heavy: number, light: number, lightBeds: number): number =>
    estimateRun([point(heavy, false), point(light, true)], 1, COSTS, lightBeds).durationMs / 60_000;

  for (const [what, heavy, light, lightBeds, expected] of [
    ['all of them share what is light', 3, 9, 2, 4],
    ['none of them shares what is heavy', 9, 3, 2, 9],
    ['one after another without them', 9, 3, 0, 12],
    ['no more of them are there than light trials', 4, 1, 9, 4],
  ] as const) {
    it(what, () => expect(minutes(heavy, light, lightBeds)).to.equal(expected));
  }

  it('is no shorter than the critical windows one after another, where beds are kept apart', () => {
    const apart = [{ ...point(12, false), quietMs: 30_000 }];
    const minutesOn = (beds: number): number => estimateRun(apart, beds, COSTS).durationMs / 60_000;
    expect([1, 2, 4, 8].map(minutesOn)).to.deep.equal([12, 6, 6, 6]);
  });

  it('counts their beds and their memory', () => {
    const of = (lightBeds: number) => estimateRun([point(3, false), point(9, true)], 1, COSTS, lightBeds);
    expect(of(2).beds - of(0).beds).to.equal(2);
    expect(of(2).memoryBytes - of(0).memoryBytes).to.equal(2 * 4 * COSTS.memoryBytesPerNode);
  });
});
