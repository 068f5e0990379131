import { expect } from 'chai';
import { DOCUMENT } from '../../../harness/bench/fetch-queue.ts';
import { makePlan } from '../../../harness/session/index.ts';
import { loadSuite } from '../../../harness/suite/index.ts';
import { fetchRules } from '../../../images/fetch-node/fetch-rules.ts';
import image from '../../../images/fetch-node/image.json' with { type: 'json' };
import { SourceHealth } from '../../../images/fetch-node/source-health.ts';
import { variant } from '../../../images/fetch-node/test/rule-test.ts';
import { describePublished, readPublished } from '../../test/describe-published.ts';

/** What the document sets: no result of ours stands beside it, our nodes and rows are set to the same. */
const SETTINGS = [
  'answering-slots',
  'answering-keys',
  'simulation-nodes',
  'responder-slots',
  'busy-cap',
  'health-capacity',
  'mark-lifetime',
  'mark-floor',
  'summary-interval',
];

/** What the document did to its own code, settings as above, and first runs that its later ones replaced. */
const NOT_OURS = [
  ...SETTINGS,
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

/** Rows of the README, and what of the list stands in each. */
const ROWS = {
  'answering holder, most in flight, `share`': ['share-in-flight'],
  'answering holder, until nothing is left to fetch, `before`': ['fetch-timeout'],
  'silent holder, `share`': ['silent-share'],
  'silent holder, `before`': ['silent-before'],
  'silent holder, a limit that knows no silence': ['silent-no-handling'],
};

describePublished('suites/ant', {
  heldSha256: '7f75c4a1a5307b3ed03736b115538ca2a041941ade79de111d49c38ec4ac8388',
  rows: ROWS,
  notOurs: [...NOT_OURS, ...OF_THE_BENCH],
});

/** How long a silent mark lives with this fetch timeout. */
const markLifetimeMs = (fetchTimeoutMs: number): number =>
  new SourceHealth(
    fetchRules(variant('share').settings),
    { capacity: 1, fetchTimeoutMs },
    { nowMs: () => 0, inFlight: () => 0, onSilent: () => undefined },
  ).markLifetimeMs;

describe('the figures of the fetch document', () => {
  const figure = (id: string): number => Number(values.find((one) => one.id === id)?.value);

  it('that are settings are what our nodes and rows are set to', async () => {
    const settings = new Map(image.settings.map(({ name, default: own }) => [name, Number(own)]));
    const { scenarios } = await loadSuite('suites/ant');
    const planned = (name: string) => {
      const scenario = scenarios.find((one) => one.name === name);
      if (!scenario) throw new Error(`no scenario "${name}"`);
      return { scenario, plan: makePlan({ selections: [{ scenario }], command: [] }) };
    };
    const answering = planned('answering-holder').scenario.parameters;
    const [simulated] = planned('local-simulation').plan.points;
    const timeoutMs = Number(settings.get('fetchTimeoutMs'));
    const ours: Readonly<Record<string, number | undefined>> = {
      'answering-slots': Number(answering['slots']?.default),
      'answering-keys': Number(answering['keys']?.default),
      'simulation-nodes': simulated?.topology.nodes.length,
      'responder-slots': settings.get('slots'),
      'busy-cap': Number(settings.get('busyMaximumMs')) / 1_000,
      'health-capacity': settings.get('healthCapacity'),
      'mark-lifetime': markLifetimeMs(timeoutMs) / timeoutMs,
      'mark-floor': markLifetimeMs(1) / 1_000,
      'summary-interval': Number(settings.get('summaryIntervalMs')) / 60_000,
    };
    expect(Object.keys(ours)).to.have.members(SETTINGS);
    for (const [id, own] of Object.entries(ours)) expect(own, id).to.equal(figure(id));
  });

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
