import { expect } from 'chai';
import fc from 'fast-check';
import { QuietCalendar, type Span } from '../quiet-calendar.ts';
import { QuietWindows } from '../quiet-windows.ts';

const spanArbitrary = fc
  .tuple(fc.integer({ min: -20, max: 300 }), fc.integer({ min: 1, max: 60 }))
  .map(([fromMs, lengthMs]): Span => ({ fromMs, toMs: fromMs + lengthMs }));
const bookingArbitrary = fc.record({
  owner: fc.constantFrom('a', 'b', 'c', 'd'),
  spans: fc.array(spanArbitrary, { minLength: 1, maxLength: 5 }),
  notBeforeMs: fc.integer({ min: 0, max: 500 }),
});

describe('the calendar of quiet moments', () => {
  it('never lets spans of different beds overlap', () => {
    fc.assert(
      fc.property(fc.array(bookingArbitrary, { maxLength: 25 }), (requests) => {
        const calendar = new QuietCalendar();
        const booked = requests.flatMap(({ owner, spans, notBeforeMs }) => {
          const { startMs } = calendar.book(owner, spans, notBeforeMs);
          return spans.map((span) => ({ owner, fromMs: startMs + span.fromMs, toMs: startMs + span.toMs }));
        });
        for (const one of booked) {
          for (const other of booked) {
            if (one.owner === other.owner) continue;
            expect(one.fromMs >= other.toMs || other.fromMs >= one.toMs).to.equal(true);
          }
        }
      }),
    );
  });

  it('gives every booking a time, not before it is asked for', () => {
    fc.assert(
      fc.property(fc.array(bookingArbitrary, { maxLength: 25 }), (requests) => {
        const calendar = new QuietCalendar();
        for (const { owner, spans, notBeforeMs } of requests) {
          const { startMs } = calendar.book(owner, spans, notBeforeMs);
          expect(startMs).to.be.at.least(notBeforeMs);
          expect(Number.isFinite(startMs)).to.equal(true);
        }
      }),
    );
  });

  it('gives the earliest time that is free', () => {
    fc.assert(
      fc.property(fc.array(bookingArbitrary, { maxLength: 10 }), bookingArbitrary, (earlier, last) => {
        const calendar = new QuietCalendar();
        const taken = earlier.flatMap(({ owner, spans, notBeforeMs }) => {
          const { startMs } = calendar.book(owner, spans, notBeforeMs);
          return spans.map((span) => ({ owner, fromMs: startMs + span.fromMs, toMs: startMs + span.toMs }));
        });
        const others = taken.filter(({ owner }) => owner !== last.owner);
        const { startMs } = calendar.book(last.owner, last.spans, last.notBeforeMs);
        for (let earlierMs = last.notBeforeMs; earlierMs < startMs; earlierMs += 1) {
          const clash = last.spans.some(({ fromMs, toMs }) =>
            others.some((other) => other.fromMs < earlierMs + toMs && earlierMs + fromMs < other.toMs),
          );
          expect(clash, `${earlierMs} was free`).to.equal(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('puts the release of one bed between the windows of another', () => {
    const calendar = new QuietCalendar();
    calendar.book(
      'a',
      [
        { fromMs: -1, toMs: 3 },
        { fromMs: 39, toMs: 50 },
      ],
      10,
    );
    const { startMs } = calendar.book(
      'b',
      [
        { fromMs: -1, toMs: 3 },
        { fromMs: 39, toMs: 50 },
      ],
      10,
    );
    // Its bite would fit at 14, but its release would then fall into that of the first.
    expect(startMs).to.equal(21);
    const third = calendar.book(
      'c',
      [
        { fromMs: -1, toMs: 3 },
        { fromMs: 39, toMs: 50 },
      ],
      10,
    );
    expect(third.startMs).to.equal(32);
  });

  it('sees that somebody overran into a booking that has not begun', () => {
    const calendar = new QuietCalendar();
    const heavy = calendar.book('a', [{ fromMs: 0, toMs: 10 }], 0);
    const fault = calendar.book('b', [{ fromMs: -1, toMs: 3 }], 0);
    expect(fault.startMs).to.equal(11);
    calendar.extend(heavy.id, 12);
    expect(calendar.stillFree(fault.id)).to.equal(false);
    expect(calendar.bookingsAt(11, 'a').map((booking) => booking.owner)).to.deep.equal(['b']);
  });

  it('gives back what is released, and forgets what has passed', () => {
    const calendar = new QuietCalendar();
    const first = calendar.book('a', [{ fromMs: 0, toMs: 100 }], 0);
    calendar.release(first.id);
    expect(calendar.book('b', [{ fromMs: 0, toMs: 10 }], 0).startMs).to.equal(0);
    calendar.prune(11);
    expect(calendar.book('c', [{ fromMs: 0, toMs: 10 }], 0).startMs).to.equal(0);
  });
});

describe('quiet windows', () => {
  const never = new AbortController().signal;

  /** A clock that the test moves. */
  function manualClock() {
    let nowMs = 0;
    const sleepers: { atMs: number; wake(): void }[] = [];
    return {
      nowMs: () => nowMs,
      sleepUntilMs: (atMs: number, signal: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          if (atMs <= nowMs) resolve();
          else sleepers.push({ atMs, wake: resolve });
        }),
      async moveTo(atMs: number): Promise<void> {
        nowMs = atMs;
        for (const sleeper of sleepers.splice(0)) {
          if (sleeper.atMs <= nowMs) sleeper.wake();
          else sleepers.push(sleeper);
        }
        await new Promise((resolve) => setImmediate(resolve));
      },
    };
  }

  it('books a new time when heavy work of another bed goes on longer than it should', async () => {
    const clock = manualClock();
    const quiet = new QuietWindows(clock);
    let finish = (): void => undefined;
    const work = quiet.heavy('a', 1_000, never, () => new Promise<void>((resolve) => (finish = resolve)));
    await clock.moveTo(10);
    let startMs: number | undefined;
    const margins = { beforeMs: 100, afterMs: 300 };
    void quiet.instants('b', [{ atMs: 0, margins }], 200, never).then((booking) => {
      startMs = booking.startMs;
    });
    await clock.moveTo(1_000);
    expect(startMs, 'while the work goes on').to.equal(undefined);
    finish();
    await work;
    for (let atMs = 1_500; atMs < 6_000; atMs += 500) await clock.moveTo(atMs);
    expect(startMs).to.be.greaterThan(1_100);
  });

  it('gives an earlier time to those who wait when heavy work ends before its estimate, in their order', async () => {
    const clock = manualClock();
    const quiet = new QuietWindows(clock);
    const began: string[] = [];
    const first = await quiet.begin('a', 60_000, never);
    const turns = ['b', 'c'].map(async (owner) => {
      const turn = await quiet.begin(owner, 60_000, never);
      began.push(`${owner} at ${clock.nowMs()}`);
      return turn;
    });
    await clock.moveTo(20_000);
    expect(began).to.deep.equal([]);
    first.end();
    await clock.moveTo(20_000);
    expect(began).to.deep.equal(['b at 20000']);
    (await turns[0])?.end();
    await clock.moveTo(20_001);
    (await turns[1])?.end();
    expect(began).to.deep.equal(['b at 20000', 'c at 20001']);
  });

  it('tells of work that runs into a window that has begun', async () => {
    const clock = manualClock();
    const overruns: string[] = [];
    const quiet = new QuietWindows(clock, ({ owner, into }) => overruns.push(`${owner} into ${into}`));
    let finish = (): void => undefined;
    // The window is two seconds away, so the work is let in; then it does not end.
    void quiet.instants('b', [{ atMs: 0, margins: { beforeMs: 100, afterMs: 300 } }], 2_000, never);
    await clock.moveTo(1);
    const work = quiet.heavy('a', 1_000, never, () => new Promise<void>((resolve) => (finish = resolve)));
    await clock.moveTo(2_000);
    await new Promise((resolve) => setTimeout(resolve, 600));
    finish();
    await work;
    expect(overruns).to.deep.equal(['a into b']);
  });

  it('lets light beds go on at any moment, and still starts one after another', async () => {
    const clock = manualClock();
    const overruns: string[] = [];
    const quiet = new QuietWindows(clock, ({ owner }) => overruns.push(owner), { light: true });
    const first = await quiet.begin('a', 1_000, never);
    const window = { atMs: 0, margins: { beforeMs: 1_000, afterMs: 10_000 } };
    expect(await quiet.instants('b', [window], 200, never)).to.include({ startMs: 200 });
    let began = false;
    const second = quiet.begin('c', 1_000, never).then((turn) => {
      began = true;
      turn.end();
    });
    await clock.moveTo(500);
    expect(began).to.equal(false);
    first.end();
    await clock.moveTo(500);
    await second;
    expect(overruns).to.deep.equal([]);
  });

  it('leaves no booking behind when its wait is interrupted', async () => {
    const clock = manualClock();
    const quiet = new QuietWindows(clock);
    const stop = new AbortController();
    let finish = (): void => undefined;
    const work = quiet.heavy('a', 1_000, never, () => new Promise<void>((resolve) => (finish = resolve)));
    await clock.moveTo(1);
    const waiting = quiet
      .heavy('b', 500, stop.signal, async () => undefined)
      .catch((error: unknown) => error);
    stop.abort(new Error('stopped'));
    expect(await waiting).to.have.property('message', 'stopped');
    finish();
    await work;
    const { startMs } = await quiet.instants(
      'c',
      [{ atMs: 0, margins: { beforeMs: 0, afterMs: 1 } }],
      0,
      never,
    );
    expect(startMs).to.equal(1);
  });
});
