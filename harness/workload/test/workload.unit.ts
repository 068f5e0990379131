import { expect } from 'chai';
import fc from 'fast-check';
import { manualClock } from '../../clock/index.ts';
import { stream } from '../../random/index.ts';
import {
  analyseHistory,
  DefiniteFailure,
  History,
  type HistoryEvent,
  readHistory,
  runLoad,
} from '../index.ts';

/** Events with a millisecond between them. */
function recorder(node = 'client-1') {
  const events: HistoryEvent[] = [];
  const history = new History((event, fields) => {
    events.push({ node, event, atNs: (events.length + 1) * 1e6, fields });
  }, node);
  return { events, history };
}

const messagesOf = (fates: readonly { readonly message: string; readonly receiver: string }[]): string[] =>
  fates.map(({ message, receiver }) => `${message}→${receiver}`);

describe('a history', () => {
  it('counts ends, and takes what never ended for unknown', () => {
    const { events, history } = recorder();
    const facts = { process: 'p', kind: 'send' };
    history.invoke(facts).ok();
    history.invoke(facts).failed('refused');
    history.invoke(facts).unknown('timed out');
    history.invoke(facts);
    expect(analyseHistory(events)).to.include({ invoked: 4, ok: 1, failed: 1, unknown: 2 });
  });

  it('calls lost only what was acknowledged and did not come', () => {
    const { events, history } = recorder();
    const send = (message: string) => history.invoke({ process: 'p', kind: 'send', message, to: ['bob'] });
    send('came').ok();
    send('vanished').ok();
    send('refused').failed('no');
    send('maybe').unknown('timed out');
    send('hanging');
    send('late').unknown('timed out');
    history.received('came', 'bob');
    history.received('late', 'bob');
    const report = analyseHistory(events);
    expect(messagesOf(report.lost)).to.deep.equal(['vanished→bob']);
    expect(messagesOf(report.missing)).to.deep.equal(['maybe→bob', 'hanging→bob']);
    expect([report.doubled, report.phantom, report.stray]).to.deep.equal([[], [], []]);
  });

  it('calls doubled what one receiver got twice, and not what two receivers got once', () => {
    const { events, history } = recorder();
    history.invoke({ process: 'p', kind: 'send', message: 'm', to: ['bob', 'carol'] }).ok();
    for (const by of ['bob', 'carol', 'bob']) history.received('m', by);
    expect(messagesOf(analyseHistory(events).doubled)).to.deep.equal(['m→bob']);
  });

  it('tells of messages that failed yet came, and of those that nobody sent', () => {
    const { events, history } = recorder();
    history.invoke({ process: 'p', kind: 'send', message: 'm', to: ['bob'] }).failed('refused');
    history.received('m', 'bob');
    history.received('m', 'eve');
    history.received('from nowhere', 'bob');
    const report = analyseHistory(events);
    expect(messagesOf(report.phantom)).to.deep.equal(['m→bob']);
    expect(messagesOf(report.stray)).to.deep.equal(['m→eve', 'from nowhere→bob']);
  });

  it('takes the best end of a message that was tried several times', () => {
    const { events, history } = recorder();
    const send = () => history.invoke({ process: 'p', kind: 'send', message: 'm', to: ['bob'] });
    send().unknown('timed out');
    send().ok();
    send().failed('already there');
    expect(messagesOf(analyseHistory(events).lost)).to.deep.equal(['m→bob']);
  });

  it('loses a message for anybody when nobody got it', () => {
    const { events, history } = recorder();
    history.invoke({ process: 'p', kind: 'publish', message: 'a' }).ok();
    history.invoke({ process: 'p', kind: 'publish', message: 'b' }).ok();
    history.received('b', 'whoever');
    const report = analyseHistory(events);
    expect(messagesOf(report.lost)).to.deep.equal(['a→*']);
    expect(report.stray).to.deep.equal([]);
  });

  it('measures latency and the longest time without a success', () => {
    const { events, history } = recorder();
    const facts = { process: 'p', kind: 'send' };
    history.invoke(facts).ok(); // 1 → 2 ms
    const slow = history.invoke(facts); // 3 ms
    history.invoke(facts).unknown('timed out'); // 4 → 5 ms
    slow.ok(); // 6 ms
    history.received('x', 'y'); // 7 ms
    const report = analyseHistory(events);
    expect(report.latenciesMs).to.deep.equal([1, 3]);
    expect(report.longestGapMs).to.equal(4);
  });

  it('ends by itself around a function: ok, failed for a definite no, unknown for anything else', async () => {
    const { events, history } = recorder();
    const run = (operate: () => Promise<string>) => history.run({ process: 'p', kind: 'send' }, operate);
    expect(await run(async () => 'done')).to.equal('done');
    expect(await run(async () => Promise.reject(new DefiniteFailure('421')))).to.equal(undefined);
    await run(async () => Promise.reject(new Error('socket hang up')));
    expect(readHistory(events).operations.map(({ outcome, reason }) => [outcome, reason])).to.deep.equal([
      ['ok', undefined],
      ['failed', '421'],
      ['unknown', 'socket hang up'],
    ]);
  });

  it('refuses a second end', () => {
    const open = recorder().history.invoke({ process: 'p', kind: 'send' });
    open.ok();
    expect(() => open.failed('no')).to.throw('ended twice');
  });

  it('numbers messages by process, the same in each repetition', () => {
    const { history } = recorder('n');
    expect([history.nextMessage('a'), history.nextMessage('b'), history.nextMessage('a')]).to.deep.equal([
      'n/a/1',
      'n/b/1',
      'n/a/2',
    ]);
  });

  it('passes over hostile and broken events and says so', () => {
    const at = (event: string, fields: Record<string, unknown>): HistoryEvent => ({
      node: 'n',
      event,
      atNs: 1,
      fields,
    });
    const report = analyseHistory([
      at('operation.ok', { operation: 'x' }),
      at('operation.invoked', { operation: 7 }),
      at('message.received', { message: ['m'] }),
      at('member.dead', { operation: 'y' }),
    ]);
    expect(report.invoked).to.equal(0);
    expect(report.problems).to.deep.equal([
      'n: operation.invoked without operation, process and kind',
      'n: message.received without message and by',
      'operation x: ok without an invocation',
    ]);
  });

  it('says the same whatever the order of the events', () => {
    const outcomes = fc.array(
      fc.record({
        end: fc.constantFrom('ok', 'failed', 'unknown', 'open'),
        receipts: fc.integer({ min: 0, max: 3 }),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(outcomes, fc.string(), (plan, seed) => {
        const { events, history } = recorder();
        for (const [index, { end, receipts }] of plan.entries()) {
          const open = history.invoke({ process: 'p', kind: 'send', message: `m${index}`, to: ['bob'] });
          if (end === 'ok') open.ok();
          if (end === 'failed') open.failed('no');
          if (end === 'unknown') open.unknown('maybe');
          for (let turn = 0; turn < receipts; turn += 1) history.received(`m${index}`, 'bob');
        }
        const report = analyseHistory(events);
        expect(report.lost).to.have.length(
          plan.filter(({ end, receipts }) => end === 'ok' && receipts === 0).length,
        );
        expect(report.doubled).to.have.length(plan.filter(({ receipts }) => receipts > 1).length);
        expect(report.ok + report.failed + report.unknown).to.equal(report.invoked);
        const shuffled = analyseHistory(stream(seed, 'order').shuffle(events));
        expect(messagesOf(shuffled.lost).sort()).to.deep.equal(messagesOf(report.lost).sort());
        expect({ ...shuffled, lost: 0, missing: 0, doubled: 0, phantom: 0 }).to.deep.equal({
          ...report,
          lost: 0,
          missing: 0,
          doubled: 0,
          phantom: 0,
        });
      }),
    );
  });
});

describe('a load', () => {
  async function loadFor(
    ms: number,
    options: { perSecond: number; inFlightMax: number; takesMs: number; seed?: string },
  ) {
    const clock = manualClock();
    const stop = new AbortController();
    const beganMs: number[] = [];
    let most = 0;
    let underWay = 0;
    const load = runLoad({
      clock,
      chance: stream(options.seed ?? '7', 'workload'),
      perSecond: options.perSecond,
      inFlightMax: options.inFlightMax,
      signal: stop.signal,
      operate: async () => {
        beganMs.push(clock.nowMs());
        underWay += 1;
        most = Math.max(most, underWay);
        await clock.sleep(options.takesMs);
        underWay -= 1;
      },
    });
    await clock.leap(ms);
    stop.abort();
    await clock.leap(options.takesMs);
    return { ...(await load), beganMs, most };
  }

  it('begins about as many operations as asked for, at the same times for the same seed', async () => {
    const options = { perSecond: 50, inFlightMax: 1_000, takesMs: 20 };
    const { begun, skipped, beganMs } = await loadFor(20_000, options);
    // 1,000 expected; six standard deviations of a Poisson count, with a fixed seed.
    expect(begun).to.be.within(810, 1_190);
    expect(skipped).to.equal(0);
    expect((await loadFor(20_000, options)).beganMs).to.deep.equal(beganMs);
    expect((await loadFor(20_000, { ...options, seed: '8' })).beganMs).not.to.deep.equal(beganMs);
  });

  it('never has more in flight than allowed, and counts what it skips', async () => {
    const { most, skipped } = await loadFor(10_000, { perSecond: 100, inFlightMax: 3, takesMs: 500 });
    expect(most).to.equal(3);
    expect(skipped).to.be.above(500);
  });
});
