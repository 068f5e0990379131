import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { loadSuite } from '../../../harness/suite/index.ts';

const list = JSON.parse(readFileSync(new URL('../published.json', import.meta.url), 'utf8')) as {
  readonly values: readonly {
    readonly id: string;
    readonly value: number | string;
    readonly quote: string;
  }[];
  readonly chosen: readonly { readonly name: string; readonly value: string; readonly reason: string }[];
  readonly lost: readonly unknown[];
};

const numbersIn = (text: string): string[] =>
  text.replace(/(\d),(?=\d{3})/g, '$1').match(/\d+(\.\d+)?/g) ?? [];

describe('the figures of the document', () => {
  const suite = loadSuite('suites/memberlist');

  it('are each listed once, with the words that state them', () => {
    const ids = list.values.map(({ id }) => id);
    expect(ids).to.deep.equal([...new Set(ids)]);
    for (const { id, quote } of list.values) expect(quote, id).to.not.equal('');
    expect(list.lost, 'what our copy lost').to.not.be.empty;
    for (const { name, reason } of list.chosen) expect(reason, name).to.not.equal('');
  });

  it('are printed by a scenario only as the list has them', async () => {
    const { scenarios } = await suite;
    const printed = scenarios.flatMap((scenario) => scenario.published ?? []);
    expect(printed).to.not.be.empty;
    for (const { id, label, value, unit, quote } of printed) {
      const listed = list.values.find((one) => one.id === id);
      expect(listed, id).to.include({ label, value, unit, quote });
    }
  });

  it('stand beside an aggregate only where the scenario prints them', async () => {
    const { scenarios } = await suite;
    for (const scenario of scenarios) {
      const printed = (scenario.published ?? []).map(({ id }) => id);
      for (const aggregate of scenario.aggregates ?? []) {
        expect(printed, aggregate.title).to.include.members([...(aggregate.published ?? [])]);
      }
    }
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
