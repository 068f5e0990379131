import { expect } from 'chai';
import type { ComparedTrial } from '../../check/index.ts';
import type { ComparisonSpec, MeasureValue } from '../../record/index.ts';
import { compareScenario, compareSides } from '../index.ts';

const spec: ComparisonSpec = {
  title: 'release against candidate',
  parameter: 'version',
  baseline: 'release',
  candidate: 'next',
  primary: { measure: 'recoveryS', better: 'lower', margin: 2 },
  secondary: [
    { measure: 'requests', better: 'lower', margin: 100 },
    { measure: 'bytes', better: 'lower', margin: 100 },
  ],
  noLoss: ['lost'],
};

const scenario = {
  suite: 'synthetic',
  scenario: 'join',
  measures: [{ name: 'recoveryS', title: 'Recovery', unit: 's' }],
};

function side(
  version: string,
  recoveries: readonly (number | null)[],
  changes: { readonly lost?: MeasureValue; readonly wave?: number; readonly seed?: string } = {},
): ComparedTrial[] {
  const point = { version, wave: changes.wave ?? 4 };
  return recoveries.map((recoveryS, index) => ({
    point,
    pointId: `version=${version}`,
    trial: index + 1,
    seed: `${changes.seed ?? 'seed'}/${point.wave}/${index}`,
    outcome: 'completed',
    counted: true,
    measures: {
      recoveryS,
      lost: changes.lost === undefined ? 0 : changes.lost,
      requests: 1_000 + index,
      bytes: 5 * index,
      watchedS: 240,
    },
  }));
}

const spread = (centre: number): number[] => [-2, -1, -0.5, 0, 0.5, 1, 2].map((away) => centre + away);
const voided = (trials: readonly ComparedTrial[]): ComparedTrial[] =>
  trials.map((one) => ({ ...one, outcome: 'void', counted: false, trial: one.trial + 50 }));

