import { once } from 'node:events';
import { createServer as createTcpServer, type Server } from 'node:net';
import { expect } from 'chai';
import { type LeapingClock, manualClock, systemClock } from '../../../harness/clock/index.ts';
import {
  connectSmp,
  createSmpListener,
  parseServerAddress,
  type ServerAddress,
  type SmpListener,
  type SmpPeer,
  serverIdentity,
} from '../index.ts';

const SEED = '7';

describe('a connection of client and server', () => {
  const clock = systemClock();
  const peers: SmpPeer[] = [];
  const refused: string[] = [];
  let listener: SmpListener;
  let address: ServerAddress;

  before(async () => {
    listener = await createSmpListener({
      host: '127.0.0.1',
      port: 0,
      identity: serverIdentity(SEED, 'relay-1'),
      clock,
      helloTimeoutMs: 5_000,
      connectionsMax: 100,
      onPeer: (peer) => peers.push(peer),
      onRefused: (_, reason) => refused.push(reason),
    });
    address = parseServerAddress(`relay-1@127.0.0.1:${listener.port}`, SEED);
  });
  after(() => listener.close());
  afterEach(() => {
    for (const peer of peers.splice(0)) peer.close('the test is over');
    refused.length = 0;
  });

  const connect = (more: Partial<Parameters<typeof connectSmp>[0]> = {}) =>
    connectSmp({ address, clock, timeoutMs: 5_000, ...more });
  /** The server's end, once it is there. */
  async function peer(): Promise<SmpPeer> {
    while (peers.length === 0) await new Promise((resolve) => setImmediate(resolve));
    return peers[0] as SmpPeer;
  }

  it('is one TLS 1.3 session, which both ends call by the same name of 32 bytes', async () => {
    const connection = await connect();
    const { facts } = await peer();
    expect(connection.facts.session.sessionId.length).to.equal(32);
    expect(Buffer.from(connection.facts.session.sessionId).equals(facts.sessionId)).to.equal(true);
    expect([connection.facts.version, facts.version]).to.deep.equal([10, 10]);
    expect(facts.proxyBox).to.equal(undefined);
    connection.close();
  });

  it('gives a proxy and its relay a box of their own', async () => {
    const connection = await connect({ asProxy: true });
    const { facts } = await peer();
    const nonce = Buffer.alloc(24, 1);
    const sealed = connection.facts.proxyBox?.seal(nonce, Buffer.from('through'));
    expect(facts.proxyBox?.open(nonce, sealed ?? nonce)?.toString()).to.equal('through');
    connection.close();
  });

  it('is with the server of that fingerprint and nobody else', async () => {
    const other = parseServerAddress(`relay-2@127.0.0.1:${listener.port}`, SEED);
    const error = await connect({ address: other }).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'smp-network' });
    expect((error as Error).message).to.include('another server');
  });

  it('finds the request to each answer, whatever their order, and tells what came too late', async () => {
    const events: string[] = [];
    const connection = await connect({ onEvent: (_, message) => events.push(message.tag) });
    const server = await peer();
    const entityId = Buffer.alloc(24, 5);
    const both = [
      connection.request({ tag: 'SUB' }, { entityId, timeoutMs: 5_000 }),
      connection.request({ tag: 'PING' }, { timeoutMs: 5_000 }),
    ];
    const first = (await server.next())?.[0];
    const second = (await server.next())?.[0];
    if (!first || !second) throw new Error('two commands expected');
    server.send({ tag: 'PONG' }, second.entityId, second.correlationId);
    server.send({ tag: 'OK' }, first.entityId, first.correlationId);
    server.send({ tag: 'OK' }, first.entityId, first.correlationId);
    server.send({ tag: 'END' }, entityId);
    expect((await Promise.all(both)).map(({ tag }) => tag)).to.deep.equal(['OK', 'PONG']);
    while (events.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(events).to.deep.equal(['END']);
    expect(connection.lateAnswers).to.equal(1);
    connection.close();
  });

  it('takes an answer for another queue for none, and an ERR for an error', async () => {
    const connection = await connect();
    const server = await peer();
    const ask = () => connection.request({ tag: 'SUB' }, { entityId: Buffer.alloc(24, 5), timeoutMs: 5_000 });
    const outcome = ask().catch((error: unknown) => error);
    const asked = (await server.next())?.[0];
    server.send({ tag: 'OK' }, Buffer.alloc(24, 6), asked?.correlationId);
    expect(await outcome).to.include({ code: 'smp-unexpected' });
    const second = ask().catch((error: unknown) => error);
    const again = (await server.next())?.[0];
    server.send({ tag: 'ERR', error: { tag: 'AUTH' } }, Buffer.alloc(0), again?.correlationId);
    expect(await second).to.deep.include({ failure: { kind: 'protocol', error: { tag: 'AUTH' } } });
    connection.close();
  });

  it('counts commands without an answer in a row, and any block sets the count back', async () => {
    const led = manualClock();
    const connection = await connect({ clock: led });
    const server = await peer();
    const ask = () =>
      connection.request({ tag: 'PING' }, { timeoutMs: 10_000 }).catch((error: unknown) => error);
    for (const expected of [1, 2]) {
      const outcome = ask();
      await led.leap(10_000);
      expect(await outcome).to.include({ code: 'smp-timeout' });
      expect(connection.timeoutsInRow).to.equal(expected);
    }
    server.send({ tag: 'END' }, Buffer.alloc(24));
    while (connection.timeoutsInRow > 0) await new Promise((resolve) => setImmediate(resolve));
    connection.close();
  });

  it('ends a request by its signal, with the signal’s reason', async () => {
    const connection = await connect();
    await peer();
    const leaving = new AbortController();
    const outcome = connection
      .request({ tag: 'PING' }, { timeoutMs: 60_000, signal: leaving.signal })
      .catch((error: unknown) => error);
    leaving.abort(new Error('left'));
    expect(await outcome).to.have.property('message', 'left');
    expect(connection.pendingCount).to.equal(0);
    connection.close();
  });

  it('lets a request under way wait for its timeout when the connection ends, and fails the next at once', async () => {
    const led = manualClock();
    const connection = await connect({ clock: led });
    const server = await peer();
    const outcome = connection
      .request({ tag: 'PING' }, { timeoutMs: 30_000 })
      .catch((error: unknown) => error);
    await server.next();
    server.close('gone');
    await connection.closed;
    expect(connection.pendingCount).to.equal(1);
    await led.leap(30_000);
    expect(await outcome).to.include({ code: 'smp-timeout' });
    const next = await connection.request({ tag: 'PING' }, { timeoutMs: 1 }).catch((error: unknown) => error);
    expect(next).to.include({ code: 'smp-network' });
  });

  describe('kept alive', () => {
    const alive = { pingIntervalMs: 600_000, pingCount: 3, silenceMs: 900_000, pingTimeoutMs: 30_000 };
    async function silentConnection(led: LeapingClock, pings: boolean) {
      const connection = await connect({ clock: led, keepAlive: { ...alive, pings: () => pings } });
      await peer();
      return connection;
    }
    const endsWithin = async (closed: Promise<string>): Promise<string> =>
      await Promise.race([closed, new Promise<string>((resolve) => setTimeout(resolve, 20, 'still open'))]);

    it('is dropped after three commands without an answer and fifteen minutes of silence', async () => {
      const led = manualClock();
      const connection = await silentConnection(led, true);
      await led.leap(29 * 60_000);
      expect(await endsWithin(connection.closed)).to.equal('still open');
      await led.leap(60 * 60_000);
      expect(await connection.closed).to.include('no answer to 3 commands');
    });

    it('is never dropped while nothing was asked', async () => {
      const led = manualClock();
      const connection = await silentConnection(led, false);
      await led.leap(24 * 3_600_000);
      expect(await endsWithin(connection.closed)).to.equal('still open');
      connection.close();
    });
  });

  describe('to a server that takes connections and says nothing', () => {
    let silent: Server;
    before(async () => {
      silent = createTcpServer((socket) => socket.on('error', () => socket.destroy())).listen(0, '127.0.0.1');
      await once(silent, 'listening');
    });
    after(() => silent.close());

    it('fails when its time is over, and at once when its signal says so', async () => {
      const { port } = silent.address() as { port: number };
      const nowhere = parseServerAddress(`relay-1@127.0.0.1:${port}`, SEED);
      const led = manualClock();
      const late = connect({ address: nowhere, clock: led, timeoutMs: 45_000 }).catch(
        (error: unknown) => error,
      );
      await led.leap(45_000);
      expect(await late).to.include({ code: 'smp-network' });
      const leaving = new AbortController();
      const left = connect({ address: nowhere, signal: leaving.signal }).catch((error: unknown) => error);
      leaving.abort(new Error('left'));
      expect(await left).to.have.property('message', 'left');
    });
  });

  it('says of an onion address that no host of it can be reached', async () => {
    const onion = { ...address, hosts: ['abcdef.onion'] };
    expect(await connect({ address: onion }).catch((error: unknown) => error)).to.include({
      code: 'smp-host',
    });
  });
});
