import { expect } from 'chai';
import type { PlannedScenario, PublishedValue } from '../../record/index.ts';
import { publishedAt } from '../index.ts';

const value = (changes: Partial<PublishedValue>): PublishedValue => ({
  id: 'v',
  label: '',
  value: 1,
  unit: '',
  quote: '',
  measure: 'deaths',
  ...changes,
});

function scenario(
  published: readonly PublishedValue[],
  points: readonly PlannedScenario['points'][number]['point'][],
): PlannedScenario {
  return {
    suite: 's',
    scenario: 'outage',
    description: '',
    kills: [],
    points: points.map((point, index) => ({ point, pointId: String(index), trials: 1, estimatedMs: 0 })),
    checks: [],
    expectations: [],
    published,
    parameters: [{ name: 'outage', type: 'duration' }],
    aggregates: [{ title: '', op: 'sum', measure: 'deaths', where: {}, unit: '', published: ['summed'] }],
    measures: [],
    plots: [{ title: '', kind: 'line', x: 'outage', y: 'deaths', series: 'variant' }],
  };
}

describe('published values beside a point', () => {
  const here = { variant: 'old', outage: 16_000 };

  it('stand beside every warp unless they name one', () => {
    const real = { ...here, warp: 1 };
    const fast = { ...here, warp: 4 };
    const shown = (where: PublishedValue['where'], point: typeof here) =>
      publishedAt(scenario([value({ ...(where && { where }) })], [real, fast]), point).length;
    expect([shown(here, real), shown(here, fast)]).to.deep.equal([1, 1]);
    expect([shown(fast, real), shown(fast, fast)]).to.deep.equal([0, 1]);
  });

  for (const [says, changes, shown] of [
    ['stand beside the point that they name', { where: here }, true],
    ['may name a duration as people write it', { where: { variant: 'old', outage: '16s' } }, true],
    ['do not stand beside another point', { where: { variant: 'new', outage: 16_000 } }, false],
    ['do not stand beside one of many points that they cover', { where: { variant: 'old' } }, false],
    ['need a measure to stand beside', { where: here, measure: undefined }, false],
    ['are shown where an aggregate shows them, and only there', { where: here, id: 'summed' }, false],
  ] as const) {
    it(says, () => {
      const { measure, ...rest } = { ...value({}), ...changes };
      const published = [measure === undefined ? rest : { ...rest, measure }];
      expect(publishedAt(scenario(published, [here]), here).length === 1).to.equal(shown);
    });
  }
});
