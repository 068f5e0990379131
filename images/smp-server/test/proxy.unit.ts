import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { type LeapingClock, manualClock } from '../../../harness/clock/index.ts';
import {
  createSmpListener,
  forwardCommand,
  type ProxiedRelay,
  parseServerAddress,
  publicPart,
  requestProxiedRelay,
  type ServerAddress,
  type ServerMessage,
  type SmpConnection,
  type SmpListener,
  serverIdentity,
} from '../../smp-kit/index.ts';
import type { ServerRules } from '../server-options.ts';
import {
  agreementKey,
  type InProcessServer,
  newQueue,
  outcomeOf,
  SEED,
  SOON_MS,
  send,
  TestBed,
  until,
} from './in-process.ts';

/** Longer than anything a proxy waits for: what a client that is not the subject of a test waits. */
const PATIENT_MS = 10_000_000;

describe('an SMP server as a proxy', () => {
  let clock: LeapingClock;
  let bed: TestBed;
  beforeEach(() => {
    clock = manualClock();
    bed = new TestBed(clock);
  });
  afterEach(() => bed.close());

  const session = (proxy: SmpConnection, relay: ServerAddress): Promise<ProxiedRelay> =>
    requestProxiedRelay(proxy, relay, { timeoutMs: PATIENT_MS });
  const sessionOutcome = (proxy: SmpConnection, relay: ServerAddress): Promise<string> =>
    outcomeOf(session(proxy, relay).then(() => ({ tag: 'OK' }) as ServerMessage));
  /** Who answered, and what. */
  async function forwardOutcome(
    proxy: SmpConnection,
    relay: ProxiedRelay,
    entityId: Uint8Array = Buffer.alloc(24),
  ): Promise<string> {
    const answer = await forwardCommand(proxy, relay, send('x'), { entityId, timeoutMs: PATIENT_MS });
    if (answer.from === 'relay') {
      return `relay ${answer.message.tag === 'ERR' ? JSON.stringify(answer.message.error) : answer.message.tag}`;
    }
    return `proxy ${await outcomeOf(Promise.reject({ facts: { failure: wordsOf(answer.failure) } }))}`;
  }
  const wordsOf = (failure: { kind: string; error?: unknown }): string =>
    JSON.stringify(failure.error ?? failure.kind);
  const BROKER = (tag: string): string =>
    `proxy {"tag":"PROXY","proxy":{"tag":"BROKER","broker":{"tag":"${tag}"}}}`;

  /** A relay that says hello and then answers nothing: what the proxy's commands meet in the document's black hole. */
  async function hole(name: string, port = 0): Promise<{ address: ServerAddress; listener: SmpListener }> {
    const listener = await createSmpListener({
      host: '127.0.0.1',
      port,
      identity: serverIdentity(SEED, name),
      clock,
      helloTimeoutMs: SOON_MS,
      connectionsMax: 100,
      onPeer: async (peer) => {
        while (await peer.next());
      },
      onRefused: () => undefined,
    });
    bed.later(() => listener.close());
    return { listener, address: parseServerAddress(`${name}@127.0.0.1:${listener.port}`, SEED) };
  }
  const prxyEvents = ({ events }: InProcessServer) =>
    events.filter(({ event }) => event.startsWith('relay.')).map(({ event }) => event);

  it('hands a command on, and the relay’s answer back', async () => {
    const [relay, proxy] = [await bed.serve('relay-1'), await bed.serve('proxy-1')];
    const delivered: ServerMessage[] = [];
    const recipient = await bed.connect(relay.address, { onEvent: (_, message) => delivered.push(message) });
    const queue = await newQueue(recipient);
    const client = await bed.connect(proxy.address);
    const route = await session(client, relay.address);
    expect(await forwardOutcome(client, route, queue.senderId)).to.equal('relay OK');
    await until(() => delivered.length === 1);
    expect(queue.open(delivered[0] as ServerMessage)).to.equal('x');
    expect(proxy.events.map(({ event }) => event)).to.include.members(['prxy.answered', 'forward.answered']);
  });

  it('forwards a command that is authorized by either kind of key, for the session of proxy and relay', async () => {
    const [relay, proxy] = [await bed.serve('relay-1'), await bed.serve('proxy-1')];
    const queue = await newQueue(await bed.connect(relay.address));
    const client = await bed.connect(proxy.address);
    const route = await session(client, relay.address);
    const key = agreementKey();
    await queue.ask({ tag: 'KEY', senderKey: publicPart(key) });
    const options = { entityId: queue.senderId, timeoutMs: PATIENT_MS };
    const say = (more = {}) => forwardCommand(client, route, send('x'), { ...options, ...more });
    expect(await say({ key })).to.deep.equal({ from: 'relay', message: { tag: 'OK' } });
    expect(await say()).to.deep.equal({ from: 'relay', message: { tag: 'ERR', error: { tag: 'AUTH' } } });
    const forbidden = await forwardCommand(client, route, { tag: 'SUB' }, { ...options, key });
    const prohibited = { tag: 'CMD', command: 'PROHIBITED' };
    expect(forbidden).to.deep.equal({ from: 'relay', message: { tag: 'ERR', error: prohibited } });
  });

  it('carries a message of the largest size there and back', async () => {
    const [relay, proxy] = [await bed.serve('relay-1'), await bed.serve('proxy-1')];
    const queue = await newQueue(await bed.connect(relay.address));
    const key = agreementKey();
    await queue.ask({ tag: 'KEY', senderKey: publicPart(key) });
    const client = await bed.connect(proxy.address);
    const route = await session(client, relay.address);
    const message = { tag: 'SEND', notify: true, message: randomBytes(16_064) } as const;
    const options = { entityId: queue.senderId, key, timeoutMs: PATIENT_MS };
    expect(await forwardCommand(client, route, message, options)).to.deep.include({ message: { tag: 'OK' } });
  });

  it('has one connection to a relay for all clients', async () => {
    const [relay, proxy] = [await bed.serve('relay-1'), await bed.serve('proxy-1')];
    const clients = [await bed.connect(proxy.address), await bed.connect(proxy.address)];
    const routes = await Promise.all(clients.map((client) => session(client, relay.address)));
    const [one, other] = routes.map(({ sessionId }) => Buffer.from(sessionId).toString('hex'));
    expect(one).to.equal(other);
    expect(prxyEvents(proxy)).to.deep.equal(['relay.connecting', 'relay.connected']);
  });

  it('knows no session that it has not', async () => {
    const [relay, proxy] = [await bed.serve('relay-1'), await bed.serve('proxy-1')];
    const client = await bed.connect(proxy.address);
    const route = await session(client, relay.address);
    const unknown = { ...route, sessionId: Buffer.alloc(32, 1) };
    const noSession = 'proxy {"tag":"PROXY","proxy":{"tag":"NO_SESSION"}}';
    expect(await forwardOutcome(client, unknown)).to.equal(noSession);
    await relay.server.close();
    await until(() => prxyEvents(proxy).includes('relay.closed'));
    expect(await forwardOutcome(client, route)).to.equal(noSession);
  });

  it('connects again when it is next asked, and not before', async () => {
    const proxy = await bed.serve('proxy-1');
    const relay = await bed.serve('relay-1');
    const client = await bed.connect(proxy.address);
    await session(client, relay.address);
    await relay.server.close();
    await until(() => prxyEvents(proxy).includes('relay.closed'));
    await bed.serve('relay-1', {}, Number(relay.address.port));
    await clock.leap(3_600_000);
    expect(prxyEvents(proxy)).to.have.length(3);
    await session(client, relay.address);
    expect(prxyEvents(proxy).slice(3)).to.deep.equal(['relay.connecting', 'relay.connected']);
  });

  it('tells of a relay that it cannot reach for 30 s, without trying again, then tries', async () => {
    const proxy = await bed.serve('proxy-1');
    const relay = await bed.serve('relay-1');
    await relay.server.close();
    const client = await bed.connect(proxy.address);
    expect(await sessionOutcome(client, relay.address)).to.equal('PROXY BROKER NETWORK');
    await bed.serve('relay-1', {}, Number(relay.address.port));
    await clock.leap(29_999);
    expect(await sessionOutcome(client, relay.address)).to.equal('PROXY BROKER NETWORK');
    expect(
      proxy.events.filter(({ event }) => event === 'relay.failed').map(({ fields }) => fields['cached']),
    ).to.deep.equal([false, true]);
    await clock.leap(1);
    expect(await sessionOutcome(client, relay.address)).to.equal('OK');
  });

  it('tries at once again when failures are not to persist', async () => {
    const proxy = await bed.serve('proxy-1', { persistErrorIntervalMs: 0 });
    const relay = await bed.serve('relay-1');
    await relay.server.close();
    const client = await bed.connect(proxy.address);
    expect(await sessionOutcome(client, relay.address)).to.equal('PROXY BROKER NETWORK');
    await bed.serve('relay-1', {}, Number(relay.address.port));
    expect(await sessionOutcome(client, relay.address)).to.equal('OK');
  });

  it('answers TIMEOUT when the relay says nothing for 30 s, and keeps the connection', async () => {
    const proxy = await bed.serve('proxy-1');
    const { address } = await hole('relay-1');
    const client = await bed.connect(proxy.address);
    const route = await session(client, address);
    const forward = forwardOutcome(client, route);
    await until(() => proxy.server.state()['slotsInUse'] === 1);
    await clock.leap(29_999);
    expect(proxy.server.state()['slotsInUse']).to.equal(1);
    await clock.leap(1);
    expect(await forward).to.equal(BROKER('TIMEOUT'));
    expect(proxy.server.state()['slotsInUse']).to.equal(0);
    expect(await sessionOutcome(client, address)).to.equal('OK');
    expect(prxyEvents(proxy)).to.deep.equal(['relay.connecting', 'relay.connected']);
  });

  it('answers TIMEOUT, in its time, to what was on its way when the connection ended', async () => {
    const proxy = await bed.serve('proxy-1');
    const { address, listener } = await hole('relay-1');
    const client = await bed.connect(proxy.address);
    const forward = forwardOutcome(client, await session(client, address));
    await until(() => proxy.server.state()['slotsInUse'] === 1);
    await listener.close();
    await until(() => prxyEvents(proxy).includes('relay.closed'));
    expect(proxy.server.state()['slotsInUse']).to.equal(1);
    await clock.leap(30_000);
    expect(await forward).to.equal(BROKER('TIMEOUT'));
  });

  it('drops a relay that has answered nothing to three commands and been silent for 15 minutes', async () => {
    const proxy = await bed.serve('proxy-1');
    const { address } = await hole('relay-1');
    const client = await bed.connect(proxy.address);
    const route = await session(client, address);
    for (let failed = 1; failed <= 3; failed += 1) {
      const forward = forwardOutcome(client, route);
      await until(() => proxy.server.state()['slotsInUse'] === 1);
      await clock.leap(30_000);
      expect(await forward).to.equal(BROKER('TIMEOUT'));
    }
    await clock.leap(15 * 60_000 - 90_001);
    expect(prxyEvents(proxy)).to.not.include('relay.closed');
    await clock.leap(10 * 60_000);
    await until(() => prxyEvents(proxy).includes('relay.closed'));
  });

  it('lets a client wait with its 33rd command until one of its 32 slots is free', async () => {
    const proxy = await bed.serve('proxy-1');
    const { address } = await hole('relay-1');
    const [client, other] = [await bed.connect(proxy.address), await bed.connect(proxy.address)];
    const route = await session(client, address);
    const outcomes = Array.from({ length: 40 }, () => forwardOutcome(client, route));
    const slots = () => (proxy.server.state()['slots'] as { inUse: number; waiting: number }[])[0];
    await until(() => slots()?.inUse === 32);
    // Another client's commands are not held up; this one's are, whatever they are.
    expect((await other.request({ tag: 'PING' }, { timeoutMs: PATIENT_MS })).tag).to.equal('PONG');
    let isAnswered = false;
    const ping = client.request({ tag: 'PING' }, { timeoutMs: PATIENT_MS }).then(() => {
      isAnswered = true;
    });
    await clock.leap(29_999);
    expect(slots()).to.deep.include({ inUse: 32, waiting: 1 });
    expect(isAnswered).to.equal(false);
    await clock.leap(1);
    await until(() => slots()?.inUse === 8);
    await clock.leap(30_000);
    await ping;
    expect(new Set(await Promise.all(outcomes))).to.deep.equal(new Set([BROKER('TIMEOUT')]));
  });

  it('frees the slots of a client that leaves', async () => {
    const proxy = await bed.serve('proxy-1', { clientConcurrency: 2 });
    const { address } = await hole('relay-1');
    const client = await bed.connect(proxy.address);
    const route = await session(client, address);
    for (let sent = 0; sent < 5; sent += 1) void forwardOutcome(client, route);
    await until(() => proxy.server.state()['slotsInUse'] === 2);
    client.close();
    await until(() => proxy.server.state()['slotsInUse'] === 0);
    await until(() => proxy.server.state()['clients'] === 0);
  });

  it('says HOST of a relay that only Tor reaches', async () => {
    const proxy = await bed.serve('proxy-1');
    const client = await bed.connect(proxy.address);
    const { fingerprint } = parseServerAddress('relay-1@x', SEED);
    const onion = { hosts: ['abcdefghij.onion'], port: '5223', fingerprint };
    expect(await sessionOutcome(client, onion)).to.equal('PROXY BROKER HOST');
  });

  it('says NETWORK of a relay with another fingerprint', async () => {
    const [relay, proxy] = [await bed.serve('relay-1'), await bed.serve('proxy-1')];
    const client = await bed.connect(proxy.address);
    const other = { ...relay.address, fingerprint: Buffer.alloc(32, 1) };
    expect(await sessionOutcome(client, other)).to.equal('PROXY BROKER NETWORK');
  });

  it('forwards for those with the password alone', async () => {
    const relay = await bed.serve('relay-1');
    const proxy = await bed.serve('proxy-1', { basicAuth: 'sesame' });
    const client = await bed.connect(proxy.address);
    expect(await sessionOutcome(client, relay.address)).to.equal('PROXY BASIC_AUTH');
    const asked = requestProxiedRelay(client, relay.address, { timeoutMs: PATIENT_MS, basicAuth: 'sesame' });
    expect((await asked).version).to.equal(10);
  });

  describe('whose client leaves while the relay is being connected to', () => {
    let stall: Server;
    let address: ServerAddress;
    let accepted = 0;
    beforeEach(async () => {
      accepted = 0;
      // Takes the connection and never gets to TLS.
      stall = createServer((socket) => {
        accepted += 1;
        socket.on('error', () => socket.destroy());
        bed.later(() => socket.destroy());
      }).listen(0, '127.0.0.1');
      await once(stall, 'listening');
      bed.later(() => stall.close());
      const { port } = stall.address() as { port: number };
      address = parseServerAddress(`relay-1@127.0.0.1:${port}`, SEED);
    });

    /** A client asks, and leaves a second into the connect; then the relay is well. */
    async function leave(
      rules: Partial<ServerRules>,
    ): Promise<{ proxy: InProcessServer; next: SmpConnection }> {
      const proxy = await bed.serve('proxy-1', rules);
      const client = await bed.connect(proxy.address);
      void sessionOutcome(client, address);
      await until(() => accepted === 1);
      await clock.leap(1_000);
      client.close();
      await until(() => proxy.server.state()['clients'] === 0);
      stall.close();
      await bed.serve('relay-1', {}, Number(address.port));
      return { proxy, next: await bed.connect(proxy.address) };
    }

    it('connects for the next one who asks', async () => {
      const { proxy, next } = await leave({});
      expect(await sessionOutcome(next, address)).to.equal('OK');
      expect(prxyEvents(proxy)).to.deep.equal([
        ...['relay.connecting', 'relay.abandoned'],
        ...['relay.connecting', 'relay.connected'],
      ]);
    });

    it('answers TIMEOUT to everybody for ever, when the place is not cleared', async () => {
      const { proxy, next } = await leave({ clearAbandonedConnect: false });
      for (let asked = 1; asked <= 2; asked += 1) {
        const outcome = sessionOutcome(next, address);
        await until(() => proxy.server.state()['slotsInUse'] === 1);
        await clock.leap(45_000);
        expect(await outcome).to.equal('PROXY BROKER TIMEOUT');
        await clock.leap(600_000);
      }
      expect(proxy.server.state()['relays']).to.deep.equal([
        { relay: `127.0.0.1:${address.port}`, status: 'connecting' },
      ]);
    });

    it('recovers all the same in both, when the client stays until the connect has failed', async () => {
      for (const clearAbandonedConnect of [true, false]) {
        const proxy = await bed.serve('proxy-1', { clearAbandonedConnect });
        const client = await bed.connect(proxy.address);
        const before = accepted;
        const outcome = sessionOutcome(client, address);
        await until(() => accepted === before + 1);
        await clock.leap(45_000);
        expect(await outcome).to.equal('PROXY BROKER NETWORK');
        await clock.leap(30_000);
        const again = sessionOutcome(client, address);
        await until(() => accepted === before + 2);
        await clock.leap(45_000);
        expect(await again).to.equal('PROXY BROKER NETWORK');
      }
    });

    it('gives those who wait on the connect the timeout of a connect', async () => {
      const proxy = await bed.serve('proxy-1');
      const [first, second] = [await bed.connect(proxy.address), await bed.connect(proxy.address)];
      void sessionOutcome(first, address);
      await until(() => accepted === 1);
      const waiting = sessionOutcome(second, address);
      await until(() => proxy.server.state()['slotsInUse'] === 2);
      first.close();
      await until(() => proxy.server.state()['clients'] === 1);
      await clock.leap(45_000);
      expect(await waiting).to.equal('PROXY BROKER TIMEOUT');
      expect(accepted).to.equal(1);
    });
  });
});
