import { expect } from 'chai';
import fc from 'fast-check';
import { SquallError } from '../../errors/index.ts';
import { expandGrid } from '../grid.ts';
import {
  pairedId,
  parseScenario,
  pointId,
  readParameter,
  resolveScenario,
  scenarioSchema,
} from '../index.ts';
import { fillTemplate } from '../template.ts';
import { timelineFrom } from '../timeline.ts';
import type { ParameterSpec, ScenarioSpec } from '../types.ts';
import { fakePlan, scenario, scenarioSpec } from './fake-scenario.ts';

const duration: ParameterSpec = { type: 'duration', description: '', default: '40s' };

function problemsOf(changes: Partial<ScenarioSpec>): string[] {
  return resolveScenario(scenarioSpec(changes), { suite: 'fake' }).problems.map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );
}

describe('parameters', () => {
  for (const [spec, text, value] of [
    [duration, '1m30s', 90_000],
    [duration, '0', 0],
    [{ ...duration, type: 'ratio' }, '30%', 0.3],
    [{ ...duration, type: 'integer' }, '8', 8],
    [{ ...duration, type: 'boolean' }, 'true', true],
    [{ ...duration, type: 'choice', choices: ['a', 'b'] }, 'b', 'b'],
  ] as const) {
    it(`reads ${spec.type} "${text}" as ${value}`, () => {
      expect(readParameter('x', spec as ParameterSpec, text)).to.equal(value);
    });
  }

  for (const [spec, text] of [
    [duration, '40'],
    [duration, 'soon'],
    [{ ...duration, type: 'integer' }, '1.5'],
    [{ ...duration, type: 'integer' }, ''],
    [{ ...duration, type: 'integer', minimum: 2 }, '1'],
    [{ ...duration, type: 'number', maximum: 2 }, '3'],
    [{ ...duration, type: 'ratio' }, '130%'],
    [{ ...duration, type: 'boolean' }, 'yes'],
    [{ ...duration, type: 'choice', choices: ['a'] }, 'b'],
  ] as const) {
    it(`refuses ${spec.type} "${text}"`, () => {
      expect(() => readParameter('x', spec as ParameterSpec, text)).to.throw(SquallError, /parameter x/);
    });
  }
});

describe('points and grids', () => {
  it('names a point by what varies and what differs from its default, sides last', () => {
    const one = scenario();
    const [point] = expandGrid(one, { description: '', axes: {} }, {});
    expect(pointId(one, point!)).to.equal('cutoff=1,variant=shipped');
    expect(pointId(one, { ...point, outage: 90_000 })).to.equal('cutoff=1,outage=90s,variant=shipped');
    expect(pairedId(one.parameters, point!)).to.equal('cutoff=1,outage=40s');
  });

  it('multiplies axes, replaces an axis by a list, and keeps the single points that agree', () => {
    const grid = {
      description: '',
      axes: { cutoff: [1, 2] },
      points: [
        { cutoff: 8, outage: 1_000 },
        { cutoff: 9, outage: 2_000 },
      ],
    };
    const one = scenario();
    expect(expandGrid(one, grid, {})).to.have.length(4);
    const listed = expandGrid(one, grid, { cutoff: [2, 9] });
    expect(listed.map((point) => [point['cutoff'], point['outage']])).to.deep.equal([
      [2, 40_000],
      [9, 40_000],
      [9, 2_000],
    ]);
  });

  it('takes lists for themselves where they agree with no single point', () => {
    const grid = { description: '', axes: {}, points: [{ cutoff: 8 }] };
    const points = expandGrid(scenario(), grid, { cutoff: [3], outage: [1_000, 2_000] });
    expect(points.map((point) => [point['cutoff'], point['outage']])).to.deep.equal([
      [3, 1_000],
      [3, 2_000],
    ]);
  });

  it('gives complete and distinct points whatever the lists', () => {
    const one = scenario();
    fc.assert(
      fc.property(
        fc.record(
          {
            cutoff: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
            variant: fc.array(fc.constantFrom('shipped', 'both'), { minLength: 1, maxLength: 3 }),
          },
          { requiredKeys: [] },
        ),
        (lists) => {
          const points = expandGrid(one, one.grids['default']!, lists as never);
          const keys = points.map((point) => JSON.stringify(point));
          expect(new Set(keys).size).to.equal(keys.length);
          for (const point of points) {
            expect(Object.keys(point)).to.have.members(['cutoff', 'outage', 'variant']);
          }
        },
      ),
    );
  });
});

