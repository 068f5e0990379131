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

describePublished('suites/smp', NOT_OURS);

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
