import { expect } from 'chai';
import { dueOf, lateLift } from '../late-lift.ts';

const APPLIED_NS = 10e9;
/** So far apart the first and the last target had the fault. */
const SPREAD_MS = 3_000;

/** Of a fault that its first target has from second 10 on. */
function reason(
  forMs: number | undefined,
  lasted: { readonly liftedMs?: number; readonly endedMs?: number },
  liftDueMs?: number,
): string | undefined {
  const ns = (ms: number): number => APPLIED_NS + ms * 1e6;
  const instants = {
    appliedNs: APPLIED_NS,
    ...(forMs !== undefined && { liftsAtNs: ns(SPREAD_MS + forMs) }),
  };
  const dueNs = dueOf(instants, liftDueMs === undefined ? undefined : ns(liftDueMs));
  return lateLift({ id: 'cut', ...(forMs !== undefined && { forMs }) }, instants, {
    ...(dueNs !== undefined && { dueNs }),
    ...(lasted.liftedMs !== undefined && { liftedNs: ns(lasted.liftedMs) }),
    ...(lasted.endedMs !== undefined && { endedNs: ns(lasted.endedMs) }),
  });
}

describe('a fault that outlasts what it was to last', () => {
  it('voids the trial, and says what was measured and no more', () => {
    expect(reason(25_000, { liftedMs: SPREAD_MS + 32_300 })).to.equal(
      'fault cut was in force for 32.3 s in place of 25 s',
    );
  });

  it('may do so by a second or a twentieth of its length, whichever is more', () => {
    const late = (forMs: number, byMs: number) => reason(forMs, { liftedMs: SPREAD_MS + forMs + byMs });
    expect(late(1_000, 900)).to.equal(undefined);
    expect(late(1_000, 1_100)).to.be.a('string');
    expect(late(60_000, 2_900)).to.equal(undefined);
    expect(late(60_000, 3_100)).to.be.a('string');
  });

  it('is no fault whose targets had it far apart', () => {
    expect(reason(1_000, { liftedMs: SPREAD_MS + 1_000 })).to.equal(undefined);
  });

  it('is one whose undo came back late, though it began in time', () => {
    expect(reason(10_000, { liftedMs: SPREAD_MS + 10_000, endedMs: SPREAD_MS + 14_000 })).to.equal(
      'fault cut was in force for 14 s in place of 10 s',
    );
    // Nodes that start again: they take what they take, and the fault has ended with the order.
    expect(reason(10_000, { liftedMs: SPREAD_MS + 10_000, endedMs: SPREAD_MS + 10_000 })).to.equal(undefined);
  });

  it('is one that a step was to lift earlier', () => {
    expect(reason(undefined, { liftedMs: 12_000, endedMs: 12_100 }, 12_000)).to.equal(undefined);
    expect(reason(undefined, { liftedMs: 15_000 }, 12_000)).to.equal(
      'fault cut was in force for 15 s in place of 12 s',
    );
    expect(reason(60_000, { liftedMs: 15_000 }, 12_000), 'before its length is over').to.be.a('string');
  });

  it('is none that ended early, had neither length nor such a step, or was never lifted', () => {
    expect(reason(25_000, { liftedMs: 3_000 })).to.equal(undefined);
    expect(reason(undefined, { liftedMs: 99_000 })).to.equal(undefined);
    expect(reason(25_000, {})).to.equal(undefined);
  });
});
