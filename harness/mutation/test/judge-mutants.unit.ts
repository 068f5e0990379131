import { expect } from 'chai';
import type { CheckResult, PointResult, Verdict } from '../../record/index.ts';
import { classifyMutant, judgeMutants, type MutantTrials, mutationRows, notCovered } from '../index.ts';

function check(rawVerdict: Verdict, changes: Partial<CheckResult> = {}): CheckResult {
  return {
    title: 'no false death',
    check: 'measure-bound',
    kind: 'invariant',
    verdict: rawVerdict,
    rawVerdict,
    sentence: `It is a ${rawVerdict}.`,
    findings: [],
    ...changes,
  };
}

function point(checks: readonly CheckResult[], counted = 5): PointResult {
  return {
    suite: 'synthetic',
    scenario: 'outage',
    point: {},
    pointId: 'p',
    trials: { planned: counted, completed: counted, void: 0, error: 0, aborted: 0, counted },
    measures: {},
    checks,
    published: [],
    verdict: 'pass',
  };
}

function mutant(changes: Partial<MutantTrials>): MutantTrials {
  return {
    mutant: 'no-grace',
    image: 'fake-node',
    fix: 'grace',
    rule: 'switched off',
    suite: 'synthetic',
    scenario: 'outage',
    control: point([check('pass')]),
    mutated: point([check('fail')]),
    ...changes,
  };
}

const guard = (verdict: Verdict): CheckResult =>
  check(verdict, { kind: 'guard', check: 'faults-bit', title: 'bit' });

describe('mutation', () => {
  it('kills a mutant that fails where its fix passes', () => {
    expect(classifyMutant(mutant({}))).to.deep.include({ fate: 'killed', killedBy: ['no false death'] });
  });

  it('kills nothing with a scenario that fails with the fix on as well', () => {
    expect(classifyMutant(mutant({ control: point([check('fail')]) })).fate).to.equal('error');
  });

  it('kills nothing with a scenario that judges nothing', () => {
    expect(classifyMutant(mutant({ control: point([guard('pass')]) })).fate).to.equal('error');
  });

  it('takes no guard for a killer', () => {
    const mutated = point([check('pass'), guard('inconclusive')]);
    expect(classifyMutant(mutant({ mutated })).fate).to.equal('error');
  });

  it('calls a mutant survived only when its trials had the power to show it', () => {
    const passes = (counted: number): PointResult => point([check('pass')], counted);
    expect(classifyMutant(mutant({ mutated: passes(5) }))).to.deep.include({
      fate: 'survived',
      power: 0.96875,
    });
    expect(classifyMutant(mutant({ mutated: passes(3) }))).to.deep.include({
      fate: 'too-rare',
      power: 0.875,
    });
    expect(classifyMutant(mutant({ mutated: passes(3), showRate: 0.99 })).fate).to.equal('survived');
    expect(classifyMutant(mutant({ mutated: passes(30), showRate: 0.01 })).fate).to.equal('too-rare');
  });

  it('prints the power by the rate that was measured, and by a half where none was', () => {
    const three = point([check('pass')], 3);
    const measured = judgeMutants([mutant({ mutated: three, showRate: 0.2 })]);
    expect(mutationRows(measured)[0]?.slice(3, 6)).to.deep.equal(['too rare', '3', '48.8 %']);
    expect(measured.mutants[0]?.sentence).to.include(
      'did not show in 3 trials, which had only a 49 % chance to show a fault that shows in 20 % of trials',
    );
    const assumed = judgeMutants([mutant({ mutated: three })]);
    expect(assumed.mutants[0]?.sentence).to.include('a 88 % chance to show a fault that shows in 50 % of');
  });

  it('calls a mutant that did not run, or of which no trial counts, an error', () => {
    expect(classifyMutant(mutant({ mutated: undefined })).fate).to.equal('error');
    expect(classifyMutant(mutant({ mutated: point([check('inconclusive')], 0) })).fate).to.equal('error');
  });

  it('fails for a survivor, passes with one too rare, and never passes on nothing', () => {
    const survivor = mutant({ mutated: point([check('pass')], 9) });
    const rare = mutant({ mutated: point([check('pass')], 2) });
    const broken = mutant({ mutated: undefined });
    expect(judgeMutants([mutant({}), survivor, broken]).exitCode).to.equal(1);
    expect(judgeMutants([mutant({}), rare]).exitCode).to.equal(0);
    expect(judgeMutants([mutant({}), broken]).exitCode).to.equal(2);
    expect(judgeMutants([rare]).exitCode).to.equal(2);
    expect(judgeMutants([]).exitCode).to.equal(2);
  });

  it('lists survivors first', () => {
    const survivor = mutant({ mutant: 'z', mutated: point([check('pass')], 9) });
    const report = judgeMutants([mutant({}), survivor]);
    expect(mutationRows(report).map((row) => row[3])).to.deep.equal(['survived', 'killed']);
    expect(report.sentence).to.equal('1 of 2 mutants killed; 1 survived: a hole in the suite. Score 50 %.');
  });

  const hung = point([check('fail')]);
  const timedOut = mutant({
    mutant: 't',
    mutated: { ...hung, trials: { ...hung.trials, error: 1, hung: 1 } },
  });
  const survivor = mutant({ mutant: 's', mutated: point([check('pass')], 9) });
  const uncovered = notCovered({ mutant: 'n', image: 'fake-node', fix: 'grace', rule: 'gone' });

  it('takes a mutant that does not end for detected, and none that its control does not clear', () => {
    expect(classifyMutant(timedOut).fate).to.equal('timed-out');
    expect(judgeMutants([timedOut])).to.deep.include({ exitCode: 0, score: 1 });
    expect(classifyMutant({ ...timedOut, control: point([check('fail')]) }).fate).to.equal('error');
  });

  it('fails for a mutant that no scenario claims', () => {
    const report = judgeMutants([mutant({})], { uncovered: [uncovered] });
    expect(report).to.deep.include({ exitCode: 1, score: 0.5 });
    expect(report.sentence).to.include('1 not covered by any scenario');
  });

  it('has a score of what was clear, and a threshold that decides in place of the survivors', () => {
    const rare = mutant({ mutant: 'r', mutated: point([check('pass')], 2) });
    const three = [mutant({}), mutant({ mutant: 'b' }), survivor, rare];
    expect(judgeMutants(three).score).to.be.closeTo(2 / 3, 1e-9);
    expect(judgeMutants(three, { threshold: 0.6 }).exitCode).to.equal(0);
    const below = judgeMutants(three, { threshold: 0.667 });
    expect(below.exitCode).to.equal(1);
    expect(below.sentence).to.include('Score 66.6 % of 66.7 % wanted');
    expect(judgeMutants([rare], { threshold: 0 }).exitCode, 'nothing was clear').to.equal(2);
  });

  it('lists what other scenarios make of a mutant, and decides nothing by it', () => {
    const other = mutant({ scenario: 'crash', mutated: point([check('pass')], 9) });
    const report = judgeMutants([mutant({})], { others: [other] });
    expect(report.exitCode).to.equal(0);
    expect(mutationRows(report).map((row) => [row[2], row[3]])).to.deep.equal([
      ['synthetic/outage', 'killed'],
      ['synthetic/crash', 'survived'],
    ]);
  });
});
