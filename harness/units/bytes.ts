import { SquallError } from '../errors/index.ts';

const BYTES_BY_UNIT: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
};

/** Bytes of a size such as `64MiB`, `1.5 GiB`, `500KB` or a bare `4096`. @throws SquallError `bad-size` (input) */
export function parseBytes(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([KMG]i?B|B)?$/.exec(text.trim());
  const factor = match ? BYTES_BY_UNIT[match[2] ?? ''] : undefined;
  if (!match || factor === undefined) {
    throw new SquallError(`size "${text}": not understood; expected a number of bytes with a unit`, {
      code: 'bad-size',
      blame: 'input',
      hint: 'Write it as 64MiB, 1.5GiB, 500KB or 4096.',
    });
  }
  return Math.round(Number(match[1]) * factor);
}

/** A size for people: `512 B`, `10.4 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let index = 0;
  while (value >= 1024 && index < units.length - 1) {
    value /= 1024;
    index += 1;
  }
  return `${Number(value.toFixed(value < 10 && index > 0 ? 1 : 0))} ${units[index]}`;
}
