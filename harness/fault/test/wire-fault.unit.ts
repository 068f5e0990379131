import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import type { FaultRequest } from '../index.ts';
import { checkPacketPlan, wireFault } from '../packet/wire-fault.ts';
import { planFault } from '../plan-fault.ts';

const BED = { select: (selector: string) => selector.split(',') };
const addressOf = (name: string) => `address of ${name}`;

function wireOf(request: Partial<FaultRequest> & Pick<FaultRequest, 'kind'>) {
  const plan = planFault(BED, 'f', { on: 'a', seed: 's', ...request });
  checkPacketPlan(plan);
  return wireFault(plan, plan.id, plan.targets, addressOf);
}

describe('wireFault', () => {
  for (const [kind, settings, fields] of [
    ['hold', { tcp: 'drop' }, { udp: 'hold', tcp: 'drop', other: 'hold' }],
    ['hold', { pacePps: 100 }, { udp: 'hold', tcp: 'hold', other: 'hold', pacePps: 100 }],
    ['drop', {}, {}],
    ['loss', { lossRatio: '30%' }, { ratio: 0.3 }],
    ['delay', { delayMs: 10, jitterMs: 2 }, { delayMs: 10, jitterMs: 2 }],
    ['duplicate', { duplicateRatio: 0.1 }, { ratio: 0.1, direction: 'out' }],
    ['reorder', { reorderRatio: 0.1 }, { ratio: 0.1, delayMs: 50 }],
    ['corrupt', { corruptRatio: 0.1, detected: false }, { ratio: 0.1, detected: false }],
    ['rate', { bytesPerSecond: 1_000 }, { bytesPerSecond: 1_000, burstBytes: 16_384, queuePackets: 1_000 }],
    ['blackhole-connect', {}, { protocol: 'tcp' }],
  ] as const) {
    it(`says ${kind} with ${JSON.stringify(settings)} in the words of the agent, and nothing more`, () => {
      const { id, kind: wireKind, nodes, direction, protocol, seed, ...rest } = wireOf({ kind, settings });
      expect({ id, wireKind, nodes }).to.deep.equal({ id: 'f', wireKind: kind, nodes: ['a'] });
      expect({ direction, protocol, ...rest }).to.deep.equal({
        direction: 'both',
        protocol: 'all',
        ...fields,
      });
      expect(seed).to.be.a('string');
    });
  }

  it('names peers by their addresses, and ports', () => {
    expect(wireOf({ kind: 'drop', to: 'b,c', ports: [7] })).to.deep.include({
      peers: ['address of b', 'address of c'],
      ports: [7],
    });
  });

  it('draws the same for the same seed whatever the id, and apart for two faults on one node', () => {
    const seed = (request: Partial<FaultRequest>) =>
      wireOf({ kind: 'loss', settings: { lossRatio: 0.5 }, ...request }).seed;
    expect(seed({ id: 'x' })).to.equal(seed({ id: 'y' }));
    expect(seed({ to: 'b' })).to.not.equal(seed({ to: 'c' }));
    expect(seed({ ports: [1] })).to.not.equal(seed({ ports: [2] }));
    expect(seed({ seed: 't' })).to.not.equal(seed({}));
  });

  for (const [what, request] of [
    ['a jitter above the delay', { kind: 'delay', settings: { delayMs: 1, jitterMs: 2 } }],
    ['duplicating what comes in', { kind: 'duplicate', direction: 'in', settings: { duplicateRatio: 1 } }],
    [
      'a hold that lets everything pass',
      { kind: 'hold', settings: { udp: 'pass', tcp: 'pass', other: 'pass' } },
    ],
  ] as const) {
    it(`refuses ${what} before anything starts`, () => {
      expect(() => wireOf(request))
        .to.throw(SquallError)
        .with.property('blame', 'input');
    });
  }
});
