import { expect } from 'chai';
import { EventLog } from '../event-log.ts';
import { matchEvent } from '../match-event.ts';
import { nowNs } from '../monotonic.ts';

const eventOf = (node: string, event: string, fields: Record<string, unknown> = {}) => ({
  node,
  event,
  atNs: nowNs(),
  fields,
});

async function rejection(promise: Promise<unknown>): Promise<Error & { code?: string }> {
  return await promise.then(
    () => expect.fail('expected a rejection'),
    (error: unknown) => error as Error,
  );
}

describe('event log', () => {
  it('resolves a wait with the event that fulfils it, whether it came before or comes after', async () => {
    const log = new EventLog('logs/');
    const mark = log.mark();
    log.append(eventOf('member-1', 'ready'));
    const before = await log.waitFor(matchEvent({ event: 'ready' }), { withinMs: 1_000, since: mark });
    expect(before.node).to.equal('member-1');
    const after = log.waitFor(matchEvent({ event: 'ready', nodes: ['member-2'] }), {
      withinMs: 1_000,
      since: mark,
    });
    log.append(eventOf('member-2', 'ready'));
    expect((await after).node).to.equal('member-2');
  });

  it('does not look at what came before the wait unless it is told from where', async () => {
    const log = new EventLog('logs/');
    log.append(eventOf('member-1', 'ready'));
    const error = await rejection(log.waitFor(matchEvent({ event: 'ready' }), { withinMs: 20 }));
    expect(error.code).to.equal('wait-timed-out');
  });

  it('says on a timeout what was awaited, how far it got, the last thing seen, the last error and where the logs are', async () => {
    const log = new EventLog('reports/run-1/logs');
    const condition = matchEvent({ event: 'converged', nodes: ['member-1', 'member-2'], everyNode: true });
    log.append(eventOf('member-1', 'converged'));
    log.append(eventOf('member-9', 'member.joined'));
    log.noteError('log of member-2: the stream broke');
    const error = await rejection(log.waitFor(condition, { withinMs: 20, since: 0 }));
    expect(error.message).to.contain('event "converged" from each of 2 nodes');
    expect(error.message).to.contain('1 of 2 (missing member-2)');
    expect(error.message).to.contain('member.joined from member-9');
    expect(error.message).to.contain('the stream broke');
    expect((error as unknown as { hint: string }).hint).to.contain('reports/run-1/logs');
  });

  it('ends a wait at once when it is aborted', async () => {
    const log = new EventLog('logs/');
    const controller = new AbortController();
    const waiting = log.waitFor(matchEvent({ event: 'never' }), {
      withinMs: 60_000,
      signal: controller.signal,
    });
    controller.abort(new Error('enough'));
    expect((await rejection(waiting)).message).to.equal('enough');
  });

  it('keeps marks true after it has forgotten', () => {
    const log = new EventLog('logs/');
    log.append(eventOf('a-1', 'one'));
    const mark = log.mark();
    log.append(eventOf('a-1', 'two'));
    log.forget(mark);
    expect(log.since(0).map(({ event }) => event)).to.deep.equal(['two']);
    expect(log.since(mark).map(({ event }) => event)).to.deep.equal(['two']);
    expect(log.since(log.mark())).to.deep.equal([]);
  });

  it('drops a listener that throws, shows its error, and serves the others', () => {
    const log = new EventLog('logs/');
    const seen: string[] = [];
    log.subscribe(() => {
      throw new Error('broken listener');
    });
    log.subscribe(({ event }) => seen.push(event));
    log.append(eventOf('a-1', 'one'));
    log.append(eventOf('a-1', 'two'));
    expect(seen).to.deep.equal(['one', 'two']);
    expect(log.listenerErrors).to.have.length(1);
  });
});

describe('event matcher', () => {
  const feed = (
    condition: ReturnType<typeof matchEvent>,
    events: readonly [string, string, object?][],
  ): boolean[] =>
    events.map(([node, event, fields]) => condition.accepts(eventOf(node, event, { ...fields })));

  it('counts', () => {
    const condition = matchEvent({ event: 'x', count: 2 });
    expect(
      feed(condition, [
        ['a-1', 'x'],
        ['a-1', 'y'],
        ['a-1', 'x'],
      ]),
    ).to.deep.equal([false, false, true]);
  });

  it('wants every node once, however often one repeats itself', () => {
    const condition = matchEvent({ event: 'x', nodes: ['a-1', 'a-2'], everyNode: true });
    expect(
      feed(condition, [
        ['a-1', 'x'],
        ['a-1', 'x'],
        ['a-3', 'x'],
        ['a-2', 'x'],
      ]),
    ).to.deep.equal([false, false, false, true]);
  });

  it('compares fields by value', () => {
    const condition = matchEvent({ event: 'x', where: { victim: 'a-2', count: 3 } });
    expect(
      feed(condition, [
        ['a-1', 'x', { victim: 'a-2' }],
        ['a-1', 'x', { victim: 'a-2', count: 3 }],
      ]),
    ).to.deep.equal([false, true]);
  });
});
