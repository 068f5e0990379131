import { expect } from 'chai';
import { readImages } from '../../../harness/image/index.ts';
import { loadSuite } from '../../../harness/suite/index.ts';
import { describePublished, readPublished } from '../../test/describe-published.ts';

/** Figures of the agent's settings, which ours has too: by the name of the setting. */
const SETTINGS = {
  'persist-error-interval': ['persistErrorIntervalMs', 1_000],
  'drop-after-timeouts': ['dropAfterTimeouts', 1],
  'drop-after-silence': ['dropAfterSilenceMs', 60_000],
  'proxy-failure-interval': ['proxyFailureIntervalMs', 1_000],
} as const;

/** What the document did to its own code, and figures of its settings: nothing here is measured beside them. */
const NOT_OURS = [
  'persist-error-interval',
  'drop-after-timeouts',
  'drop-after-silence',
  'mutation-fixed',
  'proxy-tests',
  'full-suite',
  'full-suite-alone',
  'full-suite-environment',
  'full-suite-base',
];

/** Rows of the README, and what of the list stands in each. */
const ROWS = {
  'contact joins, old agent': ['desktop-contact-watch', 'desktop-contact-master'],
  'contact joins, new agent, 10 min': [
    'desktop-contact-1',
    'desktop-contact-2',
    'desktop-contact-3',
    'desktop-contact-4',
  ],
  '… watched for 300 s, old agent': ['android-contact-master'],
  '… new agent': [
    'android-contact-1',
    'android-contact-2',
    'android-contact-3',
    'android-contact-4',
    'android-contact-5',
  ],
  'Retry, old agent': ['desktop-retry-master', 'android-retry-master'],
  'Retry, new agent, up to 6': [
    'desktop-retry-1',
    'desktop-retry-2',
    'desktop-retry-3',
    'desktop-retry-fastest',
    'desktop-retry-slowest',
    'android-retry-1',
    'android-retry-2',
    'android-retry-3',
    'android-retry-4',
    'android-retry-failing',
  ],
  '… up to 14': ['android-retry-14', 'android-retry-14-cap', 'open-longest'],
  '… re-picks of the failed proxy': ['android-repick-same'],
  'P1 failed four times, then only P2, another link': ['android-servers-master', 'android-servers-new'],
  "P1's reports before the switch, and between them": [
    'android-routing-timeouts',
    'android-routing-gap',
    'android-connection-timeouts',
  ],
  'a contact stuck on P1, then only P2, old agent': ['android-stuck-master', 'android-stuck-master-trials'],
  '… new agent: after joining, after the switch': [
    'android-stuck-new',
    'android-stuck-new-switch',
    'android-stuck-new-trials',
  ],
  'configuring P2 alone': [],
  'the streak': ['proxy-failure-interval'],
};

describePublished('suites/smp', {
  heldSha256: 'ff266e0718f3ee116e14b91152a51674dde304216d226dbeaeb04d592e52ee38',
  rows: ROWS,
  notOurs: NOT_OURS,
});

/** What a unit counts: seconds and minutes are both time, `3/3 runs` and a share of the trials both trials. */
function quantityOf(unit: string): string {
  const counted = unit.replace(/^of the /, '');
  if (['s', 'ms', 'min'].includes(counted)) return 'time';
  return counted === 'runs' ? 'trials' : counted;
}

describe('published figures of suites/smp beside ours', () => {
  it('are of the same quantity', async () => {
    for (const { name, published = [], aggregates = [] } of (await loadSuite('suites/smp')).scenarios) {
      for (const { title, unit, published: ids = [] } of aggregates) {
        for (const { id, unit: theirs } of published.filter((one) => ids.includes(one.id)))
          expect(quantityOf(theirs), `${name}: ${title}, ${id}`).to.equal(quantityOf(unit));
      }
    }
  });

  it('are the defaults of our agent, where they are settings', () => {
    const settings = readImages().find(({ name }) => name === 'smp-agent')?.settings ?? [];
    const { values } = readPublished('suites/smp');
    for (const [id, [name, unitMs]] of Object.entries(SETTINGS)) {
      const published = Number(values.find((one) => one.id === id)?.value);
      expect(settings.find((one) => one.name === name)?.default, id).to.equal(published * unitMs);
    }
  });
});