describe('comparing two sides', () => {
  it('calls a candidate better whose interval lies wholly below zero', () => {
    const result = compareSides(spec, scenario, [
      ...side('release', spread(20)),
      ...side('next', spread(12)),
    ]);
    expect(result).to.include({ verdict: 'pass', outcome: 'better' });
    expect(result.metrics[0]).to.include({ effect: -8, baselineEstimate: 20, candidateEstimate: 12 });
    expect(result.metrics[0]?.pValue).to.be.below(0.01);
    expect(result.sentence).to.contain('next is better than release: Recovery is 8 s lower');
  });

  describe('with a measure of which there may not be more', () => {
    const guarded: ComparisonSpec = {
      ...spec,
      noMore: [{ measure: 'missing', better: 'lower', margin: 2 }],
    };
    const missing = (version: string, values: readonly number[], centre = 20) =>
      side(version, spread(centre)).map((one, index) => ({
        ...one,
        measures: { ...one.measures, missing: values[index % values.length] ?? 0 },
      }));
    const release = missing('release', [28, 33, 25, 30, 31]);

    it('does not hold against a candidate what the release has of it too', () => {
      const result = compareSides(guarded, scenario, [
        ...release,
        ...missing('next', [29, 32, 26, 30, 30], 12),
      ]);
      expect(result).to.include({ verdict: 'pass', outcome: 'better' });
      expect(result.metrics.map(({ measure, role }) => `${measure} ${role}`)).to.include.members([
        'recoveryS primary',
        'missing guard',
        'requests secondary',
      ]);
    });

    it('fails a candidate that has more of it, however much better it is', () => {
      const result = compareSides(guarded, scenario, [
        ...release,
        ...missing('next', [40, 44, 39, 41, 42], 12),
      ]);
      expect(result).to.include({ verdict: 'fail', outcome: 'worse' });
      expect(result.sentence).to.contain('missing is');
    });

    it('withholds the answer while more was seen than the margin and it may be chance', () => {
      const result = compareSides(guarded, scenario, [
        ...release,
        ...missing('next', [0, 90, 20, 60, 30], 12),
      ]);
      expect(result).to.include({ verdict: 'inconclusive', outcome: 'unclear' });
    });

    it('does not wait for an interval where no more was seen than the margin allows', () => {
      const wide = missing('next', [0, 60, 10, 50, 26], 12);
      const result = compareSides(guarded, scenario, [...release, ...wide]);
      expect(result.metrics[1]).to.include({ outcome: 'unclear' });
      expect(result).to.include({ verdict: 'pass', outcome: 'better' });
      const none = [...missing('release', [0]), ...missing('next', [0], 12)];
      expect(
        compareSides(
          guarded,
          scenario,
          none.filter(({ trial }) => trial <= 5),
        ),
      ).to.include({
        verdict: 'pass',
        outcome: 'better',
      });
    });

    it('is unclear when a trial does not tell of it, and fails what is worse on the primary measure all the same', () => {
      const untold = side('next', spread(12));
      expect(compareSides(guarded, scenario, [...release, ...untold])).to.include({ outcome: 'unclear' });
      const slow = missing('next', [0, 90, 20, 60, 30], 40);
      expect(compareSides(guarded, scenario, [...release, ...slow])).to.include({ outcome: 'worse' });
    });
  });

  it('calls a candidate no worse that stays short of the margin', () => {
    const result = compareSides(spec, scenario, [
      ...side('release', spread(20)),
      ...side('next', spread(20.2)),
    ]);
    expect(result).to.include({ verdict: 'pass', outcome: 'no worse' });
  });

  it('calls a candidate worse that is beyond the margin for sure', () => {
    const result = compareSides(spec, scenario, [
      ...side('release', spread(20)),
      ...side('next', spread(30)),
    ]);
    expect(result).to.include({ verdict: 'fail', outcome: 'worse' });
  });

  it('is unclear, and so inconclusive, about few or wide trials', () => {
    const few = compareSides(spec, scenario, [...side('release', [20]), ...side('next', [12])]);
    expect(few).to.include({ verdict: 'inconclusive', outcome: 'unclear' });
    const wide = compareSides(spec, scenario, [
      ...side('release', [1, 20, 60]),
      ...side('next', [2, 25, 50]),
    ]);
    expect(wide.verdict).to.equal('inconclusive');
  });

  it('turns the direction for a measure that is better when higher', () => {
    const higher = { ...spec, primary: { ...spec.primary, better: 'higher' as const } };
    const trials = [...side('release', spread(20)), ...side('next', spread(30))];
    expect(compareSides(higher, scenario, trials).outcome).to.equal('better');
  });

  for (const [centre, outcome, verdict] of [
    [20.2, 'agrees', 'pass'],
    [19.8, 'agrees', 'pass'],
    [30, 'differs', 'fail'],
    [10, 'differs', 'fail'],
    [21.5, 'unclear', 'inconclusive'],
  ] as const) {
    it(`says that sides which are to be the same ${outcome} when one is at ${centre} and the other at 20`, () => {
      const same = { ...spec, primary: { ...spec.primary, better: 'same' as const } };
      const trials = [...side('release', spread(20)), ...side('next', spread(centre))];
      expect(compareSides(same, scenario, trials)).to.include({ outcome, verdict });
    });
  }

  it('lets one loss decide, whatever the measures say', () => {
    const trials = [...side('release', spread(20)), ...side('next', spread(5), { lost: 1 })];
    const result = compareSides(spec, scenario, trials);
    expect(result).to.include({ verdict: 'fail', outcome: 'worse' });
    expect(result.losses).to.have.length(7);
  });

  it('does not take silence about losses for none', () => {
    const trials = [...side('release', spread(20)), ...side('next', spread(5), { lost: null })];
    expect(compareSides(spec, scenario, trials).verdict).to.equal('inconclusive');
  });

  it('is inconclusive when the host spoiled one side much more than the other', () => {
    const next = side('next', spread(12));
    const trials = [...side('release', spread(20)), ...next, ...voided(next.slice(0, 3))];
    const result = compareSides(spec, scenario, trials);
    expect(result.verdict).to.equal('inconclusive');
    expect(result.voids).to.deep.equal({ baseline: 0, candidate: 3, unequal: true });
  });

  it('does not compare sides that ran on different seeds', () => {
    const trials = [...side('release', spread(20)), ...side('next', spread(12), { seed: 'other' })];
    expect(compareSides(spec, scenario, trials).verdict).to.equal('inconclusive');
  });

  it('does not average what was never seen', () => {
    const trials = [...side('release', spread(20)), ...side('next', [...spread(12), null])];
    const result = compareSides(spec, scenario, trials);
    expect(result.verdict).to.equal('inconclusive');
    expect(result.sentence).to.contain('did not see it happen');
  });

  describe('of which some did not see it happen while they were watched', () => {
    const watched: ComparisonSpec = { ...spec, primary: { ...spec.primary, openAs: 'watchedS' } };
    const never = Array.from({ length: 7 }, () => null);
    const cases: readonly (readonly [
      what: string,
      release: readonly (number | null)[],
      next: readonly (number | null)[],
      outcome: string,
    ])[] = [
      ['a candidate that never ends, of a baseline that does', spread(20), never, 'worse'],
      ['a baseline that never ends, of a candidate that does', never, spread(20), 'better'],
      ['two sides that never end', never, never, 'unclear'],
      ['one bad trial of the baseline', [...spread(20), null], [...spread(2), 2], 'unclear'],
      [
        'a bad trial in two of the baseline',
        [...spread(20), ...never],
        [...spread(2), ...spread(2)],
        'better',
      ],
      ['a bad trial in two on both sides', [...spread(20), ...never], [...spread(2), ...never], 'unclear'],
      [
        'a candidate that is slower for sure, with one bad baseline',
        [...spread(20), null],
        [...spread(200), 200],
        'worse',
      ],
    ];
    for (const [what, release, next, outcome] of cases) {
      it(`is ${outcome} about ${what}`, () => {
        const result = compareSides(watched, scenario, [...side('release', release), ...side('next', next)]);
        expect(result.outcome).to.equal(outcome);
        const open = (values: readonly (number | null)[]) => values.filter((one) => one === null).length;
        expect(result.metrics[0]).to.include({ baselineOpen: open(release), candidateOpen: open(next) });
        expect(result.sentence).to.include(`${open(next)} and ${open(release)} of them not seen to end`);
      });
    }

    it('is not led astray by one bad trial of the baseline when medians are compared', () => {
      const median = { ...watched, primary: { ...watched.primary, statistic: 'median' as const } };
      const trials = [...side('release', [...spread(20), null]), ...side('next', [...spread(18), 18])];
      expect(compareSides(median, scenario, trials).outcome).to.be.oneOf(['better', 'no worse']);
    });

    it('ranks none behind them that ended after all', () => {
      const trials = [...side('release', [100, 110, 90, 105, 95, 300, 100]), ...side('next', never)];
      const [primary] = compareSides(watched, scenario, trials).metrics;
      expect(primary?.baselineEstimate).to.equal((600 + 240) / 7);
      expect(primary).to.include({ candidateEstimate: 240, outcome: 'worse' });
    });

    it('stays unclear when it is not known how long they were watched', () => {
      const trials = [...side('release', spread(20)), ...side('next', never)].map((one) => ({
        ...one,
        measures: { ...one.measures, watchedS: null },
      }));
      expect(compareSides(watched, scenario, trials).outcome).to.equal('unclear');
    });
  });

  it('compares within conditions, so that a hard one does not hide the difference', () => {
    const trials = [
      ...side('release', spread(10), { wave: 1 }),
      ...side('next', spread(6), { wave: 1 }),
      ...side('release', spread(100), { wave: 8 }),
      ...side('next', spread(96), { wave: 8 }),
    ];
    const result = compareSides(spec, scenario, trials);
    expect(result.outcome).to.equal('better');
    expect(result.metrics[0]?.effect).to.be.closeTo(-4, 1e-9);
    expect(result.metrics[0]?.pValue).to.be.below(0.01);
  });

  it('adjusts secondary measures after Holm and lets none of them decide', () => {
    const trials = [...side('release', spread(20)), ...side('next', spread(20.2))];
    const [, requests] = compareSides(spec, scenario, trials).metrics;
    expect(requests?.role).to.equal('secondary');
    expect(requests?.adjustedPValue).to.be.at.least(requests?.pValue ?? 1);
  });
});

