import { Duplex } from 'node:stream';
import { expect } from 'chai';
import { BlockStream } from '../index.ts';

const BLOCK = 16_384;

/** A socket whose other end is the test. */
class TestSocket extends Duplex {
  readonly written: Buffer[] = [];
  /** Set: what is written waits until it is called. */
  taken: (() => void) | undefined;
  holds = false;

  override _read(): void {
    // What comes is pushed by the test.
  }

  override _write(chunk: Buffer, _: unknown, done: () => void): void {
    this.written.push(chunk);
    if (this.holds) this.taken = done;
    else done();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a stream of blocks', () => {
  it('puts together what comes in pieces of any size', async () => {
    const socket = new TestSocket();
    const stream = new BlockStream(socket);
    const bytes = Buffer.from(Array.from({ length: 3 * BLOCK }, (_, index) => Math.floor(index / BLOCK) + 1));
    for (let at = 0; at < bytes.length; at += 5_000) socket.push(bytes.subarray(at, at + 5_000));
    for (const value of [1, 2, 3]) {
      const block = await stream.next();
      expect(block?.length).to.equal(BLOCK);
      expect(block?.every((byte) => byte === value)).to.equal(true);
    }
    socket.push(null);
    socket.destroy();
    expect(await stream.next()).to.equal(undefined);
    expect(await stream.closed).to.equal('ended');
  });

  it('says how much of a block there was when it ends inside one', async () => {
    const socket = new TestSocket();
    const stream = new BlockStream(socket);
    socket.push(Buffer.alloc(100));
    await settled();
    socket.destroy();
    expect(await stream.closed).to.equal('100 bytes of a block, then the end');
    expect(await stream.next()).to.equal(undefined);
  });

  it('gives an end its reason', async () => {
    const socket = new TestSocket();
    const stream = new BlockStream(socket);
    socket.destroy(new Error('reset'));
    expect(await stream.closed).to.equal('reset');
    expect(stream.isClosed).to.equal(true);
    stream.send(Buffer.alloc(BLOCK));
    expect(socket.written).to.deep.equal([]);
  });

  it('stops reading while nobody takes the blocks, whatever is sent', async () => {
    const socket = new TestSocket();
    const stream = new BlockStream(socket);
    for (let sent = 0; sent < 100; sent += 1) socket.push(Buffer.alloc(BLOCK, sent));
    await settled();
    // A few blocks are taken out of the socket; the rest is the sender's to keep, by TCP.
    expect(socket.isPaused()).to.equal(true);
    expect(socket.readableLength).to.be.at.least(90 * BLOCK);
    for (let read = 0; read < 100; read += 1) expect((await stream.next())?.readUInt8(0)).to.equal(read);
  });

  it('leaves out what nobody wants any more when its turn comes', async () => {
    const socket = new TestSocket();
    const stream = new BlockStream(socket);
    socket.holds = true;
    let isWanted = true;
    stream.send(Buffer.alloc(BLOCK, 1));
    stream.send(Buffer.alloc(BLOCK, 2), () => isWanted);
    stream.send(Buffer.alloc(BLOCK, 3));
    isWanted = false;
    socket.holds = false;
    socket.taken?.();
    await settled();
    expect(socket.written.map((block) => block.readUInt8(0))).to.deep.equal([1, 3]);
  });

  it('has room again only when the other end has read', async () => {
    const socket = new TestSocket();
    const stream = new BlockStream(socket);
    socket.holds = true;
    for (let sent = 0; sent < 100; sent += 1) stream.send(Buffer.alloc(BLOCK, sent));
    let hasRoom = false;
    const room = stream.room().then(() => {
      hasRoom = true;
    });
    await settled();
    expect(hasRoom).to.equal(false);
    expect(socket.written).to.have.length(1);
    socket.holds = false;
    socket.taken?.();
    await room;
    await settled();
    expect(socket.written).to.have.length(100);
  });
});
