import { expect } from 'chai';
import { readImages } from '../../../harness/image/index.ts';
import { matchesPoint } from '../../../harness/record/index.ts';
import { defaultPoint, faultStepsAt } from '../../../harness/scenario/index.ts';
import { loadSuite } from '../../../harness/suite/index.ts';
import { checksAt, describeSuiteRules, pointsOf, scenarioOf } from '../../test/describe-suite-rules.ts';
import { HANDSHAKE_BYTES } from '../bed.ts';
import { MUTANTS, VARIANTS } from '../points.ts';

const IMAGES = ['smp-agent', 'smp-server'];
const suite = loadSuite('suites/smp');
const scenarioCalled = scenarioOf('suites/smp');

describeSuiteRules('suites/smp', {
  images: IMAGES,
  mutants: [...MUTANTS, 'stuck-connect'],
  variants: { image: 'smp-agent', names: VARIANTS },
});

describe('mutants of agent and server', () => {
  it('are one for each piece of the fix', () => {
    for (const { name, fixes, mutants } of readImages().filter(({ name }) => IMAGES.includes(name))) {
      const broken = Object.values(mutants).map(({ mutates }) => mutates.fix);
      expect(broken, name).to.have.members(fixes);
    }
  });
});

describe('grids of the suite', () => {
  it('have at least 10 trials where a time to recover is a distribution', async () => {
    for (const scenario of (await suite).scenarios) {
      const isDistribution = (scenario.plots ?? []).some(({ kind }) => kind === 'survival');
      if (isDistribution) expect(scenario.trials, scenario.name).to.be.at.least(10);
    }
  });

  it('the gate must see the old agent stuck and the new one connect, in one trial each', async () => {
    const row = await scenarioCalled('contact-joins');
    const points = pointsOf(row, 'gate');
    expect(points.map(({ variant }) => variant)).to.deep.equal(['master', 'repick']);
    expect(row.grids['gate']?.trials).to.equal(1);
    for (const point of points) {
      const connects = checksAt(row, point).find(({ title }) => title === 'the agent connects');
      expect(connects, String(point['variant'])).to.not.equal(undefined);
      const expected = row.expect?.find(
        ({ check, where }) => check === connects?.title && matchesPoint(point, where),
      );
      expect(expected?.outcome).to.equal(point['variant'] === 'master' ? 'fail' : undefined);
    }
  });
});

describe('faults of the suite', () => {
  it('let the handshakes of a connection from P1 to R pass, in the document’s row', async () => {
    const row = await scenarioCalled('contact-joins');
    const [hole] = faultStepsAt(row, defaultPoint(row.parameters));
    expect(hole).to.include({
      kind: 'blackhole-after',
      from: 'proxy-1',
      to: 'relay-1',
      bytes: HANDSHAKE_BYTES,
    });
    expect(hole?.for, 'it lasts as long as the trial').to.equal(undefined);
  });

  it('are of one kind at a time where a row compares kinds', async () => {
    for (const [name, parameter] of [
      ['other-holes', 'hole'],
      ['healing', 'heal'],
      ['slow-link', 'speed'],
    ] as const) {
      const scenario = await scenarioCalled(name);
      const kinds = pointsOf(scenario, 'quick').map((point) => [
        point[parameter],
        faultStepsAt(scenario, point).map(({ id }) => id),
      ]);
      for (const [value, ids] of kinds) expect(ids, name).to.deep.equal([`cut-${value}`]);
    }
  });

  it('flap five times, each for as long as it pauses', async () => {
    const scenario = await scenarioCalled('flap');
    for (const point of pointsOf(scenario, 'quick')) {
      const cuts = faultStepsAt(scenario, point);
      expect(cuts).to.have.lengthOf(5);
      expect(new Set(cuts.map((cut) => cut.for))).to.deep.equal(
        new Set([`${Number(point['period']) / 1000}s`]),
      );
    }
  });
});

describe('rows of the suite', () => {
  it('begin with a phase of their own, so that nothing of the trial before is taken for theirs', async () => {
    for (const { name, phases } of (await suite).scenarios) expect(phases[0]?.name, name).to.equal('begin');
  });
});
