import { SquallError } from '../errors/index.ts';

/** A block of IPv4 addresses: first address as an unsigned number, and the length of its prefix. */
export interface Block {
  readonly first: number;
  readonly prefix: number;
}

export function blockSize(block: Block): number {
  return 2 ** (32 - block.prefix);
}

export function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
}

export function formatBlock(block: Block): string {
  return `${formatAddress(block.first)}/${block.prefix}`;
}

/** @throws SquallError `bad-address` (input) */
export function parseAddress(text: string): number {
  const parts = text.split('.');
  const numbers = parts.map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : Number.NaN));
  if (numbers.length !== 4 || numbers.some((number) => !(number <= 255))) {
    throw new SquallError(`address "${text}": not an IPv4 address`, { code: 'bad-address', blame: 'input' });
  }
  return numbers.reduce((sum, number) => sum * 256 + number, 0);
}

/** `198.18.0.0/20`; host bits are cleared. @throws SquallError `bad-address` (input) */
export function parseBlock(text: string): Block {
  const [address = '', length = ''] = text.split('/');
  const prefix = /^\d{1,2}$/.test(length) ? Number(length) : Number.NaN;
  if (!(prefix <= 32)) {
    throw new SquallError(`subnet "${text}": not an IPv4 subnet; expected ADDRESS/PREFIX`, {
      code: 'bad-address',
      blame: 'input',
    });
  }
  const size = 2 ** (32 - prefix);
  return { first: Math.floor(parseAddress(address) / size) * size, prefix };
}

export function overlaps(a: Block, b: Block): boolean {
  return a.first < b.first + blockSize(b) && b.first < a.first + blockSize(a);
}
