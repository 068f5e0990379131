import { expect } from 'chai';
import type { CheckResult, MeasureValue } from '../../record/index.ts';
import { sampleTrial } from '../../record/test/sample-record.ts';
import { checkProblems, judgePoint } from '../index.ts';

/** Values around a centre that vary by a hundredth of it. */
const around = (centre: number, times = 8): number[] =>
  Array.from({ length: times }, (_, index) => centre * (1 + ((index % 5) - 2) * 0.005));

function judged(
  values: readonly MeasureValue[],
  changes: Readonly<Record<string, unknown>> = {},
  point = { cutoff: 8 },
): CheckResult {
  return judgePoint(
    {
      check: 'baseline-bound',
      title: 'recovery against release',
      kind: 'estimate',
      parameters: {
        measure: 'recovery',
        better: 'lower',
        marginRatio: 0.1,
        baseline: { name: 'release', points: [{ point: { cutoff: 8 }, values: around(100) }] },
        ...changes,
      },
    },
    values.map((value, index) => sampleTrial({ trial: index + 1, measures: { recovery: value } })),
    { point, measures: [{ name: 'recovery', title: 'Recovery', unit: 's' }] },
  );
}

describe('baseline-bound', () => {
  const noisy = [60, 180, 90, 140, 70, 130];
  for (const [says, values, changes, verdict] of [
    ['passes what is the same', around(100), {}, 'pass'],
    ['passes what is worse by less than the margin', around(105), {}, 'pass'],
    ['fails what is worse by more', around(115), {}, 'fail'],
    ['passes what is better', around(50), {}, 'pass'],
    ['is open on the margin', around(110), {}, 'inconclusive'],
    ['is open where the values vary too much to say', noisy, {}, 'inconclusive'],
    ['is open about one trial', [100], {}, 'inconclusive'],
    ['is open about a trial that did not see it', [...around(50), null], {}, 'inconclusive'],
    ['turns round where higher is better', around(85), { better: 'higher' }, 'fail'],
    ['passes less by less than the margin where higher is better', around(95), { better: 'higher' }, 'pass'],
    ['knows a margin in the unit', around(105), { marginRatio: undefined, margin: 3 }, 'fail'],
    ['passes within a margin in the unit', around(101), { marginRatio: undefined, margin: 3 }, 'pass'],
    [
      'takes the mean of a sample in a trial',
      around(100).map((value) => [value - 50, value + 50]),
      {},
      'pass',
    ],
  ] as const) {
    it(says, () => {
      const { rawVerdict, sentence } = judged(values as readonly MeasureValue[], changes);
      expect(rawVerdict, sentence).to.equal(verdict);
    });
  }

  it('says both means, the interval, the trials and what is allowed', () => {
    expect(judged(around(115)).sentence).to.match(
      /^The mean of “Recovery” is 115 s against .* s of the baseline release \(11\d to 11\d % of it, 8 against 8 trials; rank test p.*\): more than the allowed 10 % above it\.$/,
    );
  });

  it('is open at a point that the baseline does not have', () => {
    const { rawVerdict, sentence } = judged(around(100), {}, { cutoff: 9 });
    expect(rawVerdict).to.equal('inconclusive');
    expect(sentence).to.include('has no values of “Recovery” at this point');
  });

  it('multiplies a baseline of another machine, and pays for the doubt about the factor', () => {
    const sure = { scale: { factor: 1.5, low: 1.49, high: 1.51 } };
    expect(judged(around(150), sure).rawVerdict).to.equal('pass');
    expect(judged(around(180), sure).rawVerdict).to.equal('fail');
    expect(judged(around(100)).rawVerdict, 'unscaled').to.equal('pass');
    const unsure = { scale: { factor: 1.5, low: 1.2, high: 1.9 } };
    expect(judged(around(150), unsure).rawVerdict).to.equal('inconclusive');
    expect(judged(around(150), sure).sentence).to.include('rescaled by 1.5 for this machine');
  });

  it('is refused without exactly one margin', () => {
    const spec = (parameters: object) => ({
      check: 'baseline-bound',
      title: 'x',
      kind: 'estimate' as const,
      parameters: { measure: 'm', better: 'lower', baseline: { name: 'b', points: [] }, ...parameters },
    });
    expect(checkProblems(spec({}))).to.have.length(1);
    expect(checkProblems(spec({ margin: 1, marginRatio: 0.1 }))).to.have.length(1);
    expect(checkProblems(spec({ margin: 1 }))).to.deep.equal([]);
  });
});
