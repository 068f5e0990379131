import { expect } from 'chai';
import { faultRequest } from '../fault-request.ts';
import { faultStepsAt, resolveScenario } from '../index.ts';
import { fakePlan, scenario, scenarioSpec } from './fake-scenario.ts';

const held = { fault: { kind: 'hold', id: 'held', on: 'member-1', for: '${outage}' } } as const;
const dropped = { fault: { kind: 'drop', id: 'dropped', on: 'member-2', for: '10s' } } as const;

const branching = (changes: Parameters<typeof scenario>[0] = {}) =>
  scenario({
    phases: [
      {
        name: 'fault',
        steps: [
          { ...held, when: { variant: 'shipped' } },
          { ...dropped, when: { cutoff: [2, 3], variant: ['both'] } },
          { wait: '5s' },
        ],
      },
    ],
    ...changes,
  });

describe('a step with a condition on the point', () => {
  it('happens at the points that match it, and nowhere else', () => {
    const ids = fakePlan([{ scenario: branching() }]).points.map(({ point, scenario: one }) => ({
      cutoff: point['cutoff'],
      variant: point['variant'],
      faults: faultStepsAt(one, point).map(({ id }) => id),
    }));
    expect(ids).to.deep.equal([
      { cutoff: 1, variant: 'shipped', faults: ['held'] },
      { cutoff: 1, variant: 'both', faults: [] },
      { cutoff: 2, variant: 'shipped', faults: ['held'] },
      { cutoff: 2, variant: 'both', faults: ['dropped'] },
    ]);
  });

  it('takes time in the plan only there', () => {
    const { points } = fakePlan([{ scenario: branching() }]);
    expect(points.map(({ phasesMs }) => phasesMs)).to.deep.equal([45_000, 5_000, 45_000, 15_000]);
  });

  it('names durations as people write them', () => {
    const one = branching({ phases: [{ name: 'fault', steps: [{ ...held, when: { outage: ['40s'] } }] }] });
    expect(faultStepsAt(one, { cutoff: 1, outage: 40_000, variant: 'both' })).to.have.length(1);
    expect(faultStepsAt(one, { cutoff: 1, outage: 41_000, variant: 'both' })).to.deep.equal([]);
  });

  it('is refused when it names a parameter that is none, or a value that cannot be', () => {
    const spec = scenarioSpec({
      phases: [{ name: 'fault', steps: [{ ...held, when: { cutof: 1, variant: 'neither' } }] }],
    });
    const { problems } = resolveScenario(spec, { suite: 'fake' });
    expect(problems.map(({ path }) => path.join('.'))).to.deep.equal([
      'phases.0.steps.0.when.cutof',
      'phases.0.steps.0.when.variant',
    ]);
  });
});

describe('the request of a fault', () => {
  it('is refused whose bound is still a function of the point, since it would be lost', () => {
    const fault = { kind: 'hold', on: 'member', mustShow: () => ({ heldIn: 1 }) } as const;
    expect(() => faultRequest(fault, 's', 1)).to.throw(/fault hold: its mustShow is a function/);
    const bound = { ...fault, mustShow: { heldIn: 1 } };
    expect(faultRequest(bound, 's', 1).mustShow).to.deep.equal({ heldIn: 1 });
  });
});
