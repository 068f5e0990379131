import type { RecordedEvent, TrialRecord } from '../../../record/index.ts';
import { plainText } from '../../plain-text.ts';

/** Lanes beyond this many kinds of event are left out, the rarest last. */
const LANES_LIMIT = 12;
/** A half of a lane with more events than this is drawn as a density. */
const TICKS_LIMIT = 400;
const BINS = 240;
/** The harness's own marks that phases and fault windows show already. */
const DRAWN_OTHERWISE = /^(phase|step|fault)\./;

/** Nodes that a fault touched, or the others: the two halves of a lane. */
export type Half = 'touched' | 'others';

export interface Tick {
  readonly at: number;
  readonly lane: string;
  readonly half: Half;
}

export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly lane: string;
  readonly half: Half;
  /** 0..1 of the fullest bin of its half, as a root, so that one event shows beside a burst of thousands. */
  readonly weight: number;
}

export interface Lane {
  readonly name: string;
  readonly count: number;
  readonly ticks: readonly Tick[];
  readonly bins: readonly Bin[];
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * A trial's events by kind: `first` on top, then by how many there are.
 * @param seconds puts an instant on the plot's axis
 */
export function lanesOf(
  trial: Pick<TrialRecord, 'faults'>,
  events: readonly RecordedEvent[],
  first: string,
  seconds: (ns: number) => number,
  span: Span,
): Lane[] {
  const touched = new Set(trial.faults.flatMap((fault) => fault.targets));
  const byName = new Map<string, Record<Half, number[]>>();
  for (const { event, node, atNs } of events) {
    const at = seconds(atNs);
    if (at < span.from || at > span.to || (node === 'harness' && DRAWN_OTHERWISE.test(event))) continue;
    const name = plainText(event, 28);
    const halves = byName.get(name) ?? { touched: [], others: [] };
    halves[touched.has(node) ? 'touched' : 'others'].push(at);
    byName.set(name, halves);
  }
  const count = ({ touched: of, others }: Record<Half, number[]>): number => of.length + others.length;
  const rank = (name: string): number => (name === first ? 0 : 1);
  return [...byName]
    .sort(([a, x], [b, y]) => rank(a) - rank(b) || count(y) - count(x) || (a < b ? -1 : 1))
    .slice(0, LANES_LIMIT)
    .map(([name, halves]) => {
      const drawn = (['others', 'touched'] as const).map((half) => drawHalf(name, half, halves[half], span));
      return {
        name,
        count: count(halves),
        ticks: drawn.flatMap((one) => one.ticks),
        bins: drawn.flatMap((one) => one.bins),
      };
    });
}

function drawHalf(
  lane: string,
  half: Half,
  times: readonly number[],
  span: Span,
): Pick<Lane, 'ticks' | 'bins'> {
  if (times.length <= TICKS_LIMIT) return { ticks: times.map((at) => ({ at, lane, half })), bins: [] };
  const width = (span.to - span.from) / BINS;
  const counts = new Array<number>(BINS).fill(0);
  for (const at of times) {
    const bin = Math.min(BINS - 1, Math.floor((at - span.from) / width));
    counts[bin] = (counts[bin] as number) + 1;
  }
  const most = Math.max(...counts);
  const bins = counts.flatMap((count, bin) => {
    if (count === 0) return [];
    const from = span.from + bin * width;
    return [{ from, to: from + width, lane, half, weight: Math.sqrt(count / most) }];
  });
  return { ticks: [], bins };
}
