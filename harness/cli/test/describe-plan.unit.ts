import { expect } from 'chai';
import { fakePlan, scenario } from '../../scenario/test/fake-scenario.ts';
import { planCosts } from '../../session/index.ts';
import { describePlan } from '../describe-plan.ts';

const COSTS = {
  trials: 8,
  beds: 1,
  parallelBeds: 1,
  lightBeds: 0,
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

  it('has the beds for light points beside the others', () => {
    const plan = fakePlan([{ scenario: scenario() }]);
    expect(describePlan(plan, COSTS)).to.not.include('light');
    expect(describePlan(plan, { ...COSTS, lightBeds: 2 })).to.include(
      '(as asked) and 2 for light points, up to',
    );
  });

  it('says what captures may take, where they are asked for', async () => {
    const plan = fakePlan([{ scenario: scenario() }]);
    expect(describePlan(plan, COSTS)).to.not.include('Captures');
    // 4 points of 2 trials on 4 nodes.
    const costs = await planCosts(plan, 1, 'nowhere', { snapBytes: 2_048, fileBytes: 1024 ** 2 });
    expect(describePlan(plan, costs)).to.include('Captures  up to 32 MiB more');
  });
});
