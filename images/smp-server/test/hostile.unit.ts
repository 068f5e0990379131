import { once } from 'node:events';
import { connect as connectTcp, createServer } from 'node:net';
import { expect } from 'chai';
import { manualClock, systemClock } from '../../../harness/clock/index.ts';
import { encodeBlock, NOTHING } from '../../smp-kit/index.ts';
import {
  HOSTILE_CONNECTIONS,
  HOSTILE_FORWARDS,
  HOSTILE_RELAYS,
  HOSTILE_REQUESTS,
  HOSTILE_SENDS,
  sessionWith,
  stall,
} from './hostile-tries.ts';
import { type InProcessServer, newQueue, outcomeOf, SOON_MS, send, TestBed, until } from './in-process.ts';
import { RawClient } from './raw-client.ts';
import { RawQueue } from './raw-queue.ts';
import { tryAll } from './try-all.ts';

describe('an SMP server among strangers', () => {
  const bed = new TestBed(systemClock());
  let server: InProcessServer;
  before(async () => {
    server = await bed.serve('relay-1');
  });
  after(() => bed.close());

  /** It is there for others, and keeps nothing of who has gone. */
  async function expectWell(): Promise<void> {
    const connection = await bed.connect(server.address);
    const queue = await newQueue(connection);
    const said = connection.request(send('x'), { entityId: queue.senderId, timeoutMs: SOON_MS });
    expect(await outcomeOf(said)).to.equal('OK');
    await queue.ask({ tag: 'DEL' });
    connection.close();
    await until(() => server.server.state()['clients'] === 0);
    expect(server.server.state()).to.include({ queues: 0, messages: 0, storedBytes: 0, slotsInUse: 0 });
  }

  for (const { name, expected, run } of HOSTILE_CONNECTIONS) {
    it(`cuts ${name}`, async () => {
      expect(await run(server.address)).to.match(
        expected instanceof RegExp ? expected : new RegExp(expected),
      );
      await expectWell();
    });
  }

  for (const { name, expected, ask } of HOSTILE_REQUESTS) {
    it(`answers ${expected} to ${name}`, async () => {
      const client = await RawClient.join(server.address);
      expect(await ask(client)).to.equal(expected);
      expect(await client.ask('PING'), 'and the session goes on').to.equal('PONG');
      client.close();
    });
  }

  for (const { name, expected, ask } of HOSTILE_FORWARDS) {
    it(`answers ${expected} to ${name}`, async () => {
      const proxy = await RawClient.join(server.address, true);
      expect(await ask(proxy)).to.equal(expected);
      expect(await proxy.ask('PING'), 'and the session goes on').to.equal('PONG');
      proxy.close();
    });
  }

  for (const { name, expected, ask } of HOSTILE_SENDS) {
    it(`answers ${expected} to ${name}`, async () => {
      const [client, queue] = [await RawClient.join(server.address), await RawQueue.make(server.address)];
      expect(await ask(client, queue)).to.equal(expected);
      expect(await client.ask('PING'), 'and the session goes on').to.equal('PONG');
      expect(server.server.state()).to.include({ queues: 1, messages: 0 });
      client.close();
      expect(await queue.remove(), 'the queue is its recipient’s').to.equal('OK');
    });
  }

  for (const { name, expected, relay } of HOSTILE_RELAYS) {
    it(`answers ${expected} to a session with ${name}`, async () => {
      const client = await RawClient.join(server.address);
      expect(await client.ask(sessionWith(relay(server.address)))).to.equal(expected);
      expect(await client.ask('PING'), 'and the session goes on').to.equal('PONG');
      client.close();
    });
  }

  it('is well after all of them in a row, by the same sessions', async () => {
    await tryAll(server.address, 2);
    await expectWell();
  });

  it('says why to itself, not to the stranger', async () => {
    const reasons = server.events
      .filter(({ event }) => event === 'client.refused')
      .map(({ fields }) => fields['reason']);
    expect(reasons).to.include.members([
      'HANDSHAKE PARSE',
      'HANDSHAKE IDENTITY',
      'HANDSHAKE BAD_AUTH',
      'VERSION',
    ]);
  });

  it('does not read on while its answers are not read', async () => {
    const client = await RawClient.join(server.address);
    expect(await client.ask('PING')).to.equal('PONG');
    const ping = { authorization: NOTHING, correlationId: Buffer.alloc(24, 3), entityId: NOTHING };
    const block = encodeBlock([{ ...ping, content: Buffer.from('PING') }]);
    const other = await bed.connect(server.address);
    const [pings, answers] = [2_000, () => Number(server.server.state()['commandsEver'])];
    const before = answers();
    for (let sent = 0; sent < pings; sent += 1) client.stream.send(block);
    // It has stopped when it does nothing for this client while it serves another for a while.
    let asked = 0;
    for (let idle = 0; idle < 20; ) {
      const seen = answers();
      expect((await other.request({ tag: 'PING' }, { timeoutMs: SOON_MS })).tag).to.equal('PONG');
      asked += 1;
      idle = answers() === seen + 1 ? idle + 1 : 0;
    }
    expect(answers() - before - asked).to.be.within(1, pings / 2);
    for (let read = 0; read < pings; read += 1) await client.stream.next();
    expect(answers() - before - asked).to.equal(pings);
    client.close();
    other.close();
  });

  it('keeps of a message what was sent of it, and not the block that it came in', async () => {
    const connection = await bed.connect(server.address);
    const queue = await newQueue(connection, { subscribe: false });
    for (let sent = 0; sent < 5; sent += 1) {
      await connection.request(send('x'), { entityId: queue.senderId, timeoutMs: SOON_MS });
    }
    expect(server.server.state()).to.include({ messages: 5, storedBytes: 5 });
    await queue.ask({ tag: 'DEL' });
  });
});

