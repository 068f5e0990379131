import { expect } from 'chai';
import { select } from '../../../harness/cli/selection.ts';
import { readImages } from '../../../harness/image/index.ts';
import { matchesPoint } from '../../../harness/record/index.ts';
import {
  defaultPoint,
  expandGrid,
  faultStepsAt,
  type ResolvedScenario,
  requireGrid,
} from '../../../harness/scenario/index.ts';
import { loadSuite } from '../../../harness/suite/index.ts';
import { readPublished } from '../../test/describe-published.ts';
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
  unasked: {
    'repick-without-forget-on-streak': [
      'the first proxy, which cannot forward, is kept for at most 70 s',
      'a proxy that is chosen again starts clean',
    ],
    'repick-without-forget-on-connect-failure': ['each pick of P1 costs at most 20 s'],
  },
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
  /** Times that are none of a recovery: of how long a rule kept something, of pauses, of delays while all is well. */
  const OTHER_TIMES = [
    'firstKeptS',
    'longestKeptS',
    'streakLengthS',
    'routingGapS',
    'retryGapS',
    'delayMedianS',
    'delayP99S',
  ];
  /** Rows whose messages are delayed by a script, a slow link or a load, and not by something that recovers. */
  const NO_RECOVERY = [
    'late-results',
    'late-disconnect',
    'slow-wait',
    'agent-restart',
    'agent-interval',
    'load',
  ];

  it('have at least 10 trials where a time to recover is measured', async () => {
    const measuring: string[] = [];
    for (const { name, trials, measures } of (await suite).scenarios) {
      const times = measures.filter(
        ({ unit, name: measure }) => unit === 's' && !OTHER_TIMES.includes(measure),
      );
      if (times.length === 0 || NO_RECOVERY.includes(name)) continue;
      measuring.push(name);
      expect(trials, `${name}: ${times.map(({ name: measure }) => measure).join(', ')}`).to.be.at.least(10);
    }
    expect(measuring).to.include.members([
      'reconnects',
      'abandoned-connect',
      'contact-joins',
      'flap',
      'healing',
    ]);
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

describe('the old agent alone', () => {
  /** Rows in which both versions do well: controls, and rows about what the fix leaves as it is. */
  const BOTH_PASS = [
    'servers-alone',
    'other-holes stream',
    'other-holes connect',
    'other-holes reset',
    'slow-link',
    'slow-wait',
    'healing',
    'flap',
    'all-bad',
    'relay-down',
    'relay-restart',
    'stumble',
    'rare-sends',
    'host-error',
    'agent-restart',
  ];

  it('is asked for at points that list it, each of which is a control or must fail by name', async () => {
    const { selections } = select([await suite], { warp: ['1'], variant: 'master' });
    const controls = new Set<string>();
    for (const { scenario, grid, lists } of selections) {
      const points = expandGrid(scenario, requireGrid(scenario, grid ?? scenario.defaultGrid), lists ?? {});
      for (const point of points) {
        expect(point['variant'], scenario.name).to.equal('master');
        const failures = (scenario.expect ?? []).filter(
          ({ outcome, where }) => outcome === 'fail' && matchesPoint(point, where),
        );
        if (failures.length === 0) controls.add([scenario.name, point['hole'] ?? []].flat().join(' '));
      }
    }
    expect([...controls]).to.have.members(BOTH_PASS);
  });
});

describe('rows of the document', () => {
  const pointsBeside = (scenario: ResolvedScenario, grid: string, id: string) =>
    pointsOf(scenario, grid).filter((point) =>
      (scenario.aggregates ?? []).some(
        ({ published, where }) => published?.includes(id) && matchesPoint(point, where),
      ),
    );

  it('are all selected by a run of the suite, and its mutation checks by the grid "mutation"', async () => {
    for (const scenario of (await suite).scenarios.filter(({ onlyWhenNamed }) => !onlyWhenNamed)) {
      for (const { id } of scenario.published ?? []) {
        const grid = id.startsWith('mutation-') ? 'mutation' : scenario.defaultGrid;
        expect(pointsBeside(scenario, grid, id), `${scenario.name} ${id}`).to.not.be.empty;
      }
    }
  });

  it('those of its two tables by the grid "document" as well', async () => {
    const { scenarios } = await suite;
    const rows = readPublished('suites/smp').values.map(({ id }) => id);
    for (const id of rows.filter((one) => /^(desktop|android)-/.test(one))) {
      const found = scenarios
        .filter(({ grids }) => 'document' in grids)
        .flatMap((scenario) => pointsBeside(scenario, 'document', id));
      expect(found, id).to.not.be.empty;
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
