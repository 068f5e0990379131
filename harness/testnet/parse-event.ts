import type { RecordedEvent } from '../record/index.ts';
import { nowNs } from './monotonic.ts';

/** Longest line that is read as an event; longer ones are free log (our images keep below 16 KiB). */
const MAX_EVENT_BYTES = 65_536;

/**
 * A line as an event, when it is a JSON object with a string `event` (contracts, "Images of ours").
 * `monoNs` becomes `atNs`; without a usable one the time of arrival stands in and `untimed` is set among the fields.
 */
export function parseEventLine(node: string, line: string): RecordedEvent | undefined {
  if (line.charCodeAt(0) !== 123 || line.length > MAX_EVENT_BYTES) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined; // Not JSON after all: free log.
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { event, monoNs, seq, ...fields } = value as Record<string, unknown>;
  if (typeof event !== 'string' || event === '' || event.length > 200) return undefined;
  const timed = typeof monoNs === 'number' && Number.isFinite(monoNs) && monoNs >= 0;
  return {
    node,
    event,
    atNs: timed ? monoNs : nowNs(),
    ...(typeof seq === 'number' && Number.isSafeInteger(seq) ? { seq } : {}),
    fields: timed ? fields : { ...fields, untimed: true },
  };
}

/**
 * Counts lines that a node wrote and we never saw. A process that begins anew (a reset, a restart) counts from its
 * first number again, which is not a loss.
 */
export class SequenceGaps {
  #last: number | undefined;
  #lost = 0;

  /** Returns how many lines are missing just before this one. */
  observe(seq: number): number {
    const last = this.#last;
    this.#last = seq;
    if (last === undefined || seq <= last) return 0;
    const missing = seq - last - 1;
    this.#lost += missing;
    return missing;
  }

  get lost(): number {
    return this.#lost;
  }
}
