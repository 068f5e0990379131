import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { TimelineEntry } from './entry.ts';

/** Wall clock stamps at the beginning of a line: RFC 3339 with a zone, and Go's log in UTC, as containers have it. */
const RFC3339 = /^\[?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))/;
const GO_LOG = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)/;

/** What turns wall clock times into the record's: one instant on both clocks. */
export interface WallAnchor {
  readonly epochMs: number;
  readonly atNs: number;
}

/**
 * The lines of one node's log in order, each with the best time there is: its own monotonic one, its own wall clock one,
 * or that of the line before it. A line never stands before the one that the node wrote before it.
 */
export async function* timedLines(
  file: string,
  node: string,
  start: WallAnchor,
): AsyncGenerator<TimelineEntry & { readonly isEvent: boolean }> {
  const input = createReadStream(file, { encoding: 'utf8' });
  let lastNs = start.atNs;
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const mono = monotonicOf(text);
      const wall = mono === undefined ? wallOf(text, start) : undefined;
      const own = mono ?? wall;
      lastNs = Math.max(lastNs, own ?? lastNs);
      yield {
        atNs: lastNs,
        node,
        kind: 'line',
        text,
        certainty: mono !== undefined ? 'exact' : wall !== undefined ? 'wall' : 'after',
        isEvent: mono !== undefined,
      };
    }
  } finally {
    input.destroy();
  }
}

/** The time of a line that is one of our images' events. */
function monotonicOf(text: string): number | undefined {
  if (!text.startsWith('{') || !text.includes('"monoNs"')) return undefined;
  const found = /"monoNs":\s*(\d{1,17})\b/.exec(text);
  return found && text.includes('"event"') ? Number(found[1]) : undefined;
}

function wallOf(text: string, { epochMs, atNs }: WallAnchor): number | undefined {
  const own = RFC3339.exec(text)?.[1];
  const go = GO_LOG.exec(text);
  const stamp = own ?? (go && `${go[1]}-${go[2]}-${go[3]}T${go[4]}Z`);
  const ms = stamp ? Date.parse(stamp) : Number.NaN;
  return Number.isNaN(ms) ? undefined : atNs + (ms - epochMs) * 1e6;
}
