import { readFileSync } from 'node:fs';
import type { Block } from './ipv4.ts';

/**
 * The blocks in the text of /proc/net/route, default route aside. Addresses and masks stand there as hexadecimal words
 * in the machine's byte order, which is little-endian wherever Docker runs.
 */
export function parseRoutes(text: string): readonly Block[] {
  const swap = (hex: string): number => Buffer.from(hex, 'hex').readUInt32LE(0);
  return text
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .filter((fields) => fields.length > 7)
    .map((fields) => ({ first: swap(fields[1] ?? ''), mask: swap(fields[7] ?? '') }))
    .filter(({ mask }) => mask !== 0)
    .map(({ first, mask }) => ({ first, prefix: 32 - Math.round(Math.log2(2 ** 32 - mask)) }));
}

/** Blocks that this host already routes somewhere; none where there is no /proc (a VM routes for itself). */
export function readHostRoutes(): readonly Block[] {
  try {
    return parseRoutes(readFileSync('/proc/net/route', 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
