import { expect } from 'chai';
import { lateLift } from '../late-lift.ts';

/** Of a fault that is in force from second 10 on. */
const reason = (forMs: number | undefined, lastedMs: number | undefined): string | undefined =>
  lateLift(
    { id: 'cut', ...(forMs !== undefined && { forMs }) },
    { appliedNs: 10e9, ...(forMs !== undefined && { liftsAtNs: 10e9 + forMs * 1e6 }) },
    lastedMs === undefined ? {} : { liftedNs: 10e9 + lastedMs * 1e6 },
  );

describe('a fault that outlasts its length', () => {
  it('voids the trial, and says by how much', () => {
    expect(reason(25_000, 32_300)).to.match(/^fault cut was in force for 32\.3 s in place of 25 s/);
  });

  it('may do so by a second, or a twentieth of its length', () => {
    expect(reason(1_000, 1_900)).to.equal(undefined);
    expect(reason(1_000, 2_100)).to.be.a('string');
    expect(reason(60_000, 62_900)).to.equal(undefined);
    expect(reason(60_000, 63_100)).to.be.a('string');
  });

  it('is none that ended early, had no length or was never lifted', () => {
    expect(reason(25_000, 3_000)).to.equal(undefined);
    expect(reason(undefined, 99_000)).to.equal(undefined);
    expect(reason(25_000, undefined)).to.equal(undefined);
  });
});
