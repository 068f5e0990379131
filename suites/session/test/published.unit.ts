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

/** What the documents did to their own code, and figures of settings: nothing here is measured beside them. */
const NOT_OURS = [
  'cases-proposal',
  'cases-second',
  'cases-final',
  'strike-test-before',
  'echo-version',
  'min-cache-size',
];

/** Of rows that are not written yet. */
const NOT_YET = ['strike-threshold', 'edge-duration'];

describe('the figures of both documents', () => {
  const suite = loadSuite('suites/session');

  it('are each listed once, with the words that state them', () => {
    const ids = list.values.map(({ id }) => id);
    expect(ids).to.deep.equal([...new Set(ids)]);
    for (const { id, quote } of list.values) expect(quote, id).to.not.equal('');
    for (const { name, reason } of list.chosen) expect(reason, name).to.not.equal('');
  });

  it('all stand beside one of ours, but for what is not measured here', async () => {
    const shown = (await suite).scenarios.flatMap(({ aggregates }) =>
      (aggregates ?? []).flatMap(({ published }) => [...(published ?? [])]),
    );
    const missing = list.values.map(({ id }) => id).filter((id) => !shown.includes(id));
    expect(missing).to.have.members([...NOT_OURS, ...NOT_YET]);
  });

  it('stand beside an aggregate exactly where the row prints them', async () => {
    for (const scenario of (await suite).scenarios) {
      const printed = (scenario.published ?? []).map(({ id }) => id);
      const shown = (scenario.aggregates ?? []).flatMap(({ published }) => [...(published ?? [])]);
      expect(shown, scenario.name).to.have.members(printed);
    }
  });
});
