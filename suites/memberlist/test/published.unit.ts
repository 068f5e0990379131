import { expect } from 'chai';
import { loadSuite } from '../../../harness/suite/index.ts';
import { describePublished, readPublished } from '../../test/describe-published.ts';

const list = readPublished('suites/memberlist');

const numbersIn = (text: string): string[] =>
  text.replace(/(\d),(?=\d{3})/g, '$1').match(/\d+(\.\d+)?/g) ?? [];

describePublished('suites/memberlist');

describe('the figures of the document', () => {
  const suite = loadSuite('suites/memberlist');

  it('say what our copy of it has lost', () => {
    expect(list.lost).to.not.be.empty;
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
