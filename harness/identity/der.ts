/**
 * As much of DER (X.690) as a certificate needs. Every value is a tag, its length and its content; each function gives the
 * whole value, ready to be put into another.
 */

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  contextPrimitive: 0x80,
  contextConstructed: 0xa0,
} as const;

export const DER_TRUE = value(TAG.boolean, Uint8Array.of(0xff));

export function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  return value(TAG.sequence, ...parts);
}

/** @param parts one alone, since nothing here sorts them */
export function setOf(part: Uint8Array): Uint8Array {
  return value(TAG.set, part);
}

/** @param bytes big-endian, not negative, without zeros in front of them that are not needed */
export function integer(bytes: Uint8Array): Uint8Array {
  return value(TAG.integer, bytes);
}

export function octetString(bytes: Uint8Array): Uint8Array {
  return value(TAG.octetString, bytes);
}

/** Of whole bytes: no bit of the last is unused. */
export function bitString(bytes: Uint8Array): Uint8Array {
  return value(TAG.bitString, Uint8Array.of(0), bytes);
}

export function utf8String(text: string): Uint8Array {
  return value(TAG.utf8String, Buffer.from(text, 'utf8'));
}

/** @param dotted such as 1.3.101.112; the first arc is 0, 1 or 2 */
export function objectIdentifier(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...arcs] = dotted.split('.').map(Number);
  return value(TAG.objectIdentifier, Uint8Array.from([first * 40 + second, ...arcs].flatMap(base128)));
}

/** To the second, in the shape that RFC 5280 (4.1.2.5) asks for: years from 2050 on have four digits. */
export function time(date: Date): Uint8Array {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050
    ? value(TAG.utcTime, Buffer.from(digits.slice(2), 'latin1'))
    : value(TAG.generalizedTime, Buffer.from(digits, 'latin1'));
}

/** `[number] IMPLICIT` of a value with this content. */
export function tagged(number: number, content: Uint8Array): Uint8Array {
  return value(TAG.contextPrimitive | number, content);
}

/** `[number] EXPLICIT`: the whole value inside another. */
export function wrapped(number: number, inner: Uint8Array): Uint8Array {
  return value(TAG.contextConstructed | number, inner);
}

function value(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Uint8Array.of(tag, ...lengthBytes(length)), ...parts]);
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

function base128(arc: number): number[] {
  const bytes = [arc % 128];
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.unshift(0x80 | (rest % 128));
  }
  return bytes;
}
