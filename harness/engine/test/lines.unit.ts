import { expect } from 'chai';
import fc from 'fast-check';
import { FrameReader, type OutputStream } from '../frame-reader.ts';
import { LineAssembler, truncationMark } from '../line-assembler.ts';
import { LineQueue } from '../line-queue.ts';
import { OutputLines } from '../output-lines.ts';

function frame(stream: OutputStream, payload: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream === 'stdout' ? 1 : 2;
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

/** Cuts bytes at the given places, wherever they fall. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  const edges = [0, ...sorted, bytes.length];
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
}

const text = fc.string({ unit: 'binary', maxLength: 40 }).map((value) => value.replaceAll('\n', ' '));

describe('lines out of a multiplexed stream', () => {
  it('are the lines that were written, wherever the network and the engine cut them', () => {
    const written = fc.array(
      fc.record({ stream: fc.constantFrom<OutputStream>('stdout', 'stderr'), line: text }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(
        written,
        fc.array(fc.nat(), { maxLength: 30 }),
        fc.array(fc.nat(), { maxLength: 30 }),
        (lines, frameCuts, chunkCuts) => {
          const perStream = (stream: OutputStream) =>
            lines.filter((entry) => entry.stream === stream).map((entry) => entry.line);
          const frames = (['stdout', 'stderr'] as const).flatMap((stream) => {
            const bytes = Buffer.from(
              perStream(stream)
                .map((line) => `${line}\n`)
                .join(''),
            );
            return cut(bytes, frameCuts).map((payload) => frame(stream, payload));
          });
          const read: Record<OutputStream, string[]> = { stdout: [], stderr: [] };
          const output = new OutputLines(false, (stream, line) => read[stream].push(line));
          for (const chunk of cut(Buffer.concat(frames), chunkCuts)) output.push(chunk);
          output.end();
          const roundTrip = (values: string[]) => values.map((value) => Buffer.from(value).toString());
          expect(read.stdout).to.deep.equal(roundTrip(perStream('stdout')));
          expect(read.stderr).to.deep.equal(roundTrip(perStream('stderr')));
        },
      ),
    );
  });

  it('include a last one without newline', () => {
    const read: string[] = [];
    const output = new OutputLines(false, (_stream, line) => read.push(line));
    output.push(frame('stdout', Buffer.from('first\nlast')));
    output.end();
    expect(read).to.deep.equal(['first', 'last']);
  });

  it('read a second time are not handed on twice, and continue a line that was broken off', () => {
    const read: string[] = [];
    const output = new OutputLines(false, (stream, line) => read.push(`${stream} ${line}`));
    const all = [
      frame('stdout', Buffer.from('one\ntw')),
      frame('stderr', Buffer.from('bad\n')),
      frame('stdout', Buffer.from('o\nend')),
    ];
    output.push(Buffer.concat(all.slice(0, 2)));
    output.rewind();
    output.push(Buffer.concat(all));
    output.end();
    expect(read).to.deep.equal(['stdout one', 'stderr bad', 'stdout two', 'stdout end']);
  });

  it('of a terminal are read raw and lose their carriage returns', () => {
    const read: string[] = [];
    const output = new OutputLines(true, (stream, line) => read.push(`${stream} ${line}`));
    output.push(Buffer.from('one\r\ntwo\r'));
    output.push(Buffer.from('\n\r\n'));
    output.end();
    expect(read).to.deep.equal(['stdout one', 'stdout two', 'stdout ']);
  });

  it('are refused when the stream is not multiplexed, rather than made up', () => {
    const reader = new FrameReader(() => undefined);
    expect(() => reader.push(Buffer.from('plain text'))).to.throw(RangeError, /not a multiplexed stream/);
  });
});

describe('a line that is too long', () => {
  function assemble(bytes: Buffer, cuts: readonly number[], maxLineBytes: number): string[] {
    const lines: string[] = [];
    const assembler = new LineAssembler((line) => lines.push(line), { maxLineBytes });
    for (const piece of cut(bytes, cuts)) assembler.push(piece);
    assembler.end();
    return lines;
  }

  it('is cut, and says how much is gone', () => {
    const bytes = Buffer.from(`${'x'.repeat(25)}\nnext\n`);
    for (const cuts of [[], [3, 9, 10, 11, 24], [25]]) {
      expect(assemble(bytes, cuts, 10)).to.deep.equal([`${'x'.repeat(10)}${truncationMark(15)}`, 'next']);
    }
  });

  it('is cut between characters', () => {
    const [line] = assemble(Buffer.from('a€€€€\n'), [], 6);
    expect(line).to.equal(`a€${truncationMark(9)}`);
  });

  it('of exactly the limit is whole', () => {
    expect(assemble(Buffer.from('0123456789\n'), [4], 10)).to.deep.equal(['0123456789']);
  });
});

describe('a queue of lines', () => {
  it('hands lines on in order, those that wait and those that come', async () => {
    const queue = new LineQueue({ highWaterChars: 1000 });
    queue.push('a');
    const read: string[] = [];
    const reading = (async () => {
      for await (const line of queue) read.push(line);
    })();
    await Promise.resolve();
    queue.push('b');
    queue.end();
    await reading;
    expect(read).to.deep.equal(['a', 'b']);
  });

  it('stops its writer above the mark and calls it again below half of it', async () => {
    let drained = 0;
    const queue = new LineQueue({ highWaterChars: 10, onDrained: () => void drained++ });
    expect(queue.push('12345')).to.equal(true);
    expect(queue.push('12345')).to.equal(false);
    const lines = queue[Symbol.asyncIterator]();
    await lines.next();
    expect(drained).to.equal(0);
    await lines.next();
    expect(drained).to.equal(1);
    expect(queue.push('x')).to.equal(true);
  });

  it('that nobody need read forgets the oldest lines and says how many', async () => {
    const queue = new LineQueue({ highWaterChars: 12, forgetOldest: true });
    for (const line of ['one', 'two', 'three', 'four']) queue.push(line);
    queue.end();
    const read: string[] = [];
    for await (const line of queue) read.push(line);
    expect(read).to.deep.equal(['…[2 earlier lines not kept]', 'three', 'four']);
  });

  it('ends with the failure of its writer after the last line', async () => {
    const queue = new LineQueue({ highWaterChars: 100 });
    queue.push('last words');
    queue.end(new Error('gone'));
    const read: string[] = [];
    const outcome = await (async () => {
      for await (const line of queue) read.push(line);
    })().catch((error: Error) => error.message);
    expect(read).to.deep.equal(['last words']);
    expect(outcome).to.equal('gone');
  });
});
