import { expect } from 'chai';
import { quietMsOf } from '../timeline.ts';
import type { Step } from '../types.ts';

const cut = (lasts: string, background = false): Step => ({
  fault: { kind: 'hold', on: 'member', for: lasts },
  ...(background && { background: true }),
});

describe('what a trial books of the host', () => {
  it('is a second before and three after a bite, and ten unwarped after a release', () => {
    expect(quietMsOf([{ wait: '10s' }], 1)).to.equal(0);
    expect(quietMsOf([cut('60s'), { wait: '1m' }], 1)).to.equal(4_000 + 11_000);
    expect(quietMsOf([cut('60s'), { wait: '1m' }], 4)).to.equal(4_000 + 3_500);
  });

  it('counts what overlaps once, and the faults after a step that waits for something anew', () => {
    expect(quietMsOf([cut('2s'), { wait: '1m' }], 1)).to.equal(1_000 + 2_000 + 10_000);
    const until: Step = { until: { event: 'ready' }, within: '5s' };
    const rest: Step = { wait: '2m' };
    expect(quietMsOf([cut('60s', true), until, cut('60s'), rest], 1)).to.equal(2 * 15_000);
    expect(quietMsOf([cut('60s', true), { wait: '1s' }, cut('60s', true), rest], 1)).to.equal(5_000 + 12_000);
  });

  it('ends with the trial, which gives back what has not passed', () => {
    expect(quietMsOf([cut('60s')], 1)).to.equal(4_000 + 1_000);
    expect(quietMsOf([cut('60s'), { wait: '2s' }], 1)).to.equal(4_000 + 3_000);
    expect(quietMsOf([cut('60s', true), { wait: '2s' }], 1)).to.equal(1_000 + 2_000);
    const until: Step = { until: { event: 'ready' }, within: '5s' };
    expect(quietMsOf([cut('60s'), until], 1), 'nobody knows how long').to.equal(15_000);
  });
});
