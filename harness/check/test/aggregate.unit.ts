import { expect } from 'chai';
import type { AggregateSpec, Point, PointResult } from '../../record/index.ts';
import { aggregate } from '../aggregate.ts';

const pointResult = (point: Point, measures: Record<string, (number | null)[]>): PointResult => ({
  suite: 's',
  scenario: 'x',
  point,
  pointId: JSON.stringify(point),
  trials: { planned: 3, completed: 3, void: 0, error: 0, aborted: 0 },
  measures: Object.fromEntries(Object.entries(measures).map(([name, values]) => [name, { values }])),
  checks: [],
  published: [],
  verdict: 'pass',
});

const points = [
  pointResult({ cutoff: 8, outage: 16_000 }, { deaths: [0, 0], confirmed: [1, 0], verdicts: [1, 0] }),
  pointResult({ cutoff: 8, outage: 24_000 }, { deaths: [0, 5], confirmed: [3, 3], verdicts: [3, 4] }),
  pointResult({ cutoff: 8, outage: 40_000 }, { deaths: [7, null], confirmed: [2], verdicts: [2] }),
  pointResult({ cutoff: 32, outage: 16_000 }, { deaths: [9, 1] }),
];
const home = { suite: 's', scenario: 'x' };
const spec = (change: Partial<AggregateSpec>): AggregateSpec => ({
  title: 't',
  op: 'sum',
  measure: 'deaths',
  where: { cutoff: 8 },
  unit: '',
  ...change,
});

describe('aggregate', () => {
  it('sums, averages and takes the largest over the matching points, leaving out what was not observed', () => {
    expect(aggregate(spec({}), points, [], home)).to.include({ value: 12, points: 3, trials: 5 });
    expect(aggregate(spec({ op: 'max' }), points, [], home).value).to.equal(7);
    expect(aggregate(spec({ op: 'mean' }), points, [], home).value).to.equal(12 / 5);
  });

  it('finds where a measure begins to be above zero', () => {
    expect(aggregate(spec({ op: 'onset', along: 'outage' }), points, [], home).value).to.equal(24_000);
    expect(
      aggregate(
        spec({ op: 'onset', along: 'outage', where: { cutoff: 8, outage: 16_000 } }),
        points,
        [],
        home,
      ).value,
    ).to.equal(null);
  });

  it('says of an onset at the least that was run that it may begin before', () => {
    const from = (where: object) =>
      aggregate(spec({ op: 'onset', along: 'outage', where: { cutoff: 8, ...where } }), points, [], home);
    expect(from({}).detail).to.not.include('before');
    const least = from({ outage: 24_000 });
    expect(least.value).to.equal(24_000);
    expect(least.detail).to.include('the least that was run: it may begin before');
  });

  it('divides one sum by another and shows both', () => {
    const result = aggregate(spec({ op: 'ratio', measure: 'confirmed', of: 'verdicts' }), points, [], home);
    expect(result.value).to.equal(0.9);
    expect(result.detail).to.contain('9 of 10');
    const percent = aggregate(
      spec({ op: 'ratio', measure: 'confirmed', of: 'verdicts', unit: '%' }),
      points,
      [],
      home,
    );
    expect(percent).to.include({ value: 90, unit: '%' });
  });

  it('takes the same figure of another place off, and has none where a side was not run', () => {
    const less = { cutoff: 32 };
    const place = { cutoff: 8, outage: 16_000 };
    const result = aggregate(spec({ op: 'max', where: place, less, unit: 's' }), points, [], home);
    expect(result).to.include({ value: -9, points: 2, trials: 4 });
    expect(result.detail).to.equal('0 s (2 trials over 1 point) less 9 s (2 trials over 1 point)');
    const alone = aggregate(spec({ less: { cutoff: 64 } }), points, [], home);
    expect(alone).to.include({ value: null, short: true });
  });

  it('has no figure over fewer trials or points than it is to be over, and says how many there were', () => {
    const enough = aggregate(spec({ atLeast: { trials: 5, points: 3 } }), points, [], home);
    expect(enough.value).to.equal(12);
    for (const atLeast of [{ trials: 6 }, { trials: 5, points: 4 }]) {
      const few = aggregate(spec({ atLeast }), points, [], home);
      expect(few).to.include({ value: null, short: true, trials: 5 });
      expect(few.detail).to.match(/^5 trials over 3 points; at least .*wanted$/);
    }
  });

  it('is over the first trials of each point and no more, where a published figure is', () => {
    const first = aggregate(spec({ firstTrials: 1, atLeast: { trials: 3, points: 3 } }), points, [], home);
    expect(first).to.include({ value: 7, trials: 3, points: 3 });
    expect(first.detail).to.equal('3 trials over 3 points, at most the first 1 of each');
    const worst = aggregate(spec({ op: 'max', firstTrials: 1, where: { cutoff: 32 } }), points, [], home);
    expect(worst.value).to.equal(9);
  });

  it('gives a mean over trials its interval, and a share of the trials too', () => {
    const ten = [
      pointResult(
        { cutoff: 8 },
        { deaths: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], stuck: Array(10).fill(1), rows: Array(10).fill(1) },
      ),
    ];
    const mean = aggregate(spec({ op: 'mean' }), ten, [], home);
    expect(mean.detail).to.match(/^10 trials over 1 point, 95 % interval [\d.]+ to [\d.]+$/);
    const share = aggregate(spec({ op: 'ratio', measure: 'stuck', of: 'rows' }), ten, [], home);
    expect(share.detail).to.match(/^10 of 10, .*95 % interval 0\.69\d to 1$/);
  });

  it('gives none to one trial, nor to a ratio of counts that several of one trial make up', () => {
    const one = [pointResult({ cutoff: 8 }, { deaths: [3], confirmed: [2], verdicts: [4] })];
    expect(aggregate(spec({ op: 'mean' }), one, [], home).detail).to.equal('1 trial over 1 point');
    const ratio = aggregate(spec({ op: 'ratio', measure: 'confirmed', of: 'verdicts' }), one, [], home);
    expect(ratio.detail).to.not.contain('interval');
  });

  it('says nothing where no trial was counted', () => {
    expect(aggregate(spec({ where: { cutoff: 1 } }), points, [], home)).to.include({
      value: null,
      trials: 0,
    });
  });

  it('shows only the published values that it names', () => {
    const published = [
      { id: 'a', label: 'a', value: 43233, unit: '', quote: '' },
      { id: 'b', label: 'b', value: 1, unit: '', quote: '' },
    ];
    expect(aggregate(spec({ published: ['a'] }), points, published, home).published).to.have.length(1);
  });
});
