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
};

/** What the document did to its own code, and figures of its settings: nothing here is measured beside them. */
const NOT_OURS = [
  'drop-after-timeouts',
  'drop-after-silence',
  'mutation-cannot-forward',
  'mutation-fixed',
  'proxy-tests',
  'full-suite',
  'full-suite-alone',
  'full-suite-environment',
  'full-suite-base',
];

describe('the figures of the document', () => {
  const suite = loadSuite('suites/smp');

  it('are each listed once, with the words that state them', () => {
    const ids = list.values.map(({ id }) => id);
    expect(ids).to.deep.equal([...new Set(ids)]);
    for (const { id, quote } of list.values) expect(quote, id).to.not.equal('');
    for (const { name, reason } of list.chosen) expect(reason, name).to.not.equal('');
  });

  it('are printed by a scenario only as the list has them', async () => {
    const { scenarios } = await suite;
    const printed = scenarios.flatMap((scenario) => scenario.published ?? []);
    for (const { id, label, value, unit, quote } of printed) {
      const listed = list.values.find((one) => one.id === id);
      expect(listed, id).to.include({ label, value, unit, quote });
    }
  });

  it('all stand beside one of ours, but for what is not measured here', async () => {
    const { scenarios } = await suite;
    const shown = scenarios.flatMap(({ aggregates }) =>
      (aggregates ?? []).flatMap(({ published }) => [...(published ?? [])]),
    );
    const missing = list.values.map(({ id }) => id).filter((id) => !shown.includes(id));
    expect(missing).to.have.members(NOT_OURS);
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
});
