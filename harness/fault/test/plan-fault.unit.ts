import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { FAULT_KINDS, FAULT_REFERENCE, type FaultRequest, faultSettings } from '../index.ts';
import { planFault } from '../plan-fault.ts';

const BED = { select: (selector: string) => (selector === 'none' ? [] : [selector]) };

function problemOf(request: Partial<FaultRequest> & Pick<FaultRequest, 'kind'>): string {
  try {
    planFault(BED, 'f', { on: 'a', seed: 's', ...request });
  } catch (error) {
    expect(error).to.be.instanceOf(SquallError).with.property('blame', 'input');
    return (error as SquallError).message;
  }
  return '';
}

describe('planFault', () => {
  it('has a reference for every kind of fault', () => {
    expect(Object.keys(FAULT_REFERENCE)).to.deep.equal([...FAULT_KINDS]);
    for (const kind of FAULT_KINDS) expect(FAULT_REFERENCE[kind]?.bite, kind).to.not.be.empty;
  });

  it('reads units in settings and fills in defaults', () => {
    expect(faultSettings('delay', { delayMs: '1.5s' })).to.deep.equal({ delayMs: 1_500, jitterMs: 0 });
    expect(faultSettings('loss', { lossRatio: '30%' })).to.deep.equal({ lossRatio: 0.3 });
    expect(faultSettings('rate', { bytesPerSecond: '64KiB' })).to.include({ bytesPerSecond: 65_536 });
    expect(faultSettings('corrupt', { corruptRatio: 0.1, detected: 'false' })).to.include({
      detected: false,
    });
  });

  it('divides durations and multiplies rates by the warp', () => {
    expect(faultSettings('delay', { delayMs: 100, jitterMs: 20 }, 4)).to.deep.equal({
      delayMs: 25,
      jitterMs: 5,
    });
    expect(faultSettings('rate', { bytesPerSecond: 1_000 }, 4)).to.include({ bytesPerSecond: 4_000 });
    expect(planFault(BED, 'f', { kind: 'drop', on: 'a', seed: 's', forMs: 40_000, warp: 4 }).forMs).to.equal(
      10_000,
    );
  });

  it('reports every problem at once', () => {
    const message = problemOf({ kind: 'loss', settings: { losRatio: 1 }, ports: [0] });
    expect(message).to.include('did you mean "lossRatio"');
    expect(message).to.include('"lossRatio" (ratio 0..1) is missing');
    expect(message).to.include('port 0; expected 1 to 65535');
  });

  for (const [what, request, sentence] of [
    ['a ratio above 1', { kind: 'loss', settings: { lossRatio: 1.5 } }, /lossRatio/],
    ['text that is no duration', { kind: 'delay', settings: { delayMs: 'soon' } }, /"soon"/],
    [
      'UDP through Toxiproxy',
      { kind: 'slow', protocol: 'udp', settings: { latencyMs: 1 } },
      /carries TCP only/,
    ],
    ['a direction for a process fault', { kind: 'pause', direction: 'in' }, /"direction" cannot be given/],
    ['no target', { kind: 'drop', on: undefined }, /no target/],
    ['both on and from', { kind: 'drop', from: 'b' }, /give one/],
    ['a selector that matches nothing', { kind: 'drop', on: 'none' }, /matches no node/],
    ['an other end that matches nothing', { kind: 'drop', to: 'none' }, /matches no node/],
    ['an unknown kind', { kind: 'hodl' as never }, /did you mean "hold"/],
    ['a negative length', { kind: 'drop', forMs: -1 }, /expected a length of 0 or more/],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(problemOf(request as never)).to.match(sentence);
    });
  }
});
