import { expect } from 'chai';
import type {
  CheckSpec,
  FaultRecord,
  MeasureValue,
  RecordedEvent,
  TrialRecord,
  Verdict,
} from '../../record/index.ts';
import { sampleTrial } from '../../record/test/sample-record.ts';
import { checkProblems, judgePoint, needsEvents, observeTrial, registerCheck } from '../index.ts';

function spec(
  check: string,
  parameters: CheckSpec['parameters'],
  kind: CheckSpec['kind'] = 'invariant',
): CheckSpec {
  return { check, title: check, kind, parameters };
}

const measured = (
  values: readonly (MeasureValue | undefined)[],
  more: Partial<TrialRecord> = {},
): TrialRecord[] =>
  values.map((value, index) =>
    sampleTrial({ trial: index + 1, measures: value === undefined ? {} : { m: value }, ...more }),
  );

const verdictOf = (
  one: CheckSpec,
  trials: readonly TrialRecord[],
  events: readonly RecordedEvent[] = [],
): Verdict =>
  judgePoint(one, trials, { point: {}, observationOf: (of, trial) => observeTrial(of, trial, events) })
    .verdict;

const same = (value: number, times: number): number[] => Array.from({ length: times }, () => value);
const around = (centre: number, times: number): number[] =>
  Array.from({ length: times }, (_, index) => centre + ((index % 5) - 2) * 0.1);

describe('measure-bound as an invariant', () => {
  for (const [says, op, values, verdict] of [
    ['passes when every trial holds', '<=', [0, 1, 2], 'pass'],
    ['passes exactly on the bound', '<=', [2], 'pass'],
    ['fails on a bound that is excluded', '<', [2], 'fail'],
    ['fails on one violation', '<=', [0, 0, 3], 'fail'],
    [
      'looks at every value of a sample',
      '<=',
      [
        [0, 1],
        [0, 9],
      ],
      'fail',
    ],
    ['looks at every entry of a table', '<=', [{ a: 1, b: 7 }], 'fail'],
    ['knows equality', '=', [2, 2], 'pass'],
    ['knows lower bounds', '>=', [2, 5], 'pass'],
    ['knows lower bounds that are excluded', '>', [2, 5], 'fail'],
    ['is inconclusive about a trial without the measure', '<=', [0, undefined], 'inconclusive'],
    ['is inconclusive about a value that was not seen', '<=', [0, null], 'inconclusive'],
    ['fails on a violation, whatever else was not seen', '<=', [3, null], 'fail'],
    ['is inconclusive about no trial', '<=', [], 'inconclusive'],
    ['is inconclusive about an empty sample', '<=', [[]], 'inconclusive'],
  ] as const) {
    it(says, () => {
      const one = spec('measure-bound', { measure: 'm', op, value: 2 });
      expect(verdictOf(one, measured(values as unknown as MeasureValue[]))).to.equal(verdict);
    });
  }

  it('treats what was not seen as it is told', () => {
    const trials = measured([1, null]);
    for (const [missing, verdict] of [
      ['largest', 'fail'],
      ['smallest', 'pass'],
      ['ignore', 'pass'],
      ['inconclusive', 'inconclusive'],
    ] as const) {
      expect(
        verdictOf(spec('measure-bound', { measure: 'm', op: '<=', value: 2, missing }), trials),
        missing,
      ).to.equal(verdict);
    }
  });

  it('judges one entry of a table by its name', () => {
    const trials = measured([{ a: 1, b: 7 }]);
    expect(verdictOf(spec('measure-bound', { measure: 'm.a', op: '<=', value: 2 }), trials)).to.equal('pass');
    expect(verdictOf(spec('measure-bound', { measure: 'm.b', op: '<=', value: 2 }), trials)).to.equal('fail');
    expect(verdictOf(spec('measure-bound', { measure: 'm.c', op: '<=', value: 2 }), trials)).to.equal(
      'inconclusive',
    );
  });

  it('says in which trials, and prints what a pass excludes', () => {
    const one = spec('measure-bound', { measure: 'm', op: '=', value: 0, unit: 'deaths' });
    const failed = judgePoint(one, measured([0, 4, 11]), { point: {} });
    expect(failed.findings.map(({ trial, observed }) => `${trial}: ${observed}`)).to.deep.equal([
      '2: 4 deaths',
      '3: 11 deaths',
    ]);
    expect(failed).to.include({ estimate: 11 });
    const passed = judgePoint(one, measured(same(0, 59)), { point: {} });
    expect(passed.excludesRate).to.be.closeTo(0.0495, 1e-4);
    expect(passed.sentence).to.contain('59 of 59 trials').and.to.contain('4.95 %');
  });
});

