const DAY_MS = 86_400_000;
const FIXED = /^([+-])(\d{2}):?(\d{2})$/;
const LOCAL = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?$/;

/** Whether a text names a zone: `UTC`, `Z`, `+02:00`, or one of the IANA database such as `Europe/Berlin`. */
export function isZone(zone: string): boolean {
  if (zone === 'Z' || FIXED.test(zone)) return true;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** ms since 1970 that a wall clock reading would be in UTC; undefined when it is no date and time. */
export function wallMs(text: string): number | undefined {
  const parts = LOCAL.exec(text.trim());
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const fractionMs = parts[7] === undefined ? 0 : Math.floor(Number(`0.${parts[7]}`) * 1_000);
  const ms = Date.UTC(year, month - 1, day, hour, minute, second, fractionMs);
  const back = new Date(ms);
  // Date.UTC carries over what does not exist, such as the 31st of April or 25 o'clock.
  const exists = back.getUTCMonth() === month - 1 && back.getUTCDate() === day && back.getUTCHours() === hour;
  return exists && minute < 60 && second < 60 ? ms : undefined;
}

/**
 * The instants, in ms since 1970, at which the clocks of a zone show a wall clock reading: one; none when they were put
 * forward over it; two when they were put back over it.
 */
export function instantsOf(wall: number, zone: string): number[] {
  const offsets = new Set([-DAY_MS, 0, DAY_MS].map((shift) => offsetMs(wall + shift, zone)));
  const instants = [...offsets].map((offset) => ({ offset, instant: wall - offset }));
  return instants
    .filter(({ offset, instant }) => offsetMs(instant, zone) === offset)
    .map(({ instant }) => instant)
    .sort((a, b) => a - b);
}

/** What a zone's clocks are ahead of UTC at an instant. */
function offsetMs(instant: number, zone: string): number {
  if (zone === 'Z' || zone === 'UTC') return 0;
  const fixed = FIXED.exec(zone);
  if (fixed) return signed(fixed[1], fixed[2], fixed[3]);
  const named = formatOf(zone)
    .formatToParts(instant)
    .find((part) => part.type === 'timeZoneName')?.value;
  const parts = /^GMT(?:([+-])(\d{2}):(\d{2}))?$/.exec(named ?? '');
  return parts?.[1] === undefined ? 0 : signed(parts[1], parts[2], parts[3]);
}

/** Of each zone that was asked for: making one takes far longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, made);
  return made;
}

function signed(sign = '+', hours = '0', minutes = '0'): number {
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
