import type { RecordedEvent } from '../../harness/index.ts';
import { CloseGroups } from '../../images/fetch-node/index.ts';
import { CLOSE_GROUP } from './node-kind.ts';

/** Holders of a key within its close group that are a quorum. */
const QUORUM = 4;

export interface Placement {
  readonly keys: number;
  /** Held by no node at all. */
  readonly lost: number;
  /** Held by fewer of its close group, joiners in it, than a quorum. */
  readonly underQuorum: number;
  /**
   * Not at some joiner of its close group that calls itself drained. Drained means that nothing is left in the joiner's queues: a real
   * node also lets go of a key whose quorum fails, and of what nobody told it of, so that some of these are a release's own.
   */
  readonly missing: number;
  /**
   * Had by a node that has it no more: by a holder before the wave, or told to be stored by a joiner. No node lets go of one within a
   * wave, since what is to be pruned is kept for days.
   */
  readonly gone: number;
}

/** What was told to be stored so shortly before stores were counted may not have been in there yet. */
const SAID_BEFORE_NS = 1e9;

/** Where the set lies at the end; undefined when nobody told of the set, or nobody of what is held. */
export function placementOf(events: readonly RecordedEvent[]): Placement | undefined {
  const set = new Set(events.filter(({ event }) => event === 'set.listed').flatMap(keysIn));
  const peers = peersByName(events);
  const told = events.filter(({ event }) => event === 'keys.held');
  const began = events.find(({ event, node }) => event === 'wave.began' && node === 'harness')?.atNs;
  // What holders had, and what all have in the end.
  const before = told.filter(({ atNs }) => began !== undefined && atNs < began);
  const atEnd = told.filter((event) => !before.includes(event));
  if (set.size === 0 || atEnd.length === 0) return undefined;
  const holders = holdersIn(atEnd);
  const groups = new CloseGroups([...peers].map(([name, id]) => ({ name, id })));
  const quorum = Math.min(QUORUM, Math.floor(peers.size / 2) + 1);
  let lost = 0;
  let underQuorum = 0;
  let missing = 0;
  const drained = drainedJoiners(events);
  for (const key of set) {
    const held = holders.get(key);
    if (!held) lost += 1;
    const group = groups.nearest(key, CLOSE_GROUP);
    const near = group.filter((name) => held?.has(name));
    if (near.length < quorum) underQuorum += 1;
    if (group.some((name) => drained.has(name) && !held?.has(name))) missing += 1;
  }
  return {
    keys: set.size,
    lost,
    underQuorum,
    missing,
    gone: goneFrom(events, holdersIn(before), holders, atEnd),
  };
}

/** Key → who holds it, by their own words. */
function holdersIn(told: readonly RecordedEvent[]): ReadonlyMap<string, ReadonlySet<string>> {
  const holders = new Map<string, Set<string>>();
  for (const event of told) {
    const of = typeof event.fields['of'] === 'string' ? event.fields['of'] : event.node;
    for (const key of keysIn(event)) holders.set(key, (holders.get(key) ?? new Set()).add(of));
  }
  return holders;
}

/** Keys that holders had before the wave, or joiners told to have stored before stores were counted, and that they lack in the end. */
function goneFrom(
  events: readonly RecordedEvent[],
  before: ReadonlyMap<string, ReadonlySet<string>>,
  holders: ReadonlyMap<string, ReadonlySet<string>>,
  atEnd: readonly RecordedEvent[],
): number {
  const gone = new Set<string>();
  for (const [key, had] of before) if ([...had].some((node) => !holders.get(key)?.has(node))) gone.add(key);
  const joiners = joinersOf(events);
  // From the first of them: a node that has nothing left tells of no key.
  const countedNs = Math.min(...atEnd.map(({ atNs }) => atNs));
  for (const { event, node, atNs, fields } of events) {
    const key = String(fields['key']);
    if (event !== 'chunk.stored' || !joiners.has(node)) continue;
    if (atNs > countedNs - SAID_BEFORE_NS || holders.get(key)?.has(node)) continue;
    gone.add(key);
  }
  return gone.size;
}

function joinersOf(events: readonly RecordedEvent[]): ReadonlySet<string> {
  const began = events.filter(({ event, node }) => event === 'wave.began' && node === 'harness');
  return new Set(began.map(({ fields }) => String(fields['joiner'])));
}

function drainedJoiners(events: readonly RecordedEvent[]): ReadonlySet<string> {
  const joiners = joinersOf(events);
  const drained = events.filter(({ event, node }) => event === 'bootstrap.drained' && joiners.has(node));
  return new Set(drained.map(({ node }) => node));
}

/** Name → peer id. */
export function peersByName(events: readonly RecordedEvent[]): ReadonlyMap<string, string> {
  return new Map(
    events
      .filter(({ event }) => event === 'peer.known')
      .map(({ fields }) => [String(fields['of']), String(fields['peer'])]),
  );
}

function keysIn({ fields }: RecordedEvent): readonly string[] {
  const { keys } = fields as { readonly keys?: unknown };
  return Array.isArray(keys) ? keys.filter((key): key is string => /^[0-9a-f]{64}$/.test(String(key))) : [];
}
