import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { manualClock, systemClock } from '../../../harness/clock/index.ts';
import {
  askNode,
  createNodeListener,
  type HttpAnswer,
  type ListenerRequest,
  type NodeListener,
  type NodeTarget,
  NodeTransport,
  nodeIdentity,
  TransportError,
} from '../index.ts';

const identity = nodeIdentity('7', 'storage-1');

function faultOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'none',
    (error: unknown) => (error instanceof TransportError ? [error.fault, error.maybeSent] : error),
  );
}

describe('the connection of client and node', () => {
  const clock = systemClock();
  const seen: ListenerRequest[] = [];
  let answer: (request: ListenerRequest) => HttpAnswer | Promise<HttpAnswer>;
  let listener: NodeListener;
  let target: NodeTarget;
  const transports: NodeTransport[] = [];

  beforeEach(async () => {
    answer = () => ({ status: 200, json: { ok: true } });
    listener = await createNodeListener({
      host: '127.0.0.1',
      port: 0,
      identity,
      onTrouble: () => undefined,
      bodyMaxBytes: 1_000,
      onRequest: (request) => {
        seen.push(request);
        return answer(request);
      },
    });
    target = { ip: '127.0.0.1', httpsPort: listener.port, ed25519: identity.ed25519 };
  });
  afterEach(async () => {
    for (const transport of transports.splice(0)) transport.close();
    await listener.close();
    seen.length = 0;
  });

  function transport(more: Partial<ConstructorParameters<typeof NodeTransport>[0]> = {}): NodeTransport {
    const made = new NodeTransport({ clock, handshakeTimeoutMs: 3_000, ...more });
    transports.push(made);
    return made;
  }
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  };

  it('is kept and used again, comes from the client’s address, and its bytes are counted alike at both ends', async () => {
    const client = transport({ localAddress: '127.0.0.42' });
    const first = await client.request(target, '/a?b', 'x', { timeoutMs: 5_000 });
    const second = await client.request(target, '/a', 'y', { timeoutMs: 5_000 });
    expect([first.reused, second.reused]).to.deep.equal([false, true]);
    expect(seen.map(({ from, path, connection }) => [from, path, connection])).to.deep.equal([
      ['127.0.0.42', '/a', 1],
      ['127.0.0.42', '/a', 1],
    ]);
    client.close();
    await until(() => listener.connections === 0);
    const { received, sent } = client.bytes();
    expect(received).to.be.above(500);
    expect(listener.bytes()).to.deep.include({ received: sent });
    expect(Math.abs(listener.bytes().sent - received)).to.be.below(100);
  });

  it('is with the node of that key and nobody else', async () => {
    const other = { ...target, ed25519: nodeIdentity('7', 'storage-2').ed25519 };
    const client = transport();
    await client.request(target, '/', '', { timeoutMs: 5_000 });
    expect(await faultOf(client.request(other, '/', '', { timeoutMs: 5_000 }))).to.deep.equal([
      'wrong-node',
      false,
    ]);
    expect(seen).to.have.length(1);
  });

  it('says whether anything may have been sent: not when refused, maybe when the node cuts it', async () => {
    answer = () => 'cut';
    expect(await faultOf(transport().request(target, '/', '', { timeoutMs: 5_000 }))).to.deep.equal([
      'disconnected',
      true,
    ]);
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as { port: number };
    closed.close();
    await once(closed, 'close');
    expect(
      await faultOf(transport().request({ ...target, httpsPort: port }, '/', '', { timeoutMs: 5_000 })),
    ).to.deep.equal(['not-connected', false]);
  });

  it('tells an end in an orderly way before TLS from a reset', async () => {
    const ending = createServer({ allowHalfOpen: true }, (socket) => socket.once('data', () => socket.end()));
    const resetting = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const faults: unknown[] = [];
    for (const server of [ending, resetting]) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as { port: number };
      faults.push(
        await faultOf(transport().request({ ...target, httpsPort: port }, '/', '', { timeoutMs: 5_000 })),
      );
      server.close();
    }
    expect(faults).to.deep.equal([
      ['hung-up', false],
      ['not-connected', false],
    ]);
  });

  it('gives up a handshake and an answer by the clock', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const led = manualClock();
    const handshake = faultOf(
      transport({ clock: led }).request({ ...target, httpsPort: port }, '/', '', { timeoutMs: 10_000 }),
    );
    const [socket] = await once(silent, 'connection');
    await led.leap(3_000);
    expect(await handshake).to.deep.equal(['handshake-timeout', false]);
    (socket as { destroy(): void }).destroy();
    silent.close();

    answer = () => new Promise(() => undefined);
    const pending = faultOf(transport({ clock: led }).request(target, '/', '', { timeoutMs: 10_000 }));
    await until(() => seen.length === 1);
    await led.leap(10_000);
    expect(await pending).to.deep.equal(['timeout', true]);
  });

  it('ends every request once when its owner closes it, and none begins afterwards', async () => {
    answer = () => new Promise(() => undefined);
    const client = transport();
    const pending = [1, 2, 3].map(() => faultOf(client.request(target, '/', '', { timeoutMs: 5_000 })));
    await until(() => seen.length === 3);
    client.close();
    expect(await Promise.all(pending)).to.deep.equal(Array(3).fill(['closed', true]));
    expect(await faultOf(client.request(target, '/', '', { timeoutMs: 5_000 }))).to.deep.equal([
      'closed',
      false,
    ]);
    await until(() => listener.connections === 0);
  });

  it('ends with the signal, and takes no larger answer or body than allowed', async () => {
    answer = ({ path }) => ({ status: 200, text: path === '/big' ? 'x'.repeat(5_000) : '' });
    const client = transport({ answerMaxBytes: 4_000 });
    expect(await faultOf(client.request(target, '/big', '', { timeoutMs: 5_000 }))).to.deep.equal([
      'answer-too-large',
      true,
    ]);
    const large = await client.request(target, '/', 'x'.repeat(1_001), { timeoutMs: 5_000 });
    expect(large.status).to.equal(413);
    answer = () => new Promise(() => undefined);
    const aborting = new AbortController();
    const pending = faultOf(client.request(target, '/', '', { timeoutMs: 5_000, signal: aborting.signal }));
    await until(() => seen.length === 2);
    aborting.abort();
    expect(await pending).to.deep.equal(['aborted', true]);
  });

  it('carries requests and answers of the protocol', async () => {
    answer = ({ body }) => ({ status: 421, json: { got: JSON.parse(body.toString()) as unknown } });
    const request = { method: 'info', params: {} };
    expect(await askNode(transport(), target, request, { timeoutMs: 5_000 })).to.deep.equal({
      status: 421,
      body: { got: request },
    });
    answer = () => ({ status: 429, text: 'slow down' });
    expect(await askNode(transport(), target, request, { timeoutMs: 5_000 })).to.deep.equal({
      status: 429,
      body: 'slow down',
    });
  });
});
