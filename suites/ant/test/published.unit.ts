import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { DOCUMENT } from '../../../harness/bench/fetch-queue.ts';
import { loadSuite } from '../../../harness/suite/index.ts';

interface Listed {
  readonly id: string;
  readonly value: number | string;
  readonly quote: string;
}

const list = JSON.parse(readFileSync(new URL('../published.json', import.meta.url), 'utf8')) as {
  readonly values: readonly Listed[];
  readonly chosen: readonly { readonly name: string; readonly value: string; readonly reason: string }[];
};

/** What the document did to its own code, settings of the nodes, and first runs that its later ones replaced. */
const NOT_OURS = [
  'formula-share',
  'formula-before',
  'health-capacity',
  'mark-lifetime',
  'mark-floor',
  'summary-interval',
  'bench-first-park',
  'bench-first-peak',
  'bench-first-drop',
  'bench-drop-before',
  'unit-tests',
  'unit-tests-plain',
  'e2e-tests',
  'review-tests',
  'mutation-no-silence',
];

describe('the figures of the fetch document', () => {
  const suite = loadSuite('suites/ant');

  it('are each listed once, with the words that state them', () => {
    const ids = list.values.map(({ id }) => id);
    expect(ids).to.deep.equal([...new Set(ids)]);
    for (const { id, quote } of list.values) expect(quote, id).to.not.equal('');
    for (const { name, reason } of list.chosen) expect(reason, name).to.not.equal('');
  });

  it('are printed by a scenario only as the list has them', async () => {
    const printed = (await suite).scenarios.flatMap((scenario) => scenario.published ?? []);
    expect(printed.length).to.be.greaterThan(10);
    for (const { id, label, value, unit, quote } of printed) {
      const listed = list.values.find((one) => one.id === id);
      expect(listed, id).to.include({ label, value, unit, quote });
    }
  });

  it('stand beside one of ours, but for those of the bench and what is not measured here', async () => {
    const shown = (await suite).scenarios.flatMap(({ aggregates }) =>
      (aggregates ?? []).flatMap(({ published }) => [...(published ?? [])]),
    );
    const missing = list.values
      .map(({ id }) => id)
      .filter((id) => !id.startsWith('bench-') || NOT_OURS.includes(id))
      .filter((id) => !shown.includes(id));
    expect(missing).to.have.members(NOT_OURS);
  });

  it('stand beside an aggregate only where the scenario prints them', async () => {
    for (const scenario of (await suite).scenarios) {
      const printed = (scenario.published ?? []).map(({ id }) => id);
      for (const aggregate of scenario.aggregates ?? [])
        expect(printed, aggregate.title).to.include.members([...(aggregate.published ?? [])]);
    }
  });

  it('are those that the bench stands beside ours', () => {
    const value = (id: string): number => Number(list.values.find((one) => one.id === id)?.value);
    const middle = (low: string, high: string): number => (value(low) + value(high)) / 2;
    for (const perKey of [1, 8, 35] as const)
      expect(DOCUMENT.parkPassMs[perKey]).to.equal(
        middle(`bench-park-${perKey}-low`, `bench-park-${perKey}-high`),
      );
    expect(DOCUMENT.peakBytes[1]).to.equal(value('bench-peak-1') * 2 ** 20);
    expect(DOCUMENT.peakBytes[8]).to.equal(middle('bench-peak-8-low', 'bench-peak-8-high') * 2 ** 20);
    expect(DOCUMENT.peakBytes[35]).to.be.closeTo(value('bench-peak-35') * 2 ** 30, 2 ** 20);
    expect(DOCUMENT.departureMostMs).to.equal(value('bench-departure'));
    expect(DOCUMENT.dropAt35Ms).to.equal(middle('bench-drop-low', 'bench-drop-high'));
    expect(DOCUMENT.keys).to.equal(value('bench-keys'));
  });
});
