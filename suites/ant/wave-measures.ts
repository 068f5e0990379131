/** What a join wave is measured by: pure predicates over a trial's record, the same for the real node and the stand-in. */
import { type MeasurePredicate, type RecordedEvent, registerMeasure } from '../../harness/index.ts';
import { peersByName, placementOf } from './placement.ts';

type Trial = Parameters<MeasurePredicate>[0];

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const median = (sorted: readonly number[]): number => {
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
};

const joinersOf = (trial: Trial): ReadonlySet<string> =>
  new Set(trial.nodes.filter(({ role }) => role === 'joiner').map(({ name }) => name));

/** When each joiner began, by the harness's own word. */
export function waveStarts(events: readonly RecordedEvent[]): ReadonlyMap<string, number> {
  const starts = new Map<string, number>();
  for (const { event, node, atNs, fields } of events) {
    const joiner = text(fields['joiner']);
    if (event === 'wave.began' && node === 'harness' && !starts.has(joiner)) starts.set(joiner, atNs);
  }
  return starts;
}

/** Seconds from a joiner's beginning to its drain, unwarped; null for one that was not drained while it was watched. */
export const drainMeasures: MeasurePredicate = (trial, events) => {
  const starts = waveStarts(events);
  const drainS = [...starts].map(([joiner, beganNs]) => {
    const drained = events.find(
      ({ event, node, atNs }) => event === 'bootstrap.drained' && node === joiner && atNs >= beganNs,
    );
    return drained ? ((drained.atNs - beganNs) / 1e9) * trial.warp : null;
  });
  const undrained = drainS.filter((one) => one === null).length;
  const storing = new Set(events.filter(({ event }) => event === 'chunk.stored').map(({ node }) => node));
  const drainedEmpty = [...starts.keys()].filter(
    (joiner, index) => drainS[index] !== null && !storing.has(joiner),
  ).length;
  const sorted = drainS.map((one) => one ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  const middle = sorted.length === 0 ? Number.POSITIVE_INFINITY : median(sorted);
  const watchedMs = number(trial.point['watch']);
  return {
    drainS,
    // What an open one took at least.
    watchedS: watchedMs === undefined || starts.size === 0 ? null : watchedMs / 1_000,
    drainMedianS: Number.isFinite(middle) ? middle : null,
    drainSlowestS: undrained > 0 || sorted.length === 0 ? null : (sorted.at(-1) ?? null),
    undrained,
    // A node that found no neighbours calls itself drained at once, which is quick and no good.
    drainedEmpty,
  };
};

/** How attempts end, as summaries of versions name their counters of them. */
const OUTCOMES = {
  ok: /^attempts?_(ok|success|succeeded|stored)$/,
  busy: /^attempts?_busy$/,
  cancelled: /^attempts?_cancelled$/,
} as const;

/** Sum over all joiners of a counter in the last summary of each; null unless each of them has it. */
function lastOfAll(
  joiners: ReadonlySet<string>,
  events: readonly RecordedEvent[],
  pattern: RegExp,
): number | null {
  const last = new Map<string, number>();
  for (const { event, node, fields } of events) {
    if (event !== 'dispatch.summary' || !joiners.has(node)) continue;
    const field = Object.keys(fields).find((name) => pattern.test(name));
    const value = field === undefined ? undefined : number(fields[field]);
    if (value !== undefined) last.set(node, value);
  }
  return last.size === 0 || last.size < joiners.size ? null : sum([...last.values()]);
}

/**
 * What joiners stored and fetched, and how their attempts ended. A stand-in tells every end of a fetch. A real node tells those that
 * timed out or failed, the chunks that it stored, and the rest in its summary if its version has one: what nobody told is null.
 */
export const fetchMeasures: MeasurePredicate = (trial, events) => {
  const joiners = joinersOf(trial);
  const own = events.filter(({ node }) => joiners.has(node));
  const stored = own.filter(({ event }) => event === 'chunk.stored');
  const sizes = new Map(
    stored.map(({ node, fields }) => [`${node} ${text(fields['key'])}`, number(fields['bytes']) ?? 0]),
  );
  const neededBytes = sum([...sizes.values()]);
  const finished = own.filter(({ event }) => event === 'fetch.finished');
  const of = (outcome: string): number =>
    finished.filter(({ fields }) => fields['outcome'] === outcome).length;
  // Only who tells of every end tells of these.
  const tellsAll = finished.some(({ fields }) => Object.keys(OUTCOMES).includes(text(fields['outcome'])));
  const told = (outcome: keyof typeof OUTCOMES): number | null =>
    tellsAll ? of(outcome) : lastOfAll(joiners, own, OUTCOMES[outcome]);
  const fetchedBytes = tellsAll
    ? sum(finished.map(({ fields }) => (fields['outcome'] === 'ok' ? (number(fields['bytes']) ?? 0) : 0)))
    : lastOfAll(joiners, own, /^fetched_bytes$/);
  const attemptsOk = told('ok') ?? stored.length;
  const attemptsBusy = told('busy');
  const attemptsCancelled = told('cancelled');
  const attempts = attemptsOk + of('timeout') + (attemptsBusy ?? 0) + of('failed') + (attemptsCancelled ?? 0);
  return {
    storedBytes: neededBytes,
    bytesPerNeeded: fetchedBytes === null || neededBytes === 0 ? null : fetchedBytes / neededBytes,
    attemptsOk,
    attemptsTimeout: of('timeout'),
    attemptsBusy,
    attemptsFailed: of('failed'),
    attemptsCancelled,
    timeoutRatio: attempts === 0 ? null : of('timeout') / attempts,
  };
};

/** Which version each node runs: its own word in any of its events, else its image. */
function versionsOf(trial: Trial, events: readonly RecordedEvent[]): (node: string) => string {
  const versions = new Map(trial.nodes.map(({ name, image }) => [name, text(image) || 'unknown']));
  const told = new Set<string>();
  for (const { node, fields } of events) {
    const version = text(fields['version']) || text(fields['node_version']);
    if (version === '' || told.has(node) || !versions.has(node)) continue;
    versions.set(node, version);
    told.add(node);
  }
  return (node) => versions.get(node) ?? 'unknown';
}

/** How many there are of each version, 0 for a version that ran and has none. */
function countByVersion(
  ran: readonly string[],
  all: readonly { readonly version: string }[],
): Readonly<Record<string, number>> {
  const counts = new Map([...new Set(ran)].sort().map((version) => [version, 0]));
  for (const { version: name } of all) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/**
 * What requesters were refused and whom they blamed, by who they are and by their version: an external cohort cannot be throttled
 * by the candidate, so that what it runs into is counted apart, and so is what holders ask of each other.
 */
export const pressureMeasures: MeasurePredicate = (trial, events) => {
  const roles = new Map(trial.nodes.map(({ name, role }) => [name, role]));
  const cohortOf = (node: string): 'joiner' | 'external' | 'holder' => {
    const role = roles.get(node);
    return role === 'joiner' || role === 'external' ? role : 'holder';
  };
  const nameOf = new Map([...peersByName(events)].map(([name, peer]) => [peer, name]));
  const nodeOf = (peer: unknown): string => nameOf.get(text(peer)) ?? text(peer);
  const versionOf = versionsOf(trial, events);
  const ran = trial.nodes.map(({ name }) => versionOf(name));
  const disturbed = new Set(trial.faults.flatMap(({ targets }) => targets));
  const drops = events
    .filter(({ event }) => event === 'admission.dropped')
    .map(({ fields }) => {
      const peer = nodeOf(fields['peer']);
      return { cohort: cohortOf(peer), version: text(fields['peerVersion']) || versionOf(peer), fields };
    });
  const own = drops.filter(({ cohort }) => cohort === 'joiner');
  const by = (reason: string): number => own.filter(({ fields }) => fields['reason'] === reason).length;
  // The document's counter: only two slots are in use, and both are the refused peer's.
  const atTwo = own.filter(
    ({ fields }) => fields['reason'] === 'per-peer' && (number(fields['slotsInUse']) ?? 99) <= 2,
  ).length;
  const penalties = events
    .filter(({ event, fields }) => event === 'trust.changed' && (number(fields['delta']) ?? 0) < 0)
    .map(({ node, fields }) => ({
      cohort: cohortOf(node),
      version: text(fields['version']) || versionOf(node),
      isHealthy: !disturbed.has(nodeOf(fields['peer'])),
    }));
  const healthy = penalties.filter(({ isHealthy }) => isHealthy);
  const dropsOf = (one: string): number => drops.filter(({ cohort }) => cohort === one).length;
  const blamedBy = (one: string): number => healthy.filter(({ cohort }) => cohort === one).length;
  return {
    dropsPerPeer: by('per-peer'),
    dropsPool: by('pool'),
    dropsOfExternal: dropsOf('external'),
    dropsOfHolders: dropsOf('holder'),
    dropsByVersion: countByVersion(ran, drops),
    dropsAtTwoRatio: own.length === 0 ? null : atTwo / own.length,
    trustPenalties: blamedBy('joiner'),
    trustPenaltiesOfExternal: blamedBy('external'),
    trustPenaltiesOfHolders: blamedBy('holder'),
    trustPenaltiesByVersion: countByVersion(ran, healthy),
    trustPenaltiesDisturbed: penalties.filter(({ cohort, isHealthy }) => cohort === 'joiner' && !isHealthy)
      .length,
  };
};

/** Gauges and counters of the dispatch summary, by what their names say: versions name them differently. */
const SUMMARY: readonly (readonly [name: string, pattern: RegExp, of: 'max' | 'last'])[] = [
  ['oldestParkedMs', /oldest_parked/, 'max'],
  // A gauge that is told every five minutes misses most of a wave; its highest since the start does not.
  ['parkedMost', /^parked(_keys)?(_max)?$/, 'max'],
  ['healthOverflow', /overflow/, 'last'],
  ['startedPastUntracked', /past_untracked$/, 'last'],
  ['lockWaitMs', /lock_wait(_total)?_ms$/, 'last'],
  ['lockHoldMs', /lock_hold(_total)?_ms$/, 'last'],
];

/** From the summaries of joiners; null unless each of them has it: what one did not tell would make its side look better. */
export const summaryMeasures: MeasurePredicate = (trial, events) => {
  const joiners = joinersOf(trial);
  const summaries = events.filter(({ event, node }) => event === 'dispatch.summary' && joiners.has(node));
  return Object.fromEntries(
    SUMMARY.map(([name, pattern, of]) => {
      const byNode = new Map<string, number>();
      for (const { node, fields } of summaries) {
        const values = Object.entries(fields).flatMap(([field, value]) => {
          const read = pattern.test(field) ? number(value) : undefined;
          return read === undefined ? [] : [read];
        });
        if (values.length === 0) continue;
        const value = Math.max(...values);
        byNode.set(node, of === 'max' ? Math.max(value, byNode.get(node) ?? value) : value);
      }
      if (byNode.size === 0 || byNode.size < joiners.size) return [name, null];
      const values = [...byNode.values()];
      return [name, of === 'max' ? Math.max(...values) : sum(values)];
    }),
  );
};

/** What nodes took, from `node.spent`: CPU time of each on average, and the most memory that one had. */
function spentOf(nodes: ReadonlySet<string>, events: readonly RecordedEvent[]) {
  const spent = events.filter(
    ({ event, node, fields }) => event === 'node.spent' && nodes.has(text(fields['of']) || node),
  );
  // A node that began anew tells at the end of each of its lives.
  const cpuMs = new Map<string, number>();
  for (const { node, fields } of spent) {
    const own = number(fields['cpuMs']);
    const of = text(fields['of']) || node;
    if (own !== undefined) cpuMs.set(of, (cpuMs.get(of) ?? 0) + own);
  }
  const memory = spent.flatMap(({ fields }) => number(fields['peakRssBytes'] ?? fields['rssBytes']) ?? []);
  return {
    cpuMs: cpuMs.size === 0 ? null : sum([...cpuMs.values()]) / cpuMs.size,
    memoryMostBytes: memory.length === 0 ? null : Math.max(...memory),
  };
}

/** The set at the end, and what the wave cost the host, the joiners and the nodes that they fetched from. */
export const endMeasures: MeasurePredicate = (trial, events) => {
  const placement = placementOf(events);
  const joiners = joinersOf(trial);
  const others = new Set(trial.nodes.map(({ name }) => name).filter((name) => !joiners.has(name)));
  const joiner = spentOf(joiners, events);
  const holder = spentOf(others, events);
  const samples = events.filter(({ event }) => event === 'host.sampled').map(({ fields }) => fields);
  const values = (field: string): number[] => samples.flatMap((fields) => number(fields[field]) ?? []);
  const busy = values('busyRatio');
  return {
    keysLost: placement?.lost ?? null,
    keysUnderQuorum: placement?.underQuorum ?? null,
    keysMissing: placement?.missing ?? null,
    keysGone: placement?.gone ?? null,
    keysInSet: placement?.keys ?? null,
    nodeCpuMs: joiner.cpuMs,
    nodeMemoryMostBytes: joiner.memoryMostBytes,
    holderCpuMs: holder.cpuMs,
    holderMemoryMostBytes: holder.memoryMostBytes,
    hostBusyRatio: busy.length === 0 ? null : sum(busy) / busy.length,
    hostLoadMost: values('load').length === 0 ? null : Math.max(...values('load')),
    hostMemoryFreeLeastBytes:
      values('memoryFreeBytes').length === 0 ? null : Math.min(...values('memoryFreeBytes')),
  };
};

registerMeasure('ant.drain', drainMeasures);
registerMeasure('ant.fetch', fetchMeasures);
registerMeasure('ant.pressure', pressureMeasures);
registerMeasure('ant.summary', summaryMeasures);
registerMeasure('ant.end', endMeasures);
