import { SquallError } from '../errors/index.ts';
import { parseDurationMs } from '../units/index.ts';
import { instantsOf, wallMs } from './zone-time.ts';

/** When something happened, as it is written down: so long after the start, or at an instant. */
export type Moment =
  | { readonly kind: 'after'; readonly ms: number }
  | { readonly kind: 'at'; readonly epochMs: number };

const OWN_ZONE = /^(.*\d)\s*(Z|[+-]\d{2}:?\d{2})$/;

/**
 * Reads `+12m`, `2026-03-14T02:23:10+01:00`, or `2026-03-14 02:23:10` on the clocks of `zone`.
 * @throws SquallError `bad-time` (input), also for a time that those clocks showed twice or never
 */
export function parseMoment(text: string, zone: string): Moment {
  const trimmed = text.trim();
  if (trimmed.startsWith('+')) return { kind: 'after', ms: parseDurationMs(trimmed.slice(1)) };
  const own = OWN_ZONE.exec(trimmed);
  const ownZone = own?.[1] !== undefined && wallMs(own[1]) !== undefined ? own : undefined;
  const wall = wallMs(ownZone?.[1] ?? trimmed);
  if (wall === undefined) {
    throw badTime(text, 'not understood; expected +12m, 2026-03-14T02:23:10+01:00 or 2026-03-14 02:23:10');
  }
  const where = ownZone?.[2] ?? zone;
  const [first, second] = instantsOf(wall, where);
  if (first === undefined) {
    throw badTime(text, `the clocks of ${where} were put forward over it; expected a time that was`);
  }
  if (second !== undefined) {
    const either = [first, second].map((ms) => new Date(ms).toISOString()).join(' or ');
    throw badTime(text, `the clocks of ${where} showed it twice; expected it with its offset (${either})`);
  }
  return { kind: 'at', epochMs: first };
}

function badTime(text: string, problem: string): SquallError {
  return new SquallError(`time "${text}": ${problem}`, { code: 'bad-time', blame: 'input' });
}
