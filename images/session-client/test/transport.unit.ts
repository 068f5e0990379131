import { expect } from 'chai';
import { ERROR } from '../errors.ts';
import type { CallResult } from '../transport.ts';
import { CLOSE_CODE } from '../wire.ts';
import { node } from './pool-world.ts';
import { RouterWorld } from './router-world.ts';
import { rule, type Variant, variant } from './rule-test.ts';

const CALL = { kind: 'rpc', method: 'info', params: {} } as const;

interface Verified {
  readonly success: boolean;
  readonly code: number | undefined;
}

/** A wire that answers nothing by itself. */
function silent(one: Variant): RouterWorld {
  const w = new RouterWorld(one);
  w.reachable = undefined;
  return w;
}

function verify(w: RouterWorld, number: number): Verified[] {
  const got: Verified[] = [];
  w.transport.verify(node(number), (success, code) => got.push({ success, code }));
  return got;
}

function call(w: RouterWorld, number: number): CallResult[] {
  const got: CallResult[] = [];
  w.transport.call(node(number), CALL, 10_000, (result) => got.push(result));
  return got;
}

const statusOf = (result: CallResult | undefined): number | undefined =>
  result && ('answer' in result ? result.answer.status : result.status);

describe('the transport', () => {
  it('has one connection to a node, and answers every request over it', () => {
    const w = silent(variant('final'));
    const [a, b] = [call(w, 1), call(w, 1)];
    expect(w.connections).to.have.length(1);
    w.reply(200, '1');
    w.reply(200, '2');
    expect([statusOf(a[0]), statusOf(b[0])]).to.deep.equal([200, 200]);
  });

  it('gives up a request when its time is over, and hears no answer after that', async () => {
    const w = silent(variant('final'));
    const got = call(w, 1);
    await w.clock.leap(10_000);
    expect(statusOf(got[0])).to.equal(ERROR.REQUEST_TIMEOUT);
    w.reply(200, '');
    expect(got).to.have.length(1);
  });

  it('tells those who verify or wait that the connection is gone, and the listeners of the node', () => {
    const w = silent(variant('final'));
    const [verified, got] = [verify(w, 1), call(w, 1)];
    let heard = 0;
    const letGo = w.transport.onFailure(node(1), () => {
      heard += 1;
    });
    w.end(w.connections[0], CLOSE_CODE.LOST);
    expect(verified).to.deep.equal([{ success: false, code: CLOSE_CODE.LOST }]);
    expect(statusOf(got[0])).to.equal(ERROR.UNKNOWN);
    expect(heard).to.equal(1);
    letGo();
    call(w, 1);
    w.end(w.connections[1], CLOSE_CODE.LOST);
    expect(heard).to.equal(1);
  });

  it('verifies at once over a connection that stands', () => {
    const w = silent(variant('final'));
    const first = verify(w, 1);
    w.connections[0]?.listener.opened();
    expect([first, verify(w, 1)]).to.deep.equal([
      [{ success: true, code: undefined }],
      [{ success: true, code: undefined }],
    ]);
    expect(w.connections).to.have.length(1);
  });
});

describe('suspending the transport', () => {
  rule('suspendGuard', 'sets the flag and closes connections; again it does nothing', (one) => {
    const w = silent(one);
    call(w, 1);
    w.transport.suspend();
    w.transport.suspend();
    const closes = w.events('connections.closed').length;
    return statusOf(call(w, 1)[0]) === ERROR.NETWORK_SUSPENDED && closes === 1 && w.connections.length === 1;
  });

  rule('suspendedIsNotClosed', 'tells requests under way that we are suspended', (one) => {
    const w = silent(one);
    const got = call(w, 1);
    w.transport.suspend();
    return statusOf(got[0]) === ERROR.NETWORK_SUSPENDED;
  });

  it('ends requests as suspended, and new ones go out after it resumes', () => {
    const w = silent(variant('final'));
    const got = call(w, 1);
    w.transport.suspend();
    expect(got.map(statusOf)).to.deep.equal([ERROR.NETWORK_SUSPENDED]);
    expect(verify(w, 2)).to.deep.equal([{ success: false, code: undefined }]);
    w.transport.resume();
    call(w, 1);
    expect(w.connections).to.have.length(2);
  });
});

describe('closing connections', () => {
  rule('takePendingFirst', 'answers verifications from copies, once, and without an error code', (one) => {
    const w = silent(one);
    const got = verify(w, 1);
    w.transport.closeConnections();
    return got.length === 1 && got[0]?.success === false && got[0].code === undefined;
  });

  it('answers verifications and requests after the connections are closed', () => {
    const w = silent(variant('final'));
    const closedThen: (boolean | undefined)[] = [];
    const note = (): void => {
      closedThen.push(w.to(node(1))?.closed);
    };
    w.transport.verify(node(1), note);
    w.transport.call(node(1), CALL, 10_000, note);
    w.transport.closeConnections();
    expect(closedThen).to.deep.equal([true, true]);
  });

  rule('closeIsNoEvidence', 'gives no code against the node', (one) => {
    const w = silent(one);
    const got = verify(w, 1);
    w.transport.closeConnections();
    return got[0]?.code === undefined;
  });

  rule(
    'closedIsNotSuspended',
    'tells requests that the connection was closed, not that we are suspended',
    (one) => {
      const w = silent(one);
      const got = call(w, 1);
      w.transport.closeConnections();
      return statusOf(got[0]) === ERROR.CONNECTION_CLOSED;
    },
  );

  rule(
    'reentrantVerifyFails',
    'fails a verification that is asked for by somebody who is answered',
    (one) => {
      const w = silent(one);
      const again: boolean[] = [];
      w.transport.verify(node(1), () => w.transport.verify(node(2), (success) => again.push(success)));
      w.transport.closeConnections();
      return again.join() === 'false' && w.connections.length === 1;
    },
  );

  it('leaves the transport usable', () => {
    const w = silent(variant('final'));
    call(w, 1);
    w.transport.closeConnections();
    call(w, 1);
    expect(w.connections).to.have.length(2);
  });
});

describe('an edge that cannot be verified', () => {
  const strikesAfter = (one: Variant, code: number): number => {
    const w = silent(one);
    w.onion();
    const [connection] = w.connections;
    w.end(connection, code);
    return w.pool.strikes.count(connection?.to.ed25519 ?? '');
  };

  rule('handshakeTimeoutSpared', 'is struck once for a handshake that took too long', (one) => {
    return strikesAfter(one, CLOSE_CODE.HANDSHAKE_TIMEOUT) === 1;
  });

  rule('codeZeroStrikes', 'is struck for a close with code 0 that is not ours', (one) => {
    return strikesAfter(one, CLOSE_CODE.ORDERLY) === 1;
  });

  it('is not struck when we suspend or close in the middle of it, but was by the old client', () => {
    for (const [name, expected] of [
      ['final', 0],
      ['original', 1],
    ] as const) {
      const w = silent(variant(name));
      const router = w.onion();
      const edge = w.connections[0]?.to.ed25519 ?? '';
      if (name === 'final') router.closeConnections();
      w.transport.closeConnections();
      if (name === 'original') router.closeConnections();
      expect(w.pool.strikes.count(edge), name).to.equal(expected);
    }
  });
});
