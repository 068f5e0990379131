import { SquallError } from '../errors/index.ts';
import { formatBytes, formatDurationMs } from '../units/index.ts';
import type { Room } from './wave-judge.ts';
import { whatLacks } from './wave-size.ts';

/** What a rehearsal will take, before it starts. */
export interface Forecast {
  readonly sides: number;
  readonly conditions: number;
  readonly waves: number;
  readonly mostWaves: number;
  readonly nodes: number;
  /** Of all waves up to the first look, and of all that there may be. */
  readonly firstLookMs: number;
  readonly mostMs: number;
  readonly memoryBytes: number;
  /** That stays, as the record: of the most waves. */
  readonly recordBytes: number;
  /** That one wave writes and that is gone with it. */
  readonly waveBytes: number;
  /** Where the figures come from. */
  readonly basis: string;
  /** Where the host takes no larger wave: the nodes that were asked for, and why there are fewer. */
  readonly smaller?: { readonly askedNodes: number; readonly why: string };
}

/** The forecast as lines for people. */
export function describeForecast(forecast: Forecast, room: Room): string {
  const { sides, conditions, waves, mostWaves, nodes, firstLookMs, mostMs, basis } = forecast;
  const under = conditions === 1 ? '' : ` under each of ${conditions} conditions`;
  return [
    `Waves     ${waves} to ${mostWaves} of each of ${sides} sides${under}, ${nodes} nodes each${smallerText(forecast.smaller)}`,
    `Duration  about ${formatDurationMs(firstLookMs)} to the first look, ${formatDurationMs(mostMs)} at most (${basis})`,
    `Memory    about ${formatBytes(forecast.memoryBytes)} of ${formatBytes(room.memoryFreeBytes)} free`,
    `Disk      about ${formatBytes(forecast.waveBytes)} during a wave and ${formatBytes(forecast.recordBytes)} of records, of ${formatBytes(room.diskFreeBytes)} free`,
  ]
    .join('\n')
    .concat('\n');
}

/** `, smaller than the 60 asked for: …`; empty for a wave of the size that was asked for. */
export function smallerText(smaller: Forecast['smaller']): string {
  return smaller === undefined ? '' : `, fewer than the ${smaller.askedNodes} asked for: ${smaller.why}`;
}

/**
 * Refuses what would stop in the middle for want of room.
 * @throws SquallError `no-room` (input)
 */
export function requireRoom(forecast: Forecast, room: Room, least: Partial<Room>): void {
  const lacking = whatLacks(forecast, room, least);
  if (!lacking) return;
  const { what, neededBytes, freeBytes } = lacking;
  throw new SquallError(
    `rehearse: about ${formatBytes(neededBytes)} of ${what} are needed, and ${formatBytes(freeBytes)} are free; expected room for it all before the first wave.`,
    {
      code: 'no-room',
      blame: 'input',
      hint: 'Take fewer nodes (--set, or a smaller topology) or waves (--most-waves), or make room.',
    },
  );
}