describe('an SMP server that strangers have connect', () => {
  const relaysOf = (server: InProcessServer) =>
    server.server.state()['relays'] as readonly { readonly relay: string; readonly status: string }[];

  it('remembers so many relays and no more, the newest failures', async () => {
    const bed = new TestBed(manualClock());
    const server = await bed.serve('proxy-1', { relaysMax: 3 });
    const client = await RawClient.join(server.address);
    for (let port = 1; port <= 8; port += 1) {
      const relay = { hosts: ['127.0.0.1'], port: String(port), fingerprint: Buffer.alloc(32, port) };
      expect(await client.ask(sessionWith(relay))).to.equal('PROXY BROKER NETWORK');
    }
    expect(relaysOf(server).map(({ relay }) => relay)).to.deep.equal([
      '127.0.0.1:6',
      '127.0.0.1:7',
      '127.0.0.1:8',
    ]);
    client.close();
    await bed.close();
  });

  it('connects to no further relay while all that it has are connections, and to one again when it has room', async () => {
    const bed = new TestBed(manualClock());
    const proxy = await bed.serve('proxy-1', { relaysMax: 1 });
    const [one, other] = [await bed.serve('relay-1'), await bed.serve('relay-2')];
    const client = await RawClient.join(proxy.address);
    const ask = ({ address }: InProcessServer) => client.ask(sessionWith(address));
    expect(await ask(one)).to.equal('PKEY');
    expect(await ask(other)).to.equal('PROXY BROKER NETWORK');
    expect(await ask(one), 'what it has it keeps').to.equal('PKEY');
    await one.server.close();
    await until(() => relaysOf(proxy).length === 0);
    expect(await ask(other)).to.equal('PKEY');
    client.close();
    await bed.close();
  });

  it('lets go of relays that never speak, when the one who asked for them leaves', async () => {
    const bed = new TestBed();
    const server = await bed.serve('proxy-1');
    const silent = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      bed.later(() => socket.destroy());
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    bed.later(() => silent.close());
    const { port } = silent.address() as { readonly port: number };
    await stall(server.address, { hosts: ['127.0.0.1'], port: String(port) }, 20);
    await until(() => server.server.state()['clients'] === 0 && relaysOf(server).length === 0);
    expect(server.server.state()).to.include({ slotsInUse: 0 });
    expect(server.events.filter(({ event }) => event === 'relay.abandoned')).to.have.length(20);
    await bed.close();
  });
});

describe('an SMP server and the time that a stranger may take', () => {
  it('cuts who has no TLS, or no hello, after a minute on its clock', async () => {
    const clock = manualClock();
    const bed = new TestBed(clock);
    const { server, address, events } = await bed.serve('relay-1');
    const reasons = () =>
      events.filter(({ event }) => event === 'client.refused').map(({ fields }) => fields['reason']);
    const silent = connectTcp({ host: '127.0.0.1', port: server.port });
    silent.on('error', () => silent.destroy());
    const closed = new Promise((resolve) => silent.once('close', resolve));
    silent.resume();
    const shy = await RawClient.connect(address);
    await clock.leap(59_999);
    expect(reasons()).to.deep.equal([]);
    await clock.leap(1);
    await Promise.all([closed, shy.stream.closed]);
    await until(() => reasons().length === 2);
    expect(reasons()).to.have.members(['no TLS in time', 'no hello in time']);
    await bed.close();
  });

  it('takes no more connections than it may', async () => {
    const bed = new TestBed();
    const { address } = await bed.serve('relay-1', { connectionsMax: 2 });
    await bed.connect(address);
    await bed.connect(address);
    const third = await bed.connect(address).catch((error: { code: string }) => error.code);
    expect(third).to.equal('smp-network');
    await bed.close();
  });
});
