import { expect } from 'chai';
import { loadSuite } from '../../../harness/suite/index.ts';
import { describePublished, readDocumentCells, readPublished } from '../../test/describe-published.ts';
import { numbersIn } from '../../test/document-cells.ts';

const list = readPublished('suites/memberlist');

describePublished('suites/memberlist');

describe('the figures of the document', () => {
  const suite = loadSuite('suites/memberlist');

  it('say what our copy of it has lost', () => {
    expect(list.lost).to.not.be.empty;
  });

  it('stand in the README in its own words where they are no numbers', () => {
    const said = list.values.map(({ quote }) => quote.toLowerCase());
    const worded = readDocumentCells('suites/memberlist').filter((cell) => numbersIn(cell).length === 0);
    expect(worded).to.not.be.empty;
    for (const cell of worded)
      expect(
        said.some((quote) => quote.includes(cell)),
        cell,
      ).to.equal(true);
  });

  it('are the only numbers in a reason that leans on the document', async () => {
    const { scenarios } = await suite;
    const known = new Set(
      list.values.flatMap(({ value, quote }) => [...numbersIn(String(value)), ...numbersIn(quote)]),
    );
    const reasons = scenarios
      .flatMap(({ checks, expect: expected }) => [...checks, ...(expected ?? [])])
      .flatMap(({ reason }) => (reason !== undefined && /document/.test(reason) ? [reason] : []));
    expect(reasons).to.not.be.empty;
    for (const reason of reasons) {
      for (const number of numbersIn(reason))
        expect(known.has(number), `${number} in: ${reason}`).to.equal(true);
    }
  });
});
