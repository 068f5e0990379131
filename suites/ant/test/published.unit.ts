import { expect } from 'chai';
import { DOCUMENT } from '../../../harness/bench/fetch-queue.ts';
import { describePublished, readPublished } from '../../test/describe-published.ts';

/** What the document did to its own code, settings of the nodes, and first runs that its later ones replaced. */
const NOT_OURS = [
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

const { values } = readPublished('suites/ant');
/** `make bench` has these beside ours. */
const OF_THE_BENCH = values
  .map(({ id }) => id)
  .filter((id) => id.startsWith('bench-') && !NOT_OURS.includes(id));

describePublished('suites/ant', [...NOT_OURS, ...OF_THE_BENCH]);

describe('the figures of the fetch document', () => {
  it('are those that the bench stands beside ours', () => {
    const value = (id: string): number => Number(values.find((one) => one.id === id)?.value);
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