describe('measure-bound as an estimate', () => {
  for (const [says, parameters, values, verdict] of [
    ['passes when the whole interval is within', { op: '<=', value: 15 }, around(12, 12), 'pass'],
    ['fails when the whole interval is outside', { op: '<=', value: 11 }, around(12, 12), 'fail'],
    ['is inconclusive across the bound', { op: '<=', value: 12 }, around(12, 12), 'inconclusive'],
    ['is inconclusive about one value', { op: '<=', value: 15 }, [12], 'inconclusive'],
    ['takes no certainty from a handful of equal values', { op: '<=', value: 15 }, [0, 0, 0], 'inconclusive'],
    ['judges a median', { op: '<=', value: 15, statistic: 'median' }, around(12, 12), 'pass'],
    [
      'knows that five values bound no median',
      { op: '<=', value: 15, statistic: 'median' },
      around(12, 5),
      'inconclusive',
    ],
    ['judges a quantile', { op: '<=', value: 15, statistic: { quantile: 0.9 } }, around(12, 60), 'pass'],
    [
      'counts unseen values as largest in a median',
      { op: '<=', value: 15, statistic: 'median' },
      [...around(12, 10), null],
      'pass',
    ],
    [
      'is not misled by many unseen values',
      { op: '<=', value: 15, statistic: 'median' },
      [...around(12, 6), null, null, null, null, null],
      'inconclusive',
    ],
    ['has no mean of what was not seen', { op: '<=', value: 15 }, [...around(12, 12), null], 'inconclusive'],
    [
      'judges a share by its exact interval',
      { op: '<=', value: 15, statistic: 'share', share: 0.9 },
      same(12, 59),
      'pass',
    ],
    [
      'knows that ten of ten do not show a share of 90 %',
      { op: '<=', value: 15, statistic: 'share', share: 0.9 },
      same(12, 10),
      'inconclusive',
    ],
    [
      'fails a share that cannot be',
      { op: '<=', value: 15, statistic: 'share', share: 0.9 },
      [...same(12, 10), ...same(20, 20)],
      'fail',
    ],
  ] as const) {
    it(says, () => {
      const one = spec('measure-bound', { measure: 'm', ...parameters }, 'estimate');
      expect(verdictOf(one, measured(values as unknown as MeasureValue[]))).to.equal(verdict);
    });
  }

  it('pools the samples of all trials', () => {
    const one = spec('measure-bound', { measure: 'm', op: '<=', value: 15, statistic: 'median' }, 'estimate');
    const result = judgePoint(one, measured([around(12, 4), around(12, 4)]), { point: {} });
    expect(result.sentence).to.contain('8 values');
    expect(result.interval?.method).to.equal('order statistics');
  });
});

describe('event-count and no-event', () => {
  const counted = (byName: Record<string, number> | undefined, lost = 0): TrialRecord[] => [
    sampleTrial({ events: { count: 9, lost, truncated: false, ...(byName ? { byName } : {}) } }),
  ];
  const event = (name: string, node: string, atS: number, fields = {}): RecordedEvent => ({
    node,
    event: name,
    atNs: atS * 1e9,
    fields,
  });
  const events = [event('dead', 'a', 5, { by: 'x' }), event('dead', 'b', 20), event('dead', 'b', 60)];

  it('count by name without reading events', () => {
    const one = spec('event-count', { event: 'dead', op: '<=', value: 2 });
    expect(needsEvents(one, counted({})[0]!)).to.equal(false);
    expect(verdictOf(one, counted({ dead: 2 }))).to.equal('pass');
    expect(verdictOf(one, counted({ dead: 3 }))).to.equal('fail');
    expect(verdictOf(spec('no-event', { event: 'dead' }), counted({}))).to.equal('pass');
    expect(verdictOf(spec('no-event', { event: 'dead' }), counted({ dead: 1 }))).to.equal('fail');
  });

  for (const [says, parameters, verdict] of [
    ['reads events where fields matter', { event: 'dead', where: { by: 'x' }, op: '=', value: 1 }, 'pass'],
    ['reads events where nodes matter', { event: 'dead', nodes: ['b'], op: '=', value: 2 }, 'pass'],
    ['reads events where a phase matters', { event: 'dead', phase: 'recovery', op: '=', value: 1 }, 'pass'],
    [
      'is inconclusive about a phase that there was not',
      { event: 'dead', phase: 'party', op: '=', value: 0 },
      'inconclusive',
    ],
  ] as const) {
    it(says, () => {
      const one = spec('event-count', parameters);
      expect(needsEvents(one, counted({ dead: 3 })[0]!)).to.equal(true);
      expect(verdictOf(one, counted({ dead: 3 }), events)).to.equal(verdict);
    });
  }

  it('does not call an event absent when events were lost', () => {
    expect(verdictOf(spec('no-event', { event: 'dead' }), counted({}, 3))).to.equal('inconclusive');
    expect(verdictOf(spec('no-event', { event: 'dead' }), counted({ dead: 1 }, 3))).to.equal('fail');
  });
});

