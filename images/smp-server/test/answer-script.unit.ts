import { expect } from 'chai';
import { type LeapingClock, manualClock } from '../../../harness/clock/index.ts';
import { forwardCommand, type ProxiedAnswer, requestProxiedRelay } from '../../smp-kit/index.ts';
import { readAnswers, type ScriptedAnswer } from '../answer-script.ts';
import { newQueue, send, TestBed, until } from './in-process.ts';

const LONG_MS = 10_000_000;

const answers = (...list: unknown[]): readonly ScriptedAnswer[] => {
  const read = readAnswers({ answers: list });
  if (typeof read === 'string') throw new Error(read);
  return read;
};

describe('scripted answers of a proxy', () => {
  let clock: LeapingClock;
  let bed: TestBed;
  beforeEach(() => {
    clock = manualClock();
    bed = new TestBed(clock);
  });
  afterEach(() => bed.close());

  async function stage() {
    const [relay, proxy] = [await bed.serve('relay-1'), await bed.serve('proxy-1')];
    const queue = await newQueue(await bed.connect(relay.address));
    const client = await bed.connect(proxy.address);
    const route = await requestProxiedRelay(client, relay.address, { timeoutMs: LONG_MS });
    const forward = (): Promise<ProxiedAnswer> =>
      forwardCommand(client, route, send('x'), { entityId: queue.senderId, timeoutMs: LONG_MS });
    return { relay, proxy, client, forward, script: proxy.server.script };
  }
  const told = ({ from, ...answer }: ProxiedAnswer): string => JSON.stringify({ from, ...answer });

  it('are given in their order, each to the next request of its command, and then no more', async () => {
    const { forward, script, relay } = await stage();
    script.begin(
      answers(
        { command: 'PFWD', error: 'PROXY BROKER TIMEOUT' },
        { command: 'PRXY', error: 'PROXY BROKER NETWORK' },
        { command: 'PFWD', error: 'PROXY NO_SESSION' },
      ),
    );
    expect(told(await forward())).to.contain('TIMEOUT');
    expect(told(await forward())).to.contain('NO_SESSION');
    expect(script.left).to.equal(1);
    expect(await forward()).to.deep.equal({ from: 'relay', message: { tag: 'OK' } });
    expect(relay.server.state()).to.include({ messages: 1 });
  });

  it('come as much later as they say, on the node’s clock', async () => {
    const { forward, script } = await stage();
    script.begin(answers({ command: 'PFWD', error: 'PROXY BROKER TIMEOUT', delayMs: 29_000 }));
    let ended = false;
    const answer = forward().finally(() => {
      ended = true;
    });
    await until(() => script.left === 0);
    await clock.leap(28_999);
    expect(ended).to.equal(false);
    await clock.leap(1);
    expect(told(await answer)).to.contain('TIMEOUT');
  });

  it('without an error are what really came of the request, late', async () => {
    const { forward, script, relay } = await stage();
    script.begin(answers({ command: 'PFWD', delayMs: 5_000 }));
    let answered = false;
    const answer = forward().finally(() => {
      answered = true;
    });
    await until(() => relay.server.state()['messages'] === 1);
    expect(answered).to.equal(false);
    while (!answered) {
      // The proxy sets its timer when the relay's answer has come, a moment later.
      await clock.leap(5_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await answer).to.deep.equal({ from: 'relay', message: { tag: 'OK' } });
  });

  it('are refused, with what is wrong, when they are none', () => {
    const problem = (body: unknown): unknown => readAnswers(body);
    expect(problem({})).to.match(/expected a list/);
    expect(problem({ answers: [{ command: 'SEND' }] })).to.match(/answers\[0\].*PRXY or PFWD/);
    expect(problem({ answers: [{ command: 'PFWD', delayMs: -1 }] })).to.match(/delayMs -1/);
    expect(problem({ answers: [{ command: 'PFWD', error: 'PROXY NONSENSE' }] })).to.match(
      /expected one of SMP/,
    );
    expect(problem({ answers: Array(1_001).fill({ command: 'PFWD' }) })).to.match(/at most 1000/);
    expect(problem({ answers: [null] })).to.match(/command undefined/);
  });
});
