import { createHash } from 'node:crypto';

/** SHA-256 of a chunk's content, or of a node's name: 64 hexadecimal digits. */
export type ChunkKey = string;

/** How far two keys are apart: their XOR as a number, in a form that compares fast. */
export interface Distance {
  /** The first 48 bits. */
  readonly high: number;
  readonly hex: string;
}

export function keyOf(content: Uint8Array): ChunkKey {
  return createHash('sha256').update(content).digest('hex');
}

/** A node's place among the keys follows from its name alone, so that everybody knows it. */
export function idOf(nodeName: string): ChunkKey {
  return createHash('sha256').update(`fetch-node ${nodeName}`).digest('hex');
}

export function isChunkKey(value: unknown): value is ChunkKey {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

export function distanceBetween(one: ChunkKey, other: ChunkKey): Distance {
  const [a, b] = [Buffer.from(one, 'hex'), Buffer.from(other, 'hex')];
  for (let index = 0; index < a.length; index += 1) a[index] = (a[index] ?? 0) ^ (b[index] ?? 0);
  return { high: a.readUIntBE(0, 6), hex: a.toString('hex') };
}

/** Below 0 when the first is nearer. */
export function compareDistance(one: Distance, other: Distance): number {
  if (one.high !== other.high) return one.high - other.high;
  if (one.hex === other.hex) return 0;
  return one.hex < other.hex ? -1 : 1;
}
