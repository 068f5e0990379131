import { expect } from 'chai';
import type { AuthorizationKey, ServerMessage } from '../../smp-kit/index.ts';
import { publicPart } from '../../smp-kit/index.ts';
import {
  agreementKey,
  type InProcessServer,
  newQueue,
  outcomeOf,
  SOON_MS,
  send,
  signingKey,
  TestBed,
  until,
} from './in-process.ts';

describe('an SMP server as a relay', () => {
  const bed = new TestBed();
  let relay: InProcessServer;
  before(async () => {
    relay = await bed.serve('relay-1', { queueQuota: 3 });
  });
  after(() => bed.close());

  /** A recipient, and what is delivered to it. */
  async function recipient(more: Parameters<typeof newQueue>[1] = {}) {
    const delivered: ServerMessage[] = [];
    const connection = await bed.connect(relay.address, {
      onEvent: (_, message) => delivered.push(message),
    });
    return { connection, delivered, queue: await newQueue(connection, more) };
  }
  const sender = async (entityId: Uint8Array) => {
    const connection = await bed.connect(relay.address);
    return (text: string, key?: AuthorizationKey) =>
      outcomeOf(connection.request(send(text), { entityId, key, timeoutMs: SOON_MS }));
  };

  it('delivers one message at a time, the next when the one before is acknowledged', async () => {
    const { queue, delivered } = await recipient();
    const say = await sender(queue.senderId);
    expect(await say('one')).to.equal('OK');
    expect(await say('two')).to.equal('OK');
    await until(() => delivered.length === 1);
    const [first] = delivered;
    if (first?.tag !== 'MSG') throw new Error('a message expected');
    expect(queue.open(first)).to.equal('one');
    const second = await queue.ask({ tag: 'ACK', messageId: first.messageId });
    expect(queue.open(second)).to.equal('two');
    if (second.tag !== 'MSG') throw new Error('a message expected');
    expect(await outcomeOf(queue.ask({ tag: 'ACK', messageId: first.messageId }))).to.equal('NO_MSG');
    expect(await outcomeOf(queue.ask({ tag: 'ACK', messageId: second.messageId }))).to.equal('OK');
    expect(delivered).to.have.length(1);
  });

  it('takes messages of anybody until the queue is secured, then of the sender alone', async () => {
    const { queue } = await recipient();
    const say = await sender(queue.senderId);
    for (const key of [agreementKey(), signingKey()]) {
      expect(await say('with a key, too early', key)).to.equal('AUTH');
    }
    const key = agreementKey();
    expect(await outcomeOf(queue.ask({ tag: 'KEY', senderKey: publicPart(key) }))).to.equal('OK');
    expect(await outcomeOf(queue.ask({ tag: 'KEY', senderKey: publicPart(key) }))).to.equal('OK');
    expect(await outcomeOf(queue.ask({ tag: 'KEY', senderKey: publicPart(signingKey()) }))).to.equal('AUTH');
    expect(await say('the sender’s', key)).to.equal('OK');
    expect(await say('nobody’s')).to.equal('AUTH');
    expect(await say('another’s', agreementKey())).to.equal('AUTH');
    expect(await say('another’s', signingKey())).to.equal('AUTH');
  });

  it('lets the sender secure a queue that allows it, and no other', async () => {
    for (const senderSecures of [true, false]) {
      const { queue } = await recipient({ senderSecures });
      const connection = await bed.connect(relay.address);
      const key = signingKey();
      const options = { entityId: queue.senderId, key, timeoutMs: SOON_MS };
      const secured = connection.request({ tag: 'SKEY', senderKey: publicPart(key) }, options);
      expect(await outcomeOf(secured)).to.equal(senderSecures ? 'OK' : 'AUTH');
    }
  });

  it('answers AUTH to whoever has not the recipient’s key, or another queue’s id', async () => {
    const { queue, connection } = await recipient();
    const ask = (entityId: Uint8Array, key: AuthorizationKey) =>
      outcomeOf(connection.request({ tag: 'SUB' }, { entityId, key, timeoutMs: SOON_MS }));
    expect(await ask(queue.recipientId, queue.key)).to.equal('OK');
    expect(await ask(queue.recipientId, signingKey())).to.equal('AUTH');
    expect(await ask(queue.senderId, queue.key)).to.equal('AUTH');
    expect(await ask(Buffer.alloc(24), queue.key)).to.equal('AUTH');
    const toRecipientId = connection.request(send('x'), { entityId: queue.recipientId, timeoutMs: SOON_MS });
    expect(await outcomeOf(toRecipientId)).to.equal('AUTH');
  });

  it('believes an authorization in the session that it was made in, and in no other', async () => {
    const { queue } = await recipient();
    const other = await bed.connect(relay.address);
    const elsewhere = await bed.connect(relay.address);
    const options = { entityId: queue.recipientId, key: queue.key, timeoutMs: SOON_MS };
    expect(await outcomeOf(other.request({ tag: 'SUB' }, options))).to.equal('OK');
    // The same connection, made to authorize for the session of another.
    Object.assign(other.facts.session, { sessionId: elsewhere.facts.session.sessionId });
    expect(await outcomeOf(other.request({ tag: 'SUB' }, options))).to.equal('AUTH');
  });

  it('turns senders away when the queue is full, tells the recipient, and takes more when it is empty', async () => {
    const { queue, delivered } = await recipient();
    const say = await sender(queue.senderId);
    const outcomes: string[] = [];
    for (const text of ['1', '2', '3', '4', '5']) outcomes.push(await say(text));
    expect(outcomes).to.deep.equal(['OK', 'OK', 'OK', 'QUOTA', 'QUOTA']);
    await until(() => delivered.length === 1);
    const read: string[] = [];
    for (let next = delivered[0] as ServerMessage; next.tag === 'MSG'; ) {
      read.push(queue.open(next));
      next = await queue.ask({ tag: 'ACK', messageId: next.messageId });
    }
    expect(read).to.deep.equal(['1', '2', '3', 'QUOTA']);
    expect(await say('6')).to.equal('OK');
  });

  it('takes a message of 16,064 bytes and none that is longer', async () => {
    const { queue, delivered } = await recipient();
    const say = await sender(queue.senderId);
    expect(await say('x'.repeat(16_065))).to.equal('LARGE_MSG');
    expect(await say('x'.repeat(16_064))).to.equal('OK');
    await until(() => delivered.length === 1);
    expect(queue.open(delivered[0] as ServerMessage)).to.have.length(16_064);
  });

  it('keeps messages for a recipient who is away, and gives them to whoever subscribes last', async () => {
    const { queue, delivered, connection } = await recipient();
    const say = await sender(queue.senderId);
    const next: ServerMessage[] = [];
    const other = await bed.connect(relay.address, { onEvent: (_, message) => next.push(message) });
    expect((await queue.ask({ tag: 'SUB' }, other)).tag).to.equal('OK');
    await until(() => delivered.length === 1);
    expect(delivered[0]?.tag).to.equal('END');
    expect(await say('for the second')).to.equal('OK');
    await until(() => next.length === 1);
    expect(queue.open(next[0] as ServerMessage)).to.equal('for the second');
    other.close();
    await other.closed;
    // Not acknowledged, so it comes again.
    await until(() => relay.events.some(({ event }) => event === 'client.disconnected'));
    expect(queue.open(await queue.ask({ tag: 'SUB' }, connection))).to.equal('for the second');
  });

  it('suspends and deletes queues, and tells another subscriber of the deletion', async () => {
    const { queue, delivered } = await recipient();
    const say = await sender(queue.senderId);
    expect((await queue.ask({ tag: 'OFF' })).tag).to.equal('OK');
    expect(await say('too late')).to.equal('AUTH');
    const other = await bed.connect(relay.address);
    expect((await queue.ask({ tag: 'DEL' }, other)).tag).to.equal('OK');
    await until(() => delivered.length === 1);
    expect(delivered[0]?.tag).to.equal('DELD');
    expect(await outcomeOf(queue.ask({ tag: 'SUB' }))).to.equal('AUTH');
  });

  it('asks for credentials where they are due, and refuses them where they are not', async () => {
    const connection = await bed.connect(relay.address);
    const [entityId, key] = [Buffer.alloc(24), signingKey()];
    const ask = (command: Parameters<typeof connection.request>[0], more = {}) =>
      outcomeOf(connection.request(command, { timeoutMs: SOON_MS, ...more }));
    expect(await ask({ tag: 'PING' })).to.equal('PONG');
    expect(await ask({ tag: 'PING' }, { entityId })).to.equal('CMD HAS_AUTH');
    expect(await ask({ tag: 'PING' }, { key })).to.equal('CMD HAS_AUTH');
    expect(await ask({ tag: 'SUB' }, { entityId })).to.equal('CMD NO_AUTH');
    expect(await ask({ tag: 'SUB' }, { key })).to.equal('CMD NO_AUTH');
    expect(await ask(send('x'))).to.equal('CMD NO_ENTITY');
  });

  it('gives new queues to those with the password alone', async () => {
    const closed = await bed.serve('relay-2', { basicAuth: 'sesame' });
    const connection = await bed.connect(closed.address);
    for (const basicAuth of [undefined, 'open']) {
      const asked = newQueue(connection, basicAuth === undefined ? {} : { basicAuth });
      expect(await asked.catch((error: { facts: { failure: string } }) => error.facts.failure)).to.equal(
        'AUTH',
      );
    }
    expect((await newQueue(connection, { basicAuth: 'sesame' })).senderId).to.have.length(24);
  });

  it('holds no more than it may', async () => {
    const small = await bed.serve('relay-3', { queuesMax: 1, storedMaxBytes: 10 });
    const connection = await bed.connect(small.address);
    const queue = await newQueue(connection);
    const failure = await newQueue(connection).catch(
      (error: { facts: { failure: string } }) => error.facts.failure,
    );
    expect(failure).to.match(/^STORE no room/);
    const say = (text: string) =>
      outcomeOf(connection.request(send(text), { entityId: queue.senderId, timeoutMs: SOON_MS }));
    expect(await say('123456')).to.equal('OK');
    expect(await say('123456')).to.match(/^STORE no room/);
    expect(small.server.state()).to.include({ queues: 1, messages: 1, storedBytes: 6 });
    await queue.ask({ tag: 'DEL' });
    expect(small.server.state()).to.include({ queues: 0, messages: 0, storedBytes: 0 });
  });

  it('says what happens to each message, by the names of queue and message', async () => {
    const { queue, delivered } = await recipient();
    const say = await sender(queue.senderId);
    await say('x');
    await until(() => delivered.length === 1);
    const message = delivered[0] as Extract<ServerMessage, { tag: 'MSG' }>;
    await queue.ask({ tag: 'ACK', messageId: message.messageId });
    const facts = {
      queue: Buffer.from(queue.recipientId).toString('hex'),
      message: Buffer.from(message.messageId).toString('hex'),
    };
    const told = relay.events.filter(({ fields }) => fields['message'] === facts.message);
    expect(told).to.deep.equal(
      ['message.stored', 'message.delivered', 'message.acknowledged'].map((event) => ({
        event,
        fields: facts,
      })),
    );
  });
});
