import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type RecordedEvent, readSortedEvents, readTrial, type TrialRecord } from '../record/index.ts';
import type { TimelineEntry } from './entry.ts';
import { timedLines } from './timed-lines.ts';

export interface TimelineFilter {
  /** Names; all nodes when absent. What the harness did is always kept. */
  readonly nodes?: ReadonlySet<string>;
  /** Of events and log lines. */
  readonly pattern?: RegExp;
  readonly events: boolean;
  readonly lines: boolean;
  /** Real ms from the trial's start. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

/**
 * Everything that happened in a trial, of all nodes and of the harness, on one timeline. Logs are read as they are needed,
 * so that a trial of a hundred nodes takes no more memory than its events.
 */
export async function* mergeTimeline(
  trialDir: string,
  filter: TimelineFilter,
): AsyncGenerator<TimelineEntry & { readonly offsetMs: number }> {
  const trial = await readTrial(trialDir);
  const wanted = (node: string): boolean => filter.nodes?.has(node) ?? true;
  const fits = ({ text, node }: TimelineEntry): boolean =>
    filter.pattern === undefined || filter.pattern.test(`${node} ${text}`);
  const events = filter.events ? await readSortedEvents(trialDir) : [];
  const known: TimelineEntry[] = [
    ...marksOf(trial),
    ...events
      .filter(({ node }) => wanted(node))
      .map(entryOf)
      .filter(fits),
  ].sort((a, b) => a.atNs - b.atNs);
  const sources: AsyncIterator<TimelineEntry>[] = [iterate(known)];
  const anchor = { epochMs: Date.parse(trial.startedAt), atNs: trial.startNs };
  for (const { name, log } of filter.lines ? trial.nodes : []) {
    // A record may be somebody else's: its paths lead nowhere but to its logs.
    const file = log && /^logs\/[^/]+$/.test(log.path) ? join(trialDir, log.path) : undefined;
    if (!file || !wanted(name) || !existsSync(file)) continue;
    sources.push(freeLines(timedLines(file, name, anchor), fits, filter.events));
  }
  for await (const entry of inOrder(sources)) {
    const offsetMs = (entry.atNs - trial.startNs) / 1e6;
    if (filter.fromMs !== undefined && offsetMs < filter.fromMs) continue;
    if (filter.toMs !== undefined && offsetMs > filter.toMs) continue;
    yield { ...entry, offsetMs };
  }
}

async function* iterate(entries: readonly TimelineEntry[]): AsyncGenerator<TimelineEntry> {
  yield* entries;
}

/** An event stands among the events already, so its line is left out where those are shown. */
async function* freeLines(
  lines: ReturnType<typeof timedLines>,
  fits: (entry: TimelineEntry) => boolean,
  withoutEvents: boolean,
): AsyncGenerator<TimelineEntry> {
  for await (const { isEvent, ...entry } of lines) {
    if (!(isEvent && withoutEvents) && fits(entry)) yield entry;
  }
}

/** Merges sources that are each in order. */
async function* inOrder(sources: readonly AsyncIterator<TimelineEntry>[]): AsyncGenerator<TimelineEntry> {
  const heads = await Promise.all(sources.map(async (source) => ({ source, next: await source.next() })));
  try {
    for (;;) {
      const open = heads.filter(({ next }) => next.done !== true);
      const [first] = open;
      if (!first) return;
      const earliest = open.reduce((least, head) =>
        (head.next.value as TimelineEntry).atNs < (least.next.value as TimelineEntry).atNs ? head : least,
      );
      yield earliest.next.value as TimelineEntry;
      earliest.next = await earliest.source.next();
    }
  } finally {
    await Promise.all(sources.map((source) => source.return?.()));
  }
}

function entryOf({ node, event, atNs, fields }: RecordedEvent): TimelineEntry {
  const told = Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value) ?? ''}`);
  return { atNs, node, kind: 'event', text: [event, ...told].join(' '), certainty: 'exact' };
}

/** Phases and faults, from the trial's record. */
function marksOf({ phases, faults }: TrialRecord): TimelineEntry[] {
  const mark = (atNs: number | undefined, text: string): TimelineEntry[] =>
    atNs === undefined ? [] : [{ atNs, node: 'harness', kind: 'mark', text, certainty: 'exact' }];
  return [
    ...phases.flatMap(({ name, startNs }) => mark(startNs, `phase ${name}`)),
    ...faults.flatMap(({ id, kind, selector, targets, appliedNs, liftedNs }) => [
      ...mark(appliedNs, `fault ${id} (${kind} on ${selector}: ${targets.join(', ')}) bites`),
      ...mark(liftedNs, `fault ${id} lifts`),
    ]),
  ];
}
