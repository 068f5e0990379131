import { expect } from 'chai';
import { DOCUMENT, type Measured, shapeRows } from '../fetch-queue.ts';
import { type Row, wanted, within } from '../table.ts';

const SOURCES = [1, 8, 35] as const;

/** The document's own figures, on a machine that is so many times slower, each growth with the sources of a key being other. */
function measured(slower: number, growth: number): Record<1 | 8 | 35, Measured[]> {
  const at = (perKey: 1 | 8 | 35): Measured => {
    const more = perKey === 1 ? 1 : growth;
    const parkPassMs = DOCUMENT.parkPassMs[perKey] * slower * more;
    return {
      perKey,
      parkPassMs,
      departureMs: DOCUMENT.departureMostMs * slower * more,
      dropMs: DOCUMENT.dropAt35Ms * slower * more,
      peakBytes: DOCUMENT.peakBytes[perKey] * more,
    };
  };
  return Object.fromEntries(SOURCES.map((perKey) => [perKey, [at(perKey)]])) as Record<
    1 | 8 | 35,
    Measured[]
  >;
}

const growths = (rows: readonly Row[]): readonly Row[] =>
  rows.filter(({ what }) => what.includes('against 1'));

describe('rows of the fetch queue', () => {
  it('are alike whatever the machine is', () => {
    for (const slower of [0.1, 1, 30]) expect(shapeRows(measured(slower, 1)).every(within)).to.equal(true);
  });

  it('are unlike when ours grows much more than the document has it, and when it grows much less', () => {
    for (const growth of [2.5, 0.4]) {
      const rows = growths(shapeRows(measured(1, growth)));
      expect(rows).to.have.length(4);
      expect(rows.filter(within), String(growth)).to.deep.equal([]);
    }
  });

  it('say both limits', () => {
    expect(shapeRows(measured(1, 1)).map(wanted)).to.deep.equal(Array(6).fill('0.5 to 2 ×'));
    const row = { what: '', ours: 1, unit: 's', figure: 1, figureUnit: '×', limit: 1.1 };
    expect(wanted(row)).to.equal('at most 1.1 ×');
    expect(wanted({ ...row, atLeast: true })).to.equal('at least 1.1 ×');
    expect(within({ ...row, figure: 0.01 })).to.equal(true);
  });
});
