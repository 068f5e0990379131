import type { ChunkKey, Distance } from './chunk-key.ts';

/** A key that is to be fetched, from when it was verified until it is here or goes back to verification. */
export interface FetchEntry {
  readonly key: ChunkKey;
  readonly distance: Distance;
  /** When it came, as a number that grows. */
  readonly order: number;
  /** Everybody it is associated with, tried or not, in the order of preference. */
  sources: string[];
  readonly tried: Set<string>;
  /** Who advertised it again meanwhile: what its verification retry begins with. */
  readonly hints: Set<string>;
  /** Whether a place in the verification table is kept for its return. */
  reserved: boolean;
  state: 'queued' | 'parked' | 'inFlight' | 'gone';
  /** While it is parked: since when, under whom (undefined: it departed), and its place in each of their heaps. */
  parkedAtMs: number;
  parkedUnder: (string | undefined)[];
  parkedPlaces: Int32Array;
  /** Its place in the heap of queued keys; -1: not there. */
  queuedPlace: number;
}

/** A key that was just verified, with a place kept for its return; not queued yet. */
export function createEntry(
  key: ChunkKey,
  distance: Distance,
  order: number,
  sources: readonly string[],
): FetchEntry {
  return {
    key,
    distance,
    order,
    sources: [...sources],
    tried: new Set(),
    hints: new Set(),
    reserved: true,
    state: 'queued',
    parkedAtMs: 0,
    parkedUnder: [],
    parkedPlaces: new Int32Array(0),
    queuedPlace: -1,
  };
}

/** One try at one source. */
export interface Attempt {
  readonly key: ChunkKey;
  readonly source: string;
  /** Place of its request in the sequence. */
  readonly place: number;
  /** Whether the source was counted silent when it began, so that the limit did not count. */
  readonly pastSilence: boolean;
}

export function untriedOf(entry: FetchEntry): readonly string[] {
  return entry.tried.size === 0 ? entry.sources : entry.sources.filter((source) => !entry.tried.has(source));
}
