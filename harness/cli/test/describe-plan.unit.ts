import { expect } from 'chai';
import { fakePlan, scenario } from '../../scenario/test/fake-scenario.ts';
import { describePlan } from '../describe-plan.ts';

const COSTS = {
  trials: 8,
  beds: 1,
  parallelBeds: 1,
  why: 'as asked',
  basis: 'assumed',
  largestBedNodes: 4,
  durationMs: 60_000,
  memoryBytes: 1,
  diskBytes: 1,
};

describe('a plan for people', () => {
  it('has the measured power of the gate beside its points', () => {
    const gate = { point: { cutoff: 2 }, defect: 'the leak', power: { shown: 55, trials: 55 } };
    const text = describePlan(fakePlan([{ scenario: scenario({ gate }) }]), COSTS);
    expect(text).to.include(
      '\n  gate cutoff=2,variant=shipped: the leak shows at this point in at least 94.7 % of trials (55 of 55',
    );
    expect(describePlan(fakePlan([{ scenario: scenario() }]), COSTS)).to.not.include('gate ');
  });
});
