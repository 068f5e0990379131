import { expect } from 'chai';
import { benchProblems, isMissing, type Row, ratioRow, standing, tableLines, within } from '../table.ts';

const row = (figure: number, limit: number, more: Partial<Row> = {}): Row => ({
  what: 'skew',
  ours: figure,
  unit: 'ms',
  figure,
  figureUnit: 'ms',
  limit,
  ...more,
});

describe('the table of the bench', () => {
  it('holds each figure against its limit, at most or at least', () => {
    expect(within(row(20, 20))).to.equal(true);
    expect(within(row(21, 20))).to.equal(false);
    expect(within(row(20, 19, { atLeast: true }))).to.equal(true);
    expect(within(row(18, 19, { atLeast: true }))).to.equal(false);
    expect(ratioRow('start', [2, 4, 3], [2, 2, 2], 's', 1.15)).to.include({ ours: 3, other: 2, figure: 1.5 });
  });

  it('shows a figure that is missing as missing, never as within', () => {
    const missing = row(Number.NaN, 20);
    for (const one of [
      missing,
      { ...missing, atLeast: true },
      ratioRow('start', [], [1], 's', 1.15),
      ratioRow('reset', [1, Number.NaN, 2], [1, 1, 1], 's', 1.15),
    ]) {
      expect(isMissing(one)).to.equal(true);
      expect(within(one)).to.equal(false);
    }
    expect(isMissing(row(0, 20))).to.equal(false);
    const [, first, second] = tableLines([row(7, 20), missing]);
    expect(first).to.match(/7\.00 ms .*at most 20 ms .*within$/);
    expect(second)
      .to.match(/– .*at most 20 ms .*missing$/)
      .and.not.include('NaN');
  });

  it('tells what stands beside another program as alike or unlike, and fails it only where it is missing', () => {
    const [alike, unlike, missing] = [1, 9, Number.NaN].map((figure) => row(figure, 2, { compared: true }));
    expect([alike, unlike, missing].map((one) => standing(one!))).to.deep.equal([
      'alike',
      'unlike',
      'missing',
    ]);
    const { beyond, missing: gone } = benchProblems([alike!, unlike!, missing!]);
    expect(beyond).to.deep.equal([]);
    expect(gone).to.have.length(1);
  });

  it('names what is beyond its limit, apart from what is missing', () => {
    expect(benchProblems([row(7, 20), row(21, 20), row(Number.NaN, 20)])).to.deep.equal({
      missing: ['skew: no figure; expected one. Look at what was said above, and measure again.'],
      beyond: ['skew: 21.0 ms; expected at most 20 ms.'],
    });
    expect(benchProblems([row(18, 19, { atLeast: true })]).beyond).to.deep.equal([
      'skew: 18.0 ms; expected at least 19 ms.',
    ]);
    expect(benchProblems([row(7, 20)])).to.deep.equal({ missing: [], beyond: [] });
  });
});
