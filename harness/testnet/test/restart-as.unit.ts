import { expect } from 'chai';
import { readImages } from '../../image/index.ts';
import { addressNodes } from '../../topology/index.ts';
import { restartPlan } from '../restart-as.ts';
import { memberTopology } from './test-bed.ts';

describe('a node that starts again as something else', () => {
  const images = readImages();
  const [plan] = addressNodes(memberTopology(2, 'shipped'), (slash24, host) => `198.18.${slash24}.${host}`);
  if (!plan) throw new Error('no node');

  it('has every setting of the variant, and the rest of its environment as it was', () => {
    const both = restartPlan(plan, { variant: 'both' }, images);
    expect(both.environment).to.include({
      SQUALL_VARIANT: 'both',
      SQUALL_GRACE: 'true',
      SQUALL_HEALTH_AT_FIRING: 'true',
    });
    expect(both.environment['SQUALL_JOIN']).to.equal(plan.environment['SQUALL_JOIN']);
    expect(both.image).to.include({ name: 'memberlist-node', variant: 'both' });
  });

  it('loses what another variant had set', () => {
    const both = restartPlan(plan, { variant: 'both' }, images);
    const grace = restartPlan(both, { variant: 'grace' }, images);
    expect(grace.environment).to.include({ SQUALL_GRACE: 'true', SQUALL_HEALTH_AT_FIRING: 'false' });
  });

  it('may be a mutant, or another image altogether', () => {
    const mutant = restartPlan(plan, { variant: 'health-at-firing-timer-only' }, images);
    expect(mutant.environment).to.include({ SQUALL_HEALTH_AT_FIRING_PATH: 'timer' });
    expect(restartPlan(plan, { image: 'busybox:1.36' }, images).image).to.deep.equal({
      kind: 'reference',
      reference: 'busybox:1.36',
    });
    expect(restartPlan(plan, { image: 'memberlist-node@grace' }, images).environment).to.include({
      SQUALL_GRACE: 'true',
    });
  });

  it('is what the topology says when nothing else is asked for', () => {
    expect(restartPlan(plan, {}, images)).to.equal(plan);
  });

  it('cannot be a variant that there is not', () => {
    expect(() => restartPlan(plan, { variant: 'booth' }, images)).to.throw(
      /has none such; expected one of shipped/,
    );
    expect(() => restartPlan(plan, { image: 'busybox:1.36', variant: 'both' }, images)).to.throw(
      /foreign image/,
    );
  });
});