describe('templates', () => {
  const { parameters } = scenario();
  const point = { cutoff: 8, outage: 40_000, variant: 'both' };
  it('keeps the type of a value that stands alone, writes durations as texts, and fills in place', () => {
    expect(
      fillTemplate(
        { a: '${cutoff}', b: '${outage}', c: 'pick(${cutoff},member)', d: ['${variant}'] },
        parameters,
        point,
      ),
    ).to.deep.equal({ a: 8, b: '40s', c: 'pick(8,member)', d: ['both'] });
  });
  it('leaves functions alone', () => {
    const run = async () => undefined;
    expect(fillTemplate({ run }, parameters, point).run).to.equal(run);
  });
  it('refuses a placeholder that is no parameter', () => {
    expect(() => fillTemplate('${cutof}', parameters, point)).to.throw(SquallError, /cutof/);
  });
});

describe('resolving a scenario', () => {
  it('turns durations of grids, clauses and expectations into ms', () => {
    const one = scenario({
      grids: { default: { description: '', axes: { outage: ['8s'] }, points: [{ outage: '12s' }] } },
      expect: [{ where: { outage: ['8s'] }, check: 'nobody dies', outcome: 'fail' }],
    });
    expect(one.grids['default']?.axes['outage']).to.deep.equal([8_000]);
    expect(one.grids['default']?.points).to.deep.equal([{ outage: 12_000 }]);
    expect(one.expect?.[0]?.where).to.deep.equal({ outage: [8_000] });
  });

  it('reports every problem, and what was meant', () => {
    const problems = problemsOf({
      name: 'Bad Name',
      defaultGrid: 'defalt',
      grids: { default: { description: '', axes: { cutof: [1], variant: ['shiped'], outage: [] } } },
      expect: [{ where: {}, check: 'nobody dyes', outcome: 'fail' }],
      phases: [
        {
          name: 'fault',
          steps: [
            { fault: { kind: 'hodl' as never, on: 'member' } },
            { fault: { kind: 'hold' } },
            { wait: 'soon' },
            { lift: 'nothing' },
            {} as never,
            { wait: '${outge}' },
          ],
        },
      ],
    });
    const text = problems.join('\n');
    for (const expected of [
      'name: "Bad Name"',
      'did you mean "default"',
      'did you mean "cutoff"',
      'one of shipped, both',
      'the axis has no value',
      'did you mean "nobody dies"',
      'did you mean "hold"',
      'no target',
      'duration "soon"',
      'no fault "nothing"',
      'found none',
      '${outge} is no parameter; did you mean "outage"',
    ]) {
      expect(text).to.include(expected);
    }
  });

  it('refuses a parameter that is called like an option of the command line', () => {
    const { parameters } = scenarioSpec();
    for (const name of ['seed', 'parallelBeds', 'trials']) {
      const problems = problemsOf({
        parameters: { ...parameters, [name]: { type: 'integer', description: '', default: 1 } },
      });
      expect(problems.join('\n'), name).to.include('an option of the command line itself');
    }
  });

  it('refuses a scenario without checks or phases', () => {
    expect(problemsOf({ checks: [], phases: [] }).join('\n'))
      .to.include('nothing could ever fail')
      .and.include('nothing would happen');
  });

  it('adds the checks that every scenario is judged by', () => {
    expect(scenario().checks.map((check) => check.title)).to.include.members([
      'everything awaited came in time',
      'no node ended by itself',
    ]);
  });
});

