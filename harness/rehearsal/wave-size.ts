import type { ParameterSpec } from '../scenario/index.ts';
import type { RehearsalSpec } from '../topology/index.ts';
import type { Forecast } from './forecast.ts';
import type { Room } from './wave-judge.ts';

/** How many steps there are from the wave that is asked for to the least. */
const STEPS = 10;

export type WaveSize = Readonly<Record<string, number>>;

/**
 * Sizes of a wave from the one that is asked for down to the least that `shrinkTo` allows, all of its parameters in
 * proportion; only the first where it allows none. What the call itself sets is not made smaller.
 */
export function waveSizes(
  { set, shrinkTo = {} }: Pick<RehearsalSpec, 'set' | 'shrinkTo'>,
  parameters: Readonly<Record<string, Pick<ParameterSpec, 'default'>>>,
  given: readonly string[],
): readonly WaveSize[] {
  const ranges = Object.entries(shrinkTo).flatMap(([name, least]) => {
    const most = Number(set[name] ?? parameters[name]?.default);
    return given.includes(name) || !(most > least) ? [] : [{ name, least, most }];
  });
  const steps = ranges.length === 0 ? 0 : STEPS;
  const sizes = Array.from({ length: steps + 1 }, (_, step): WaveSize => {
    const share = steps === 0 ? 1 : 1 - step / steps;
    return Object.fromEntries(
      ranges.map(({ name, least, most }) => [name, Math.round(least + (most - least) * share)]),
    );
  });
  return [...new Map(sizes.map((size) => [JSON.stringify(size), size])).values()];
}

/** What a wave would need that is not free, in words; undefined where there is room for it. */
export function whatLacks(
  forecast: Pick<Forecast, 'waveBytes' | 'recordBytes' | 'memoryBytes'>,
  room: Room,
  least: Partial<Room>,
):
  | { readonly what: 'disk' | 'memory'; readonly neededBytes: number; readonly freeBytes: number }
  | undefined {
  const needs = [
    {
      what: 'disk',
      neededBytes: forecast.waveBytes + forecast.recordBytes + (least.diskFreeBytes ?? 0),
      freeBytes: room.diskFreeBytes,
    },
    {
      what: 'memory',
      neededBytes: forecast.memoryBytes + (least.memoryFreeBytes ?? 0),
      freeBytes: room.memoryFreeBytes,
    },
  ] as const;
  return needs.find(({ neededBytes, freeBytes }) => neededBytes > freeBytes);
}
