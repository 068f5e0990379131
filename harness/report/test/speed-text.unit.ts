import { expect } from 'chai';
import type { PlannedScenario } from '../../record/index.ts';
import { seriesText } from '../cases.ts';
import { speedText } from '../speed-text.ts';

const scenario = (name: string, warps: readonly (number | undefined)[]): PlannedScenario => ({
  suite: 's',
  scenario: name,
  description: '',
  kills: [],
  points: warps.map((warp) => ({
    point: {},
    pointId: '',
    trials: 1,
    estimatedMs: 0,
    ...(warp !== undefined && { warp }),
  })),
  checks: [],
  expectations: [],
  published: [],
  measures: [],
  plots: [],
});

describe('the speed of a run', () => {
  for (const [warp, scenarios, text] of [
    [1, [scenario('outage', [1, 1])], 'real time'],
    [4, [scenario('outage', [4])], 'warp 4, times reported unwarped'],
    [4, [scenario('outage', [undefined])], 'warp 4, times reported unwarped'],
    [4, [scenario('outage', [1, 4])], 'warp 1 and 4, times reported unwarped'],
    [
      4,
      [scenario('outage', [4]), scenario('crash', [4]), scenario('loss', [1])],
      'warp 4: outage, crash; warp 1: loss; times reported unwarped',
    ],
  ] as const) {
    it(`is told as "${text}"`, () => expect(speedText({ warp, scenarios })).to.equal(text));
  }

  it('makes lines of its own in a plot where points have several', () => {
    expect(seriesText({ variant: 'shipped', warp: 4 }, 'variant', undefined)).to.equal('shipped, warp 4');
    expect(seriesText({ variant: 'shipped' }, 'variant', undefined)).to.equal('shipped');
    expect(seriesText({ warp: 4 }, undefined, undefined)).to.equal('warp 4');
  });
});