describe('scenario files', () => {
  const text = `
name: small
description: a small one
topology: memberlist-16
parameters:
  outage: {type: duration, description: how long, default: 6s}
phases:
  - name: fault
    steps:
      - fault: {kind: hold, on: member, for: '\${outage}', udp: hold}
checks:
  - {check: no-event, title: none, kind: invariant, parameters: {event: x}}
`;

  it('are read with their defaults', () => {
    const one = parseScenario(text, 'small.scenario.yaml', { suite: 'fake' });
    expect(one.defaultGrid).to.equal('default');
    expect(one.trials).to.equal(1);
    expect(one.bed).to.equal('reuse');
  });

  const compared = (parameter: string, candidate: string) => `${text}
measures: [{name: lateS, title: Late, unit: s}]
comparisons:
  - title: shorter outages
    parameter: ${parameter}
    baseline: 6s
    candidate: ${candidate}
    primary: {measure: lateS, better: lower, margin: 0.5}
aggregates:
  - {title: Worst, op: max, measure: lateS, where: {outage: [6s, 1m]}, unit: s}
`;

  it('may compare two sides and sum up over points, in the values of their parameters', () => {
    const one = parseScenario(compared('outage', '1m'), 'small.scenario.yaml', { suite: 'fake' });
    expect(one.comparisons?.[0]).to.include({ parameter: 'outage', baseline: 6_000, candidate: 60_000 });
    expect(one.aggregates?.[0]?.where).to.deep.equal({ outage: [6_000, 60_000] });
  });

  it('name a side that cannot be, and a parameter that there is not', () => {
    const read = (yaml: string) => () => parseScenario(yaml, 'small.scenario.yaml', { suite: 'fake' });
    expect(read(compared('outage', 'soon'))).to.throw(SquallError, /comparisons\[0\]\.candidate/);
    expect(read(compared('outtage', '1m'))).to.throw(
      SquallError,
      /comparisons\[0\]\.parameter.*did you mean "outage"/,
    );
  });

  it('name a bound on the rank test where the sides are not to be the same', () => {
    const read = (better: string) => () =>
      parseScenario(
        compared('outage', '1m').replace('better: lower,', `better: ${better}, rankBelow: 0.01,`),
        'small.scenario.yaml',
        { suite: 'fake' },
      );
    expect(read('lower')).to.throw(SquallError, /comparisons\[0\]\.primary\.rankBelow.*better: same/);
    expect(read('same')).not.to.throw();
  });

  it('may compare two speeds that the scenario allows', () => {
    const at = (candidate: string, ceiling: string) =>
      `${compared('warp', candidate).replace('baseline: 6s', 'baseline: 1')}
warp: {ceiling: ${ceiling}, control: small at warp 1}
`;
    const read = (yaml: string) => parseScenario(yaml, 'small.scenario.yaml', { suite: 'fake' });
    expect(read(at('4', '4')).comparisons?.[0]).to.include({ parameter: 'warp', baseline: 1, candidate: 4 });
    expect(() => read(at('8', '4'))).to.throw(SquallError, /comparisons\[0\]\.candidate/);
  });

  const gated = (shown: string) => `${text}
gate: {point: {outage: 1m}, defect: the leak, power: {shown: ${shown}, trials: 55}}
`;

  it('may say how often a gate was seen to fail, at a point in the values of its parameters', () => {
    const one = parseScenario(gated('54'), 'small.scenario.yaml', { suite: 'fake' });
    expect(one.gate).to.deep.equal({
      point: { outage: 60_000 },
      defect: 'the leak',
      power: { shown: 54, trials: 55 },
    });
  });

  for (const shown of ['56', '-1', '5.5']) {
    it(`refuse a gate that was seen to fail in ${shown} of 55 trials`, () => {
      expect(() => parseScenario(gated(shown), 'small.scenario.yaml', { suite: 'fake' })).to.throw(
        SquallError,
        /gate\.power/,
      );
    });
  }

  it('report all problems with line and column, and start nothing', () => {
    const broken = text
      .replace('description: a small one', 'descripton: a small one')
      .replace('kind: hold', 'kind: hodl')
      .replace('default: 6s', 'default: soon');
    let error: unknown;
    try {
      parseScenario(broken, 'small.scenario.yaml', { suite: 'fake' });
    } catch (caught) {
      error = caught;
    }
    expect(error).to.be.instanceOf(SquallError);
    const { message, blame } = error as SquallError;
    expect(blame).to.equal('input');
    expect(message).to.match(/small\.scenario\.yaml:3:1 descripton: .*did you mean "description"/);
    expect(message).to.match(/small\.scenario\.yaml:10:\d+ .*"hodl".*did you mean "hold"/);
    expect(message).to.match(/small\.scenario\.yaml:6:\d+ parameters\.outage/);
  });

  it('refuse a number for a duration, which could be either unit', () => {
    const broken = text.replace('default: 6s', 'default: 6');
    expect(() => parseScenario(broken, 'f.yaml', { suite: 'fake' })).to.throw(
      SquallError,
      /"6" does not fit; expected a duration such as/,
    );
  });

  it('have a JSON Schema', () => {
    const schema = scenarioSchema() as { properties: Record<string, unknown>; additionalProperties: unknown };
    expect(schema.properties).to.include.keys('name', 'phases', 'checks', 'grids');
    expect(schema.additionalProperties).to.equal(false);
  });
});

