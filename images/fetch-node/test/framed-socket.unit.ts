import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { FramedSocket, MESSAGE_MAX_BYTES } from '../framed-socket.ts';
import type { Message } from '../messages.ts';

const KEY = 'ab'.repeat(32);

describe('messages on a connection', () => {
  const closers: (() => void)[] = [];
  afterEach(() => {
    for (const close of closers.splice(0)) close();
  });

  /** A raw connection, and what the other side of it makes of what comes. */
  async function pair() {
    const heard: { message: Message; payload: string }[] = [];
    let closedWith: (reason: string) => void;
    const closed = new Promise<string>((resolve) => {
      closedWith = resolve;
    });
    const server = createServer((socket: Socket) => {
      new FramedSocket(socket, {
        onMessage: (message, payload) => heard.push({ message, payload: payload.toString() }),
        onClosed: closedWith,
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const raw = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(raw, 'connect');
    raw.on('error', () => raw.destroy());
    closers.push(() => {
      raw.destroy();
      server.close();
    });
    return { raw, heard, closed };
  }

  function frame(json: string, payload = ''): Buffer {
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32BE(Buffer.byteLength(json), 0);
    lengths.writeUInt32BE(Buffer.byteLength(payload), 4);
    return Buffer.concat([lengths, Buffer.from(json + payload)]);
  }

  it('come whole and in order, however they are cut', async () => {
    const { raw, heard, closed } = await pair();
    const bytes = Buffer.concat([
      frame(JSON.stringify({ kind: 'fetch', id: 1, key: KEY, pastSilence: false })),
      frame(JSON.stringify({ kind: 'chunk', id: 1 }), 'content'),
      frame(JSON.stringify({ kind: 'bye' })),
    ]);
    for (const byte of bytes) raw.write(Buffer.of(byte));
    raw.end();
    expect(await closed).to.equal('closed by the other side');
    expect(heard.map(({ message, payload }) => `${message.kind} ${payload}`)).to.deep.equal([
      'fetch ',
      'chunk content',
      'bye ',
    ]);
  });

  const hostile: readonly (readonly [string, Buffer])[] = [
    ['no JSON', frame('{')],
    ['no message', frame('[1]')],
    ['an unknown kind', frame('{"kind":"toString"}')],
    ['a key that is a path', frame('{"kind":"fetch","id":1,"key":"../../x","pastSilence":false}')],
    ['a number that is none', frame('{"kind":"busy","id":1,"waitMs":-1}')],
    ['a list that is none', frame('{"kind":"verify","id":1,"keys":"x"}')],
  ];
  for (const [what, bytes] of hostile) {
    it(`end it at ${what}`, async () => {
      const { raw, heard, closed } = await pair();
      raw.write(bytes);
      expect(await closed).to.equal('no message came');
      expect(heard).to.deep.equal([]);
    });
  }

  it('end it as soon as one says that it is longer than the bound', async () => {
    const { raw, closed } = await pair();
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32BE(MESSAGE_MAX_BYTES, 4);
    lengths.writeUInt32BE(1, 0);
    raw.write(lengths);
    expect(await closed).to.match(/a message of \d+ bytes came/);
  });

  it('have left for their sender once the connection has taken them in, and not before', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      closers.push(() => socket.destroy());
      // Nobody reads, so that the connection takes in no more than its buffers.
      socket.pause();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const raw = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(raw, 'connect');
    closers.push(() => {
      raw.destroy();
      server.close();
    });
    const framed = new FramedSocket(raw, { onMessage: () => undefined, onClosed: () => undefined });
    const left: string[] = [];
    void framed.send({ kind: 'chunk', id: 1 }, Buffer.alloc(65_536)).then(() => left.push('small'));
    await Promise.resolve();
    expect(left, 'before anything else can come in').to.deep.equal(['small']);
    const large = Buffer.alloc(MESSAGE_MAX_BYTES - 1_024);
    for (const id of [2, 3])
      void framed.send({ kind: 'chunk', id }, large).then(() => left.push(`large ${id}`));
    await new Promise((resolve) => setImmediate(resolve));
    expect(left).to.deep.equal(['small']);
  });
});