const fault = (changes: Partial<FaultRecord> = {}): FaultRecord => ({
  id: 'cut',
  kind: 'hold',
  targets: ['member-1'],
  selector: 'member',
  settings: {},
  appliedNs: 11e9,
  liftedNs: 51e9,
  witness: { source: 'agent', counts: { heldIn: 90 } },
  bit: true,
  gone: true,
  problems: [],
  ...changes,
});

describe('recovery-time', () => {
  const trialWith = (value: MeasureValue, changes: Partial<TrialRecord> = {}): TrialRecord[] => [
    sampleTrial({ faults: [fault()], measures: { m: value }, ...changes }),
  ];
  // Watched for 50 s after the fault.
  for (const [says, within, value, verdict] of [
    ['passes within the bound', '30s', 20_000, 'pass'],
    ['fails beyond it', '30s', 31_000, 'fail'],
    ['fails when it never recovered in a watch longer than the bound', '30s', null, 'fail'],
    ['is inconclusive when the watch ended before the bound', '80s', null, 'inconclusive'],
    ['judges each of several', '30s', [1_000, 40_000], 'fail'],
  ] as const) {
    it(says, () => {
      const one = spec('recovery-time', { measure: 'm', within });
      expect(verdictOf(one, trialWith(value as MeasureValue))).to.equal(verdict);
    });
  }

  it('watches for the bound and for the time to be stable', () => {
    const one = spec('recovery-time', { measure: 'm', within: '45s', stableFor: '10s' });
    expect(verdictOf(one, trialWith(null))).to.equal('inconclusive');
  });

  it('takes a warp into account', () => {
    const one = spec('recovery-time', { measure: 'm', within: '80s' });
    expect(verdictOf(one, trialWith(null, { warp: 4 }))).to.equal('fail');
  });

  it('finds the first good and stable moment in the events of all nodes', () => {
    const at = (name: string, node: string, atS: number): RecordedEvent => ({
      node,
      event: name,
      atNs: atS * 1e9,
      fields: {},
    });
    const events = [
      at('good', 'a', 2),
      at('good', 'b', 2),
      at('bad', 'a', 20),
      at('good', 'a', 55),
      at('bad', 'b', 58),
      at('good', 'b', 60),
    ];
    const parameters = { good: { event: 'good' }, bad: { event: 'bad' }, nodes: ['a', 'b'], stableFor: '5s' };
    const trials = [sampleTrial({ faults: [fault()] })];
    expect(
      observeTrial(spec('recovery-time', { ...parameters, within: '20s' }), trials[0]!, events),
    ).to.equal(9_000);
    expect(verdictOf(spec('recovery-time', { ...parameters, within: '20s' }), trials, events)).to.equal(
      'pass',
    );
    expect(verdictOf(spec('recovery-time', { ...parameters, within: '8s' }), trials, events)).to.equal(
      'fail',
    );
  });

  it('judges a median with its interval', () => {
    const trials = around(20_000, 9).flatMap((value) => trialWith(value));
    expect(verdictOf(spec('recovery-time', { measure: 'm', within: '30s' }, 'estimate'), trials)).to.equal(
      'pass',
    );
    expect(verdictOf(spec('recovery-time', { measure: 'm', within: '10s' }, 'estimate'), trials)).to.equal(
      'fail',
    );
    expect(
      verdictOf(spec('recovery-time', { measure: 'm', within: '30s' }, 'estimate'), trials.slice(0, 3)),
    ).to.equal('inconclusive');
  });

  it('refuses a duration without a unit, and neither or both of measure and events', () => {
    for (const parameters of [
      { measure: 'm', within: '30' },
      { within: '30s' },
      { measure: 'm', good: { event: 'x' }, within: '3s' },
    ]) {
      expect(checkProblems(spec('recovery-time', parameters)), JSON.stringify(parameters)).to.have.length(1);
    }
  });
});

