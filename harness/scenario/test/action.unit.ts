import { expect } from 'chai';
import { registerAction, requireAction, type TrialAction } from '../index.ts';
import { fakePlan, scenario } from './fake-scenario.ts';

const act: TrialAction = async (trial, { word }) => trial.emit('acted', { word });

describe('actions', () => {
  before(() => registerAction('test.acts', act));

  it('are found under the name that a suite registered', () => {
    expect(requireAction('test.acts')).to.equal(act);
  });

  it('have one meaning a name', () => {
    registerAction('test.acts', act);
    expect(() => registerAction('test.acts', async () => undefined)).to.throw('registered twice');
  });

  it('that nobody registered are refused by the plan, with what comes near', () => {
    const phases = [{ name: 'fault', steps: [{ do: { action: 'test.act' } }] }];
    expect(() => fakePlan([{ scenario: scenario({ phases }) }])).to.throw(
      'action "test.act": not registered; did you mean "test.acts"?',
    );
  });
});
