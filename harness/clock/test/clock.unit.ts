import { expect } from 'chai';
import fc from 'fast-check';
import { manualClock, systemClock } from '../index.ts';

describe('a manual clock', () => {
  it('stands still until it leaps', async () => {
    const clock = manualClock({ wallMs: 1_700_000_000_000 });
    await new Promise((resolve) => setImmediate(resolve));
    expect([clock.nowMs(), clock.wallMs()]).to.deep.equal([0, 1_700_000_000_000]);
    await clock.leap(250);
    expect([clock.nowMs(), clock.wallMs()]).to.deep.equal([250, 1_700_000_000_250]);
  });

  it('fires due timers in order, each at its own time, and leaves the others', async () => {
    const clock = manualClock();
    const fired: [string, number][] = [];
    const set = (name: string, delayMs: number) =>
      clock.after(delayMs, () => fired.push([name, clock.nowMs()]));
    set('c', 300);
    set('a', 100);
    set('b first', 200);
    set('b second', 200);
    set('late', 401);
    expect(await clock.leap(400)).to.equal(4);
    expect(fired).to.deep.equal([
      ['a', 100],
      ['b first', 200],
      ['b second', 200],
      ['c', 300],
    ]);
    expect(await clock.leap(1)).to.equal(1);
  });

  it('fires the timers that timers set on the way', async () => {
    const clock = manualClock();
    const at: number[] = [];
    const again = (): void => {
      at.push(clock.nowMs());
      if (at.length < 5) clock.after(10, again);
    };
    clock.after(10, again);
    await clock.leap(35);
    expect(at).to.deep.equal([10, 20, 30]);
    await clock.leap(100);
    expect(at).to.deep.equal([10, 20, 30, 40, 50]);
  });

  it('lets code that sleeps go on between two timers', async () => {
    const clock = manualClock();
    const seen: string[] = [];
    const walk = async (name: string, stepMs: number): Promise<void> => {
      for (let step = 1; step <= 3; step += 1) {
        await clock.sleep(stepMs);
        seen.push(`${name}${step}@${clock.nowMs()}`);
      }
    };
    const walks = Promise.all([walk('a', 10), walk('b', 15)]);
    await clock.leap(45);
    await walks;
    expect(seen).to.deep.equal(['a1@10', 'b1@15', 'a2@20', 'b2@30', 'a3@30', 'b3@45']);
  });

  it('repeats at whole multiples, also over a long leap, until cancelled', async () => {
    const clock = manualClock();
    const at: number[] = [];
    const series = clock.every(1_000, () => {
      at.push(clock.nowMs());
      if (at.length === 4) series.cancel();
    });
    await clock.leap(3_500);
    expect(at).to.deep.equal([1_000, 2_000, 3_000]);
    await clock.leap(10_000);
    expect(at).to.deep.equal([1_000, 2_000, 3_000, 4_000]);
  });

  it('never fires what was cancelled, also by a timer just before', async () => {
    const clock = manualClock();
    let fired = false;
    const victim = clock.after(10, () => {
      fired = true;
    });
    clock.after(9, () => victim.cancel());
    expect(await clock.leap(20)).to.equal(1);
    expect(fired).to.equal(false);
  });

  it('rejects a sleep with the reason of its signal and forgets the timer', async () => {
    const clock = manualClock();
    const stop = new AbortController();
    const sleeping = clock.sleep(10, stop.signal);
    stop.abort(new Error('no longer needed'));
    const error = await sleeping.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(Error).with.property('message', 'no longer needed');
    expect(await clock.leap(20)).to.equal(0);
    const refused = await clock.sleep(1, stop.signal).then(
      () => 'slept',
      () => 'refused',
    );
    expect(refused).to.equal('refused');
  });

  it('makes one leap after the other', async () => {
    const clock = manualClock();
    const at: number[] = [];
    clock.after(15, () => at.push(clock.nowMs()));
    const leaps = [clock.leap(10), clock.leap(10)];
    expect(await Promise.all(leaps)).to.deep.equal([0, 1]);
    expect([clock.nowMs(), at]).to.deep.equal([20, [15]]);
  });

  it('tells of a timer that throws, keeps the others, and arrives all the same', async () => {
    const clock = manualClock();
    let after = false;
    clock.after(5, () => {
      throw new Error('broken timer');
    });
    clock.after(6, () => {
      after = true;
    });
    const error = await clock.leap(10).then(
      () => undefined,
      (reason: Error) => reason.message,
    );
    expect(error).to.equal('broken timer');
    expect(clock.nowMs()).to.equal(10);
    await clock.leap(0);
    expect(after).to.equal(true);
  });

  it('refuses to go back or to repeat without pause', async () => {
    const clock = manualClock();
    expect(await clock.leap(-1).catch((error: Error) => error.message)).to.match(/leap of -1 ms/);
    expect(() => clock.every(0, () => undefined)).to.throw('more than 0');
  });

  it('fires any set of timers in the order of due time, then of setting', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 60 }), async (delays) => {
        const clock = manualClock();
        const fired: number[] = [];
        for (const [index, delay] of delays.entries()) clock.after(delay, () => fired.push(index));
        await clock.leap(50);
        const expected = delays
          .map((delay, index) => ({ delay, index }))
          .sort((a, b) => a.delay - b.delay || a.index - b.index);
        expect(fired).to.deep.equal(expected.map(({ index }) => index));
      }),
      { numRuns: 50 },
    );
  });
});

