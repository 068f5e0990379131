import { expect } from 'chai';
import type { FaultPlan } from '../index.ts';
import { biteProblems, mustShowOf } from '../must-show.ts';
import { faultSettings } from '../plan-fault.ts';

function plan(over: Partial<FaultPlan> = {}, settings: Record<string, unknown> = {}): FaultPlan {
  const kind = over.kind ?? 'hold';
  return {
    id: 'f',
    kind,
    selector: '*',
    targets: ['a', 'b'],
    peers: [],
    direction: 'both',
    protocol: 'all',
    ports: [],
    seed: 's',
    settings: faultSettings(kind, settings),
    ...over,
  };
}

describe('mustShowOf', () => {
  for (const [what, of, expected] of [
    ['a hold', plan(), { 'heldIn+heldOut': 1 }],
    ['a hold that drops TCP', plan({}, { tcp: 'drop' }), { 'heldIn+heldOut': 1 }],
    [
      'a hold whose one protocol is dropped',
      plan({ protocol: 'tcp' }, { tcp: 'drop' }),
      { 'droppedIn+droppedOut': 1 },
    ],
    ['a drop', plan({ kind: 'drop' }), { 'droppedIn+droppedOut': 1 }],
    ['a kill', plan({ kind: 'kill' }), { stopped: 1 }],
    ['a fault of no length', plan({ forMs: 0 }), {}],
    ['a bound of the scenario', plan({ mustShow: { heldIn: 100 } }), { heldIn: 100 }],
  ] as const) {
    it(`asks of ${what} what its kind must have done`, () => {
      expect(mustShowOf(of)).to.deep.equal(expected);
    });
  }
});

describe('biteProblems', () => {
  const witness = {
    source: 'agent',
    counts: { heldIn: 3, heldOut: 0 },
    perNode: { a: { heldIn: 3 }, b: {} },
  };

  it('takes a sum over all targets', () => {
    expect(biteProblems(plan(), witness)).to.deep.equal([]);
    expect(biteProblems(plan({ mustShow: { 'heldIn+heldOut': 4 } }), witness)).to.have.lengthOf(1);
  });

  it('takes each target by itself when asked to', () => {
    expect(biteProblems(plan({ mustShow: { 'each:heldIn': 1 } }), witness)).to.deep.equal([
      'b: heldIn = 0; expected at least 1',
    ]);
  });

  it('does not take a missing witness for one', () => {
    expect(biteProblems(plan(), undefined).join()).to.match(/no witness/);
  });
});
