import { SquallError } from '../errors/index.ts';

/** Which part of a gate a job runs: the `index`-th of `total`, from 1. */
export interface Shard {
  readonly index: number;
  readonly total: number;
}

/** The shard of `2/5`. @throws SquallError `bad-shard` (input) */
export function parseShard(text: string): Shard {
  const match = /^(\d+)\/(\d+)$/.exec(text.trim());
  const [index, total] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || index < 1 || total < 1 || index > total) {
    throw new SquallError(`--shard ${text}: expected a part of a whole such as 1/3.`, {
      code: 'bad-shard',
      blame: 'input',
    });
  }
  return { index, total };
}

/**
 * The units of one shard, in their order. The longest go first, each to the shard that has least so far: the shards end
 * at about the same time. Every job must come to the same split, so `sizeOf` may depend on nothing that a machine measured.
 */
export function unitsOfShard<T extends { readonly id: string }>(
  units: readonly T[],
  { index, total }: Shard,
  sizeOf: (unit: T) => number,
): T[] {
  const loads = Array.from({ length: total }, () => 0);
  const sized = units.map((unit) => ({ unit, size: sizeOf(unit) }));
  const mine = new Set<T>();
  for (const { unit, size } of sized.sort((a, b) => b.size - a.size || (a.unit.id < b.unit.id ? -1 : 1))) {
    const least = loads.indexOf(Math.min(...loads));
    loads[least] = (loads[least] as number) + size;
    if (least === index - 1) mine.add(unit);
  }
  return units.filter((unit) => mine.has(unit));
}
