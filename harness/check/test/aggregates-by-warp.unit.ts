import { expect } from 'chai';
import type { PublishedValue } from '../../record/index.ts';
import { aggregatesByWarp } from '../aggregates-by-warp.ts';

const value = (id: string, warp?: number): PublishedValue => ({
  id,
  label: '',
  value: 1,
  unit: '',
  quote: '',
  ...(warp !== undefined && { where: { warp } }),
});
const scenario = {
  points: [{}, { warp: 1 }, { warp: 4 }].map((point) => ({
    point,
    pointId: '',
    trials: 1,
    estimatedMs: 0,
  })),
  published: [value('any'), value('real', 1), value('fast', 4)],
  aggregates: [
    { title: 'onset', op: 'onset', measure: 'deaths', where: { cutoff: 8 }, unit: 'ms', published: ['any'] },
    { title: 'median', op: 'mean', measure: 'deaths', where: {}, unit: 's', published: ['fast'] },
    { title: 'sum', op: 'sum', measure: 'deaths', where: {}, unit: '' },
  ],
} as const;

describe('aggregates of a run with several warps', () => {
  it('are reckoned for each warp, side by side, but beside figures of another warp', () => {
    const shown = aggregatesByWarp(scenario).map(({ title, where, published }) => [title, where, published]);
    expect(shown).to.deep.equal([
      ['warp 1: onset', { cutoff: 8, warp: 1 }, ['any']],
      ['warp 4: onset', { cutoff: 8, warp: 4 }, ['any']],
      ['warp 4: median', { warp: 4 }, ['fast']],
      ['warp 1: sum', { warp: 1 }, undefined],
      ['warp 4: sum', { warp: 4 }, undefined],
    ]);
  });

  it('stand beside figures of their own warp alone where all points have one', () => {
    const [point] = scenario.points;
    const shownAt = (warp: number): unknown[] =>
      aggregatesByWarp({ ...scenario, points: [{ ...point!, warp }] }).map((one) => [one.title, one.where]);
    const always = [
      ['onset', { cutoff: 8 }],
      ['sum', {}],
    ];
    expect(shownAt(1)).to.deep.equal(always);
    expect(shownAt(4)).to.deep.equal([always[0], ['median', {}], always[1]]);
  });

  it('are of real speed in a record whose points have no warp', () => {
    const titles = aggregatesByWarp({ ...scenario, points: scenario.points.slice(0, 1) });
    expect(titles.map(({ title }) => title)).to.deep.equal(['onset', 'sum']);
  });
});