describe('the system clock', () => {
  it('runs as fast as its warp', async () => {
    const [plain, warped] = [systemClock(), systemClock({ warp: 20 })];
    const [plainMs, warpedMs] = [plain.nowMs(), warped.nowMs()];
    await warped.sleep(400);
    const passed = warped.nowMs() - warpedMs;
    expect(passed).to.be.at.least(400);
    // Twenty warped milliseconds pass in one; the readings are some microseconds apart.
    expect((plain.nowMs() - plainMs) * 20).to.be.closeTo(passed, passed * 0.1 + 20);
  });

  it('fires what a leap makes due, although its real time has not come', async () => {
    const clock = systemClock();
    const order: string[] = [];
    clock.after(3_600_000, () => order.push('an hour'));
    const series = clock.every(1_800_000, () => order.push('half an hour'));
    const before = clock.nowMs();
    expect(await clock.leap(3_600_001)).to.equal(3);
    series.cancel();
    expect(order).to.deep.equal(['half an hour', 'an hour', 'half an hour']);
    expect(clock.nowMs() - before).to.be.at.least(3_600_001);
  });

  it('never goes back, whatever is mixed', async () => {
    const clock = systemClock({ warp: 3 });
    let last = clock.nowMs();
    const check = (): void => {
      expect(clock.nowMs()).to.be.at.least(last);
      last = clock.nowMs();
    };
    const series = clock.every(2, check);
    for (let turn = 0; turn < 20; turn += 1) {
      await clock.leap(turn % 3);
      check();
      await clock.sleep(1);
      check();
    }
    series.cancel();
  });

  it('does not take timeouts beyond 24 days for none', async () => {
    const clock = systemClock();
    let fired = false;
    const timer = clock.after(2 ** 31 + 1_000, () => {
      fired = true;
    });
    await clock.sleep(5);
    timer.cancel();
    expect(fired).to.equal(false);
  });

  it('leaves out the turns that a stalled process missed', async () => {
    const clock = systemClock();
    let turns = 0;
    const series = clock.every(10, () => {
      turns += 1;
    });
    const until = clock.nowMs() + 100;
    while (clock.nowMs() < until);
    await clock.sleep(0);
    series.cancel();
    expect(turns).to.be.below(5);
  });

  it('refuses a warp of nothing', () => {
    expect(() => systemClock({ warp: 0 })).to.throw('warp 0 found');
  });
});
