import { expect } from 'chai';
import type { CheckSpec, TrialRecord } from '../../record/index.ts';
import { sampleTrial } from '../../record/test/sample-record.ts';
import { createDecider } from '../index.ts';

const noDeath: CheckSpec = {
  check: 'measure-bound',
  title: 'no death',
  kind: 'invariant',
  parameters: { measure: 'deaths', op: '=', value: 0 },
};
const fast: CheckSpec = {
  check: 'measure-bound',
  title: 'fast',
  kind: 'estimate',
  parameters: { measure: 'seconds', op: '<=', value: 15 },
};
const guard: CheckSpec = { check: 'bed-clean', title: 'clean', kind: 'guard', parameters: {} };

const trials = (deaths: readonly number[], seconds = 12): TrialRecord[] =>
  deaths.map((count, index) =>
    sampleTrial({ trial: index + 1, measures: { deaths: count, seconds: seconds + (index % 3) * 0.1 } }),
  );

describe('deciding whether more trials are needed', () => {
  it('runs an unbroken invariant to its plan', () => {
    const decide = createDecider({ point: {}, checks: [noDeath, guard], planned: 10 });
    expect(decide(trials([0, 0, 0, 0, 0])).action).to.equal('continue');
    expect(decide(trials([0, 0, 0, 0, 0, 0, 0, 0, 0, 0])).action).to.equal('stop');
  });

  it('stops when an invariant is broken, but not before a few trials', () => {
    const decide = createDecider({ point: {}, checks: [noDeath], planned: 10 });
    expect(decide(trials([5])).action).to.equal('continue');
    expect(decide(trials([5, 0, 0]))).to.deep.equal({
      action: 'stop',
      why: '"no death" has failed after 3 of 10 trials',
    });
  });

  it('never stops a plan of three early', () => {
    const decide = createDecider({ point: {}, checks: [noDeath], planned: 3 });
    expect(decide(trials([5, 5])).action).to.equal('continue');
  });

  describe('where trials are planned until a measure is known well enough', () => {
    const enough = { measure: 'deaths', from: 3, halfWidth: 5, halfWidthRatio: 0.5 };
    const decide = createDecider({ point: {}, checks: [guard], enough, planned: 6 });

    it('stops once the interval of its mean is narrow, by its own unit or as a share of the mean', () => {
      expect(decide(trials([10, 10])).action).to.equal('continue');
      expect(decide(trials([0, 0, 0])).action).to.equal('stop');
      expect(decide(trials([2, 3, 4])).action).to.equal('stop');
      expect(decide(trials([100, 110, 120]))).to.deep.equal({
        action: 'stop',
        why: 'deaths is known well enough after 3 trials',
      });
    });

    it('goes on while it is wide, to the end of the plan', () => {
      expect(decide(trials([8, 83, 151])).action).to.equal('continue');
      expect(decide(trials([8, 83, 151, 31, 104, 57])).action).to.equal('stop');
    });

    it('goes on though a check is clear, but not when one has failed', () => {
      const checks = [noDeath];
      const expectations = [{ where: {}, check: 'no death', outcome: 'fail' as const }];
      const wide = trials([8, 83, 151]);
      expect(createDecider({ point: {}, checks, expectations, enough, planned: 6 })(wide).action).to.equal(
        'continue',
      );
      expect(createDecider({ point: {}, checks, enough, planned: 6 })(wide).action).to.equal('stop');
    });
  });

  it('goes on when what failed is expected to and something else is open', () => {
    const expectations = [{ where: {}, check: 'no death', outcome: 'fail' as const }];
    const decide = createDecider({
      point: {},
      checks: [
        noDeath,
        { ...noDeath, title: 'other', parameters: { measure: 'seconds', op: '<', value: 99 } },
      ],
      expectations,
      planned: 10,
    });
    expect(decide(trials([5, 5, 5, 5])).action).to.equal('continue');
  });

  it('stops an estimate once its interval is clear at the level of one look of many', () => {
    const decide = createDecider({ point: {}, checks: [fast], planned: 30 });
    expect(decide(trials([0, 0, 0, 0, 0, 0, 0, 0])).action).to.equal('stop');
    expect(decide(trials([0, 0, 0, 0, 0, 0, 0, 0], 14.9)).action).to.equal('continue');
  });

  it('does not count voids and unproven trials', () => {
    const decide = createDecider({ point: {}, checks: [noDeath], planned: 4 });
    const voids = trials([5, 5, 5, 5, 5]).map((trial) => ({ ...trial, outcome: 'void' as const }));
    expect(decide(voids).action).to.equal('continue');
  });

  it('runs a point that only guards watch to its plan', () => {
    const decide = createDecider({ point: {}, checks: [guard], planned: 10 });
    expect(decide(trials([5, 5, 5, 5, 5])).action).to.equal('continue');
  });

  it('leaves what needs events to the judge', () => {
    const where: CheckSpec = {
      check: 'no-event',
      title: 'none',
      kind: 'invariant',
      parameters: { event: 'x', where: { a: 1 } },
    };
    const decide = createDecider({ point: {}, checks: [where], planned: 5 });
    expect(decide(trials([0, 0, 0, 0])).action).to.equal('continue');
  });
});
