/** Bytes that do not follow the grammar. Thrown inside this library and turned into an SMP error at its edges. */
export class SyntaxFailure extends Error {}

/**
 * Reads a message of a stranger front to back. What is taken is a view into the bytes given; whoever keeps it copies it.
 * Every method throws SyntaxFailure when the bytes do not suffice.
 */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(count: number): Buffer {
    if (count > this.left) throw new SyntaxFailure(`${this.left} bytes left; expected ${count}`);
    const taken = this.#bytes.subarray(this.#at, this.#at + count);
    this.#at += count;
    return taken;
  }

  byte(): number {
    return this.take(1).readUInt8(0);
  }

  /** A character of ASCII. */
  character(): string {
    return String.fromCharCode(this.byte());
  }

  word16(): number {
    return this.take(2).readUInt16BE(0);
  }

  /** `shortString`: a byte with the length, then that many bytes. */
  short(): Buffer {
    return this.take(this.byte());
  }

  /** Two bytes with the length, then that many bytes. */
  large(): Buffer {
    return this.take(this.word16());
  }

  tail(): Buffer {
    return this.take(this.left);
  }

  /** The text up to the next space or the end; the space stays. */
  word(): string {
    const space = this.#bytes.indexOf(0x20, this.#at);
    return this.take((space < 0 ? this.#bytes.length : space) - this.#at).toString('latin1');
  }

  space(): void {
    if (this.character() !== ' ') throw new SyntaxFailure('expected a space');
  }

  /** `T` or `F`. */
  flag(): boolean {
    const letter = this.character();
    if (letter !== 'T' && letter !== 'F') throw new SyntaxFailure('expected T or F');
    return letter === 'T';
  }

  /** `0`, or `1` and what `read` takes. */
  maybe<T>(read: () => T): T | undefined {
    const tag = this.character();
    if (tag === '0') return undefined;
    if (tag !== '1') throw new SyntaxFailure('expected 0 or 1');
    return read();
  }

  /** A byte with the count, from 1, then that many items. */
  list<T>(read: () => T): T[] {
    const count = this.byte();
    if (count === 0) throw new SyntaxFailure('an empty list; expected an item or more');
    return Array.from({ length: count }, read);
  }

  end(): void {
    if (this.left > 0) throw new SyntaxFailure(`${this.left} bytes too many`);
  }
}

/** What `read` makes of the bytes, all of them. @returns undefined when they do not follow the grammar */
export function readAll<T>(bytes: Uint8Array, read: (reader: ByteReader) => T): T | undefined {
  try {
    const reader = new ByteReader(bytes);
    const value = read(reader);
    reader.end();
    return value;
  } catch (error) {
    if (error instanceof SyntaxFailure) return undefined;
    throw error;
  }
}