describe('planning', () => {
  it('orders trials so that every point comes once before any comes twice, variants side by side, in turns first', () => {
    const plan = fakePlan([{ scenario: scenario({ trials: 3 }) }]);
    const names = plan.trials.map((trial) => `${trial.slot} ${trial.point.pointId}`);
    expect(names.slice(0, 5)).to.deep.equal([
      '1 cutoff=1,variant=shipped',
      '1 cutoff=1,variant=both',
      '1 cutoff=2,variant=shipped',
      '1 cutoff=2,variant=both',
      '2 cutoff=1,variant=both',
    ]);
  });

  it('derives the same seeds from the same run seed, and others from another', () => {
    const seeds = (seed: string) =>
      fakePlan([{ scenario: scenario() }], { seed }).trials.map((trial) => trial.seed);
    expect(seeds('7')).to.deep.equal(seeds('7'));
    expect(seeds('7')).to.not.deep.equal(seeds('8'));
  });

  it('begins point ids with the scenario where there are several', () => {
    const plan = fakePlan([{ scenario: scenario() }, { scenario: scenario({ name: 'other' }) }]);
    const ids = plan.points.map((point) => point.pointId);
    expect(ids).to.include('outage,cutoff=1,variant=shipped').and.include('other,cutoff=1,variant=both');
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('keeps points that match a pattern, and refuses to plan nothing', () => {
    const plan = fakePlan([{ scenario: scenario(), grep: /cutoff=2/ }]);
    expect(plan.points).to.have.length(2);
    expect(() => fakePlan([{ scenario: scenario(), grep: /nothing/ }])).to.throw(
      SquallError,
      /no point is left/,
    );
  });

  it('refuses a warp above the ceiling of the scenario, or without a control', () => {
    expect(() => fakePlan([{ scenario: scenario() }], { warp: 2 })).to.throw(
      SquallError,
      /no control at warp 1/,
    );
    const warped = scenario({ warp: { ceiling: 4, control: 'the same at warp 1' } });
    expect(() => fakePlan([{ scenario: warped }], { warp: 8 })).to.throw(SquallError, /up to 4/);
    expect(fakePlan([{ scenario: warped }], { warp: 4 }).record.warp).to.equal(4);
  });

  it('refuses no warp of a scenario of which no point is left', () => {
    const warped = scenario({ name: 'warped', warp: { ceiling: 8, control: 'itself at warp 1' } });
    const selections = [warped, scenario({ name: 'slow' })].map((one) => ({
      scenario: one,
      grep: /^warped/,
    }));
    const plan = fakePlan(selections, { warp: 8 });
    expect([...new Set(plan.points.map((point) => point.scenario.name))]).to.deep.equal(['warped']);
  });

  it('lets points share a bed that differ in what a reset can change, and no others', () => {
    const sized = scenario({
      parameters: {
        ...scenarioSpec().parameters,
        size: { type: 'integer', description: '', default: 4 },
      },
      overrides: { counts: { member: '${size}' as never } },
      grids: { default: { description: '', axes: { size: [4, 5], variant: ['shipped', 'both'] } } },
    });
    const shapes = fakePlan([{ scenario: sized }]).points.map((point) => point.shape);
    // The size varies fastest: it is declared last.
    expect(shapes[0]).to.equal(shapes[2]);
    expect(shapes[0]).to.not.equal(shapes[1]);
  });
});

describe('the timeline of faults', () => {
  it('books every instant up to the first step that waits for something else than time', () => {
    const instants = timelineFrom(
      [
        { fault: { kind: 'hold', on: 'member', for: '10s' }, background: true },
        { wait: '5s' },
        { fault: { kind: 'hold', on: 'member', for: '10s' } },
        { wait: '4s' },
        { fault: { kind: 'drop', id: 'd', on: 'member' } },
        { lift: 'd' },
        { until: { event: 'x' }, within: '1s' },
        { fault: { kind: 'hold', on: 'member', for: '10s' } },
      ],
      1,
    );
    expect(instants.map(({ atMs }) => atMs)).to.deep.equal([0, 10_000, 5_000, 15_000, 19_000, 19_000]);
  });

  it('is divided by the warp', () => {
    const instants = timelineFrom([{ fault: { kind: 'hold', on: 'member', for: '40s' } }], 4);
    expect(instants.map(({ atMs }) => atMs)).to.deep.equal([0, 10_000]);
  });
});
