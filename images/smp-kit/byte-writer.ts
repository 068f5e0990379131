import { SquallError } from '../../harness/errors/index.ts';

/** The counterparts of ByteReader. Text is ASCII. */
type Bytes = Uint8Array | string;

export function joined(...parts: readonly Bytes[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
}

export function word16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

/** @throws SquallError `smp-too-long` above 255 bytes */
export function short(bytes: Bytes): Buffer {
  const content = joined(bytes);
  if (content.length > 255) throw tooLong(content.length, 255);
  return joined(Uint8Array.of(content.length), content);
}

/** @throws SquallError `smp-too-long` above 65,535 bytes */
export function large(bytes: Bytes): Buffer {
  const content = joined(bytes);
  if (content.length > 65_535) throw tooLong(content.length, 65_535);
  return joined(word16(content.length), content);
}

export function maybe(bytes: Uint8Array | undefined): Buffer {
  return bytes === undefined ? joined('0') : joined('1', bytes);
}

/** @throws SquallError `smp-too-long` above 255 items */
export function list(items: readonly Uint8Array[]): Buffer {
  if (items.length > 255) throw tooLong(items.length, 255);
  return joined(Uint8Array.of(items.length), ...items);
}

export function flag(value: boolean): string {
  return value ? 'T' : 'F';
}

/** What `encode` makes. @returns undefined when some part of it is too long */
export function unlessTooLong<T>(encode: () => T): T | undefined {
  try {
    return encode();
  } catch (error) {
    if (error instanceof SquallError && error.code === 'smp-too-long') return undefined;
    throw error;
  }
}

function tooLong(found: number, limit: number): SquallError {
  return new SquallError(`SMP encoding: a part of ${found}; expected at most ${limit}`, {
    code: 'smp-too-long',
  });
}