describe('secondary measures', () => {
  /** Ten measures a trial: the first differs by so much, the others not at all. */
  const names = Array.from({ length: 10 }, (_, index) => `m${index}`);
  const many = (better: 'lower' | 'higher' | 'same'): ComparisonSpec => ({
    ...spec,
    secondary: names.map((measure) => ({ measure, better, margin: 1 })),
  });
  const trials = (size: number, away: number) =>
    (['release', 'next'] as const).flatMap((version) =>
      side(
        version,
        Array.from({ length: size }, (_, index) => 20 + (index % 3)),
      ).map((one, index) => ({
        ...one,
        measures: {
          ...one.measures,
          ...Object.fromEntries(
            names.map((name, place) => [name, index + (version === 'next' && place === 0 ? away : 0)]),
          ),
        },
      })),
    );

  for (const [away, better, alone, among] of [
    [20, 'lower', 'worse', 'unclear'],
    [-20, 'lower', 'better', 'no worse'],
    [-20, 'higher', 'worse', 'unclear'],
    [20, 'same', 'differs', 'unclear'],
  ] as const) {
    it(`of few trials call ${away} ${alone} by itself and ${among} among ten, and ${alone} again of more`, () => {
      const [, first] = compareSides(
        { ...many(better), secondary: many(better).secondary!.slice(0, 1) },
        scenario,
        trials(5, away),
      ).metrics;
      expect(first).to.include({ outcome: alone });
      const result = compareSides(many(better), scenario, trials(5, away));
      const [, ofMany, other] = result.metrics;
      expect(ofMany).to.include({ outcome: among });
      expect(ofMany?.adjustedPValue).to.be.above(0.05);
      expect(ofMany?.sentence).to.include(`By itself it would be called ${alone}`);
      expect(other?.sentence).not.to.include('By itself');
      const [, ofMore] = compareSides(many(better), scenario, trials(9, away)).metrics;
      expect(ofMore).to.include({ outcome: alone });
    });
  }
});

