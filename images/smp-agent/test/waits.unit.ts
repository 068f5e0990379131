import { expect } from 'chai';
import {
  BACKGROUND,
  commandWaitMs,
  forwardWaitMs,
  interactive,
  sessionWaitMs,
  waitMs,
} from '../request-mode.ts';
import { RetryPauses } from '../retry-interval.ts';

const waits = {
  connect: { backgroundMs: 45_000, interactiveMs: 15_000 },
  command: { backgroundMs: 30_000, interactiveMs: 10_000 },
  perKibMs: 0,
};

describe('the waits of a request', () => {
  it('are those of nobody waiting, or of a user who has tapped Retry so often', () => {
    const forwards = [0, 1, 2, 3, 7].map((retries) => forwardWaitMs(waits, interactive(retries)));
    expect(forwards).to.deep.equal([20_000, 30_000, 45_000, 67_500, 67_500]);
    expect(forwardWaitMs(waits, BACKGROUND)).to.equal(60_000);
    expect([waitMs(waits.connect, BACKGROUND), waitMs(waits.connect, interactive(0))]).to.deep.equal([
      45_000, 15_000,
    ]);
    expect(sessionWaitMs(waits, interactive(0))).to.equal(25_000);
  });

  it('grow with the block where that is set', () => {
    expect(commandWaitMs({ ...waits, perKibMs: 5 }, BACKGROUND)).to.equal(30_080);
  });
});

describe('the pauses between attempts', () => {
  it('stay for as long as the interval says, then grow by half up to the maximum', () => {
    const pauses = new RetryPauses({ initialMs: 2_000, increaseAfterMs: 10_000, maximumMs: 8_000 });
    const first = Array.from({ length: 11 }, () => pauses.nextMs());
    expect(first).to.deep.equal([
      2_000, 2_000, 2_000, 2_000, 2_000, 3_000, 4_500, 6_750, 8_000, 8_000, 8_000,
    ]);
  });
});
