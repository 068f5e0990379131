import { expect } from 'chai';
import { manualClock } from '../../../harness/clock/index.ts';
import { AgentError } from '../agent-error.ts';
import { BACKGROUND } from '../request-mode.ts';
import { ServerClients } from '../server-clients.ts';
import { FakeNetwork } from './fake-network.ts';

const P1 = { name: 'P1', address: 'smp://P1', host: 'P1' };
const WAITS = { backgroundMs: 45_000, interactiveMs: 15_000 };

function clientsOf(persistErrorIntervalMs: number) {
  const clock = manualClock();
  const network = new FakeNetwork(clock);
  const clients = new ServerClients(
    network.wire(),
    clock,
    { connect: WAITS, persistErrorIntervalMs },
    { connected: () => undefined, delivered: () => undefined, disconnected: () => undefined },
  );
  const outcome = async () => {
    try {
      return (await clients.get(P1, BACKGROUND)).server.name;
    } catch (error) {
      if (error instanceof AgentError) return error.message;
      throw error;
    }
  };
  return { clock, server: network.server('P1'), outcome };
}

describe('a connection that failed', () => {
  it('is everybody’s answer for 3 s, and nobody tries again meanwhile; then the next request does', async () => {
    const { clock, server, outcome } = clientsOf(3_000);
    server.state = 'down';
    expect(await outcome()).to.equal('BROKER P1 NETWORK');
    server.state = 'up';
    for (const laterMs of [0, 1_500, 1_499]) {
      await clock.leap(laterMs);
      expect([await outcome(), server.attempts]).to.deep.equal(['BROKER P1 NETWORK', 1]);
    }
    await clock.leap(1);
    expect([await outcome(), server.attempts]).to.deep.equal(['P1', 2]);
  });

  it('counts its 3 s from the failure, which after a silent connect is 45 s on', async () => {
    const { clock, server, outcome } = clientsOf(3_000);
    server.state = 'silent';
    const first = outcome();
    await clock.leap(45_000);
    expect(await first).to.equal('BROKER P1 TIMEOUT');
    server.state = 'up';
    await clock.leap(2_999);
    expect([await outcome(), server.attempts]).to.deep.equal(['BROKER P1 TIMEOUT', 1]);
    await clock.leap(1);
    expect([await outcome(), server.attempts]).to.deep.equal(['P1', 2]);
  });

  it('is nobody’s answer but its own where nothing is to be kept', async () => {
    const { server, outcome } = clientsOf(0);
    server.state = 'down';
    expect(await outcome()).to.equal('BROKER P1 NETWORK');
    server.state = 'up';
    expect([await outcome(), server.attempts]).to.deep.equal(['P1', 2]);
  });
});