describe('sides that are to be the same', () => {
  const same: ComparisonSpec = {
    ...spec,
    primary: { measure: 'recoveryS', better: 'same', margin: 4, rankBelow: 0.01 },
    secondary: [],
  };

  it('agree within the margin', () => {
    const result = compareSides(same, scenario, [
      ...side('release', spread(20)),
      ...side('next', spread(20.2)),
    ]);
    expect(result).to.include({ verdict: 'pass', outcome: 'agrees' });
  });

  it('do not agree where the rank test tells them apart, however near their means', () => {
    const apart = [20, 20.1, 20.2, 20.3, 20.4, 20.5, 20.6];
    const shifted = [
      ...side('release', apart),
      ...side(
        'next',
        apart.map((value) => value + 1),
      ),
    ];
    const result = compareSides(same, scenario, shifted);
    expect(result).to.include({ verdict: 'inconclusive', outcome: 'unclear' });
    expect(result.sentence).to.match(/The means lie within .* rank test tells the sides apart/);
    const medians = { ...same, primary: { ...same.primary, statistic: 'median' as const } };
    expect(compareSides(medians, scenario, shifted).sentence).to.include('The medians lie within');
    const { rankBelow: _none, ...primary } = same.primary;
    expect(compareSides({ ...same, primary }, scenario, shifted).verdict).to.equal('pass');
  });
});

describe('a comparison of speeds', () => {
  const speeds: ComparisonSpec = {
    title: 'speeds',
    parameter: 'warp',
    baseline: 1,
    candidate: 4,
    primary: { measure: 'recoveryS', better: 'same', margin: 4 },
  };
  const at = (warps: readonly number[], size = 8) => {
    const points = warps.map((warp) => ({ point: { size, warp } }));
    const trials = points.flatMap(({ point }) => side('-', spread(20)).map((one) => ({ ...one, point })));
    return { points, trials };
  };
  const judged = (comparison: ComparisonSpec, { points, trials }: ReturnType<typeof at>) =>
    compareScenario({ ...scenario, points, comparisons: [comparison] } as never, trials);

  it('is judged in a run that has both, by name', () => {
    const { comparisons } = judged(speeds, at([1, 4]));
    expect(comparisons[0]).to.include({ verdict: 'pass', baseline: 'warp 1', candidate: 'warp 4' });
  });

  it('is left out of a run that has one, and of one that has none of its place', () => {
    expect(judged(speeds, at([1]))).to.deep.equal({
      comparisons: [],
      notes: ['join: "speeds" was not compared; the run has no points of both warp 1 and warp 4'],
    });
    const elsewhere = judged({ ...speeds, where: { size: 16 } }, at([1, 4]));
    expect(elsewhere.comparisons).to.deep.equal([]);
    expect(elsewhere.notes[0]).to.match(/both warp 1 and warp 4 where size=16$/);
    expect(judged({ ...speeds, where: { size: 8 } }, at([1, 4])).comparisons).to.have.lengthOf(1);
  });
});

describe('comparisons that a run was not planned for', () => {
  const of = (wave: number): ComparisonSpec => ({ ...spec, title: `wave ${wave}`, where: { wave } });
  const judged = (versions: readonly string[], wave: number) => {
    const points = versions.map((version) => ({ point: { version, wave } }));
    const trials = versions.flatMap((version) => side(version, spread(20), { wave }));
    return compareScenario({ ...scenario, points, comparisons: [of(4), of(8)] } as never, trials);
  };

  it('are noted one by one beside those that were judged', () => {
    const { comparisons, notes } = judged(['release', 'next'], 4);
    expect(comparisons.map(({ title, verdict }) => [title, verdict])).to.deep.equal([['wave 4', 'pass']]);
    expect(notes).to.deep.equal([
      'join: "wave 8" was not compared; the run has no points of both release and next where wave=8',
    ]);
  });

  it('leave their scenario inconclusive when they are all that it has', () => {
    const { comparisons, notes } = judged(['release'], 4);
    expect(comparisons.map(({ verdict }) => verdict)).to.deep.equal(['inconclusive', 'inconclusive']);
    expect(notes).to.deep.equal([]);
  });
});
