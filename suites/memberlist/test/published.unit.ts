import { expect } from 'chai';
import { loadSuite } from '../../../harness/suite/index.ts';
import { describePublished, readDocumentCells, readPublished } from '../../test/describe-published.ts';
import { numbersIn } from '../../test/document-cells.ts';

const list = readPublished('suites/memberlist');

/** Rows of the README, and what of the list stands in each. */
const ROWS = {
  'sum over the outages of 24 to 90 s, as shipped': ['sum-shipped', 'sum-outages'],
  'the same with health at creation': ['sum-health-at-creation', 'sum-outages'],
  'verdicts at cut-off nodes after a confirmation, 8 and 32 nodes, up to 50 s': [
    'cut-verdicts-confirmed',
    'cut-verdicts',
  ],
  '... within 2 s of the release': ['cut-verdicts-at-release', 'cut-verdicts'],
  'leak starts, 1 node': ['maximum-suspicion'],
  'leak starts, 8 nodes': ['onset-8', 'onset-8-simulation'],
  'leak starts, 32 nodes': ['onset-32', 'onset-32-simulation'],
  'both, 63 outages': ['both'],
  'health at creation, 1 node, 65 s': ['creation-65-leaks'],
  'grace, up to 50 s': ['grace-at-most'],
  'grace, past 63 s, 1 and 32 nodes': ['grace-useless-past'],
  'health at firing, 32 nodes, 65, 90, 130 s': ['firing-alone'],
  'no Lifeguard, 1 node, 16 s': ['no-lifeguard-16'],
  '40 % UDP loss for 10 min, TCP pings on, one run each: shipped, both': ['loss-real'],
};

describePublished('suites/memberlist', {
  heldSha256: 'f60b59a5d71cb8a8594cbf9d044c6e85344c97d40b8d404329f01ea65709d4c5',
  rows: ROWS,
});

describe('the figures of the document', () => {
  const suite = loadSuite('suites/memberlist');

  it('say what our copy of it has lost', () => {
    expect(list.lost).to.not.be.empty;
  });

  it('stand in the README in its own words where they are no numbers', () => {
    const said = list.values.map(({ quote }) => quote.toLowerCase());
    const worded = readDocumentCells('suites/memberlist').filter(({ cell }) => numbersIn(cell).length === 0);
    expect(worded).to.not.be.empty;
    for (const { cell } of worded)
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