describe('guards', () => {
  for (const [says, check, changes, verdict] of [
    ['faults-bit holds when each bit and is gone', 'faults-bit', { faults: [fault()] }, 'pass'],
    [
      'faults-bit doubts a fault that did not act',
      'faults-bit',
      { faults: [fault({ bit: false })] },
      'inconclusive',
    ],
    [
      'faults-bit doubts a fault that is not gone',
      'faults-bit',
      { faults: [fault({ gone: false })] },
      'inconclusive',
    ],
    ['faults-bit has nothing to doubt without faults', 'faults-bit', {}, 'pass'],
    ['bed-clean holds on a clean bed', 'bed-clean', {}, 'pass'],
    ['bed-clean doubts a dirty bed', 'bed-clean', { cleanAfter: false }, 'inconclusive'],
    ['host-quiet holds on a quiet host', 'host-quiet', {}, 'pass'],
    [
      'host-quiet doubts an unwatched host',
      'host-quiet',
      { host: { verdict: 'unknown', measures: [], reasons: [] } },
      'inconclusive',
    ],
    [
      'logs-complete doubts lost events',
      'logs-complete',
      { events: { count: 1, lost: 1, truncated: false } },
      'inconclusive',
    ],
    [
      'logs-complete doubts events that were cut',
      'logs-complete',
      { events: { count: 1, lost: 0, truncated: true } },
      'inconclusive',
    ],
  ] as const) {
    it(says, () => {
      const trials = [sampleTrial(changes as Partial<TrialRecord>)];
      expect(verdictOf(spec(check, {}, 'guard'), trials)).to.equal(verdict);
    });
  }

  it('ask of a witness what they are told to', () => {
    const trials = [sampleTrial({ faults: [fault()] })];
    expect(verdictOf(spec('faults-bit', { atLeast: { hold: { heldIn: 90 } } }, 'guard'), trials)).to.equal(
      'pass',
    );
    expect(verdictOf(spec('faults-bit', { atLeast: { cut: { heldIn: 91 } } }, 'guard'), trials)).to.equal(
      'inconclusive',
    );
  });

  it('tell an expected end of a node from a kill of unknown cause and from want of memory', () => {
    const [node] = sampleTrial().nodes;
    const exit = (code: number, oomKilled: boolean, expected: boolean): string => {
      const trial = sampleTrial({ nodes: [{ ...node!, exit: { code, oomKilled, expected, atNs: 5 } }] });
      const result = judgePoint(spec('bed-clean', {}, 'guard'), [trial], { point: {} });
      return result.findings[0]?.observed ?? 'nothing';
    };
    expect(exit(137, false, true)).to.equal('nothing');
    expect(exit(137, true, false)).to.contain('want of memory');
    expect(exit(137, false, false)).to.contain('cause unknown');
    expect(exit(1, false, false)).to.contain('code 1');
  });
});

describe('published', () => {
  const published = [{ id: 'doc', label: 'the figure', value: 12, unit: 's', quote: 'twelve' }];
  const judge = (parameters: object) =>
    judgePoint(
      spec('published', { id: 'doc', measure: 'm', ...parameters }, 'estimate'),
      measured([14, 16]),
      { point: {}, published },
    );

  it('puts theirs beside ours and fails nothing without a margin', () => {
    expect(judge({})).to.include({ verdict: 'pass', estimate: 15 });
    expect(judge({}).sentence).to.contain('published: 12 s');
  });

  it('holds a margin when it is given one', () => {
    expect(judge({ margin: 3 }).verdict).to.equal('pass');
    expect(judge({ margin: 2 }).verdict).to.equal('fail');
    expect(judge({ marginRatio: 0.25 }).verdict).to.equal('pass');
    expect(judge({ marginRatio: 0.2 }).verdict).to.equal('fail');
  });
});

describe("a suite's own check", () => {
  it('is judged like any other, and its fault is told instead of passed', () => {
    const parameters = { safeParse: () => ({ success: true, data: {} }), parse: () => ({}) } as never;
    registerCheck('built-in-test.throws', {
      parameters,
      judge() {
        throw new Error('oops');
      },
    });
    const problems: string[] = [];
    const result = judgePoint(spec('built-in-test.throws', {}), measured([1]), { point: {} }, ({ error }) =>
      problems.push(error),
    );
    expect(result.verdict).to.equal('inconclusive');
    expect(problems.join()).to.contain('oops');
  });

  it('cannot replace one that is built in', () => {
    expect(() => registerCheck('measure-bound', {} as never)).to.throw('is built in');
  });

  it('is named with the known ones when it is unknown', () => {
    expect(checkProblems(spec('mesure-bound', {})).join()).to.contain('measure-bound');
  });
});
