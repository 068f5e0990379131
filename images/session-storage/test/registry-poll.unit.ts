import { expect } from 'chai';
import { retryDelayMs } from '../registry-poll.ts';

const HOUR_MS = 3_600_000;
const HANDSHAKE_MS = 3_000;

describe('a registry that does not answer', () => {
  it('is asked again soon at first, and seldom once it has been silent for long', () => {
    const delays = [0, 1, 8, 9, 10, 15, 30, 1_000].map((misses) => retryDelayMs(500, misses));
    expect(delays).to.deep.equal([500, 500, 500, 1_000, 2_000, 64_000, 600_000, 600_000]);
  });

  it('is asked a few hundred times in a leap of two days', () => {
    let [attempts, atMs] = [0, 0];
    for (; atMs < 49 * HOUR_MS; attempts += 1) atMs += HANDSHAKE_MS + retryDelayMs(500, attempts);
    expect(attempts).to.be.below(320);
  });

  it('is never asked sooner than a longer pause of one’s own says', () => {
    expect(retryDelayMs(900_000, 20)).to.equal(900_000);
  });
});
