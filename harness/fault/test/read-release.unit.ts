import { expect } from 'chai';
import { readRelease, releaseProblems } from '../packet/read-release.ts';

describe('the release of what a fault held', () => {
  it('runs from the first packet of any node to the moment at which all had drained', () => {
    const perNode = {
      a: { releasedIn: 3, firstReleasedNs: 1_200, drainedNs: 1_900 },
      b: { releasedIn: 1, firstReleasedNs: 1_100, drainedNs: 1_300 },
      c: { releasedIn: 0, drainedNs: 1_050 },
    };
    expect(readRelease({ id: 'cut', atNs: 1_000, drainedNs: 2_000, perNode })).to.deep.equal({
      firstNs: 1_100,
      lastNs: 2_000,
    });
  });

  it('is missed where packets were held, and only there', () => {
    const held = { source: 'agent', counts: { heldIn: 2, heldOut: 1 } };
    expect(releaseProblems(held, undefined)).to.deep.equal([
      '3 packets were held, and the agent did not say when it let them go',
    ]);
    expect(releaseProblems(held, { firstNs: 1, lastNs: 2 })).to.deep.equal([]);
    expect(releaseProblems({ source: 'agent', counts: { droppedIn: 4 } }, undefined)).to.deep.equal([]);
    expect(releaseProblems(undefined, undefined)).to.deep.equal([]);
  });

  it('is none where nothing was held, and where the agent does not say', () => {
    expect(readRelease({ drainedNs: 2_000, perNode: { a: { drainedNs: 1_050 } } })).to.equal(undefined);
    expect(readRelease({ id: 'cut', atNs: 1, drainedNs: 1 })).to.equal(undefined);
    expect(readRelease({ drainedNs: 'soon', perNode: {} })).to.equal(undefined);
  });
});
