import { connect as connectTcp } from 'node:net';
import { expect } from 'chai';
import { manualClock, systemClock } from '../../../harness/clock/index.ts';
import { encodeBlock, NOTHING } from '../../smp-kit/index.ts';
import { HOSTILE_CONNECTIONS, HOSTILE_FORWARDS, HOSTILE_REQUESTS } from './hostile-tries.ts';
import { type InProcessServer, newQueue, outcomeOf, SOON_MS, send, TestBed, until } from './in-process.ts';
import { RawClient } from './raw-client.ts';

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
