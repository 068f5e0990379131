/** What a client did during the course: redirects, refreshes, retries, strikes; counted from its events. */
import { type MeasureSpec, type RecordedEvent, registerMeasure, requiredField } from '../../harness/index.ts';
import { storedMeanwhile } from './change-measures.ts';
import { isClient, ofCourse, SWARM_NOTED, type Trial, told } from './events.ts';

/** Measure → the client's event that it counts. */
const COUNTED = {
  followed: ['redirect.followed', 'Redirects followed', 'redirects'],
  refused: ['redirect.refused', 'Redirects refused', 'redirects'],
  asked: ['refresh.asked', 'Refreshes asked for on a rejection', 'refreshes'],
  declined: ['refresh.declined', 'Refreshes declined', 'refreshes'],
  retriedFetches: ['refresh.retried', 'Fetches tried again after a delay', 'fetches'],
  refreshes: ['refresh.started', 'Refreshes started', 'refreshes'],
  retries: ['request.retried', 'Requests sent again after a 421', 'requests'],
  failures: ['request.failed', 'Requests that failed', 'requests'],
  stranded: ['request.stranded', 'Requests that were forgotten', 'requests'],
  answeredTwice: ['request.answered-twice', 'Requests with two ends', 'requests'],
  recursed: ['callback.recursed', 'Callbacks that came back without end', 'callbacks'],
  strikes: ['strike.added', 'Strikes', 'strikes'],
  pruned: ['strike.expired', 'Prunings of expired strikes', 'prunings'],
  rotations: ['path.rotation-started', 'Rotations', 'rotations'],
  edgesDropped: ['edge.dropped', 'Edge nodes that lost the role', 'nodes'],
  pathsBuilt: ['path.built', 'Paths built', 'paths'],
  pathsFailed: ['path.failed', 'Paths given up', 'paths'],
  resyncs: ['clock.resync-started', 'Clock resyncs', 'resyncs'],
  resyncsEnded: ['clock.resync-ended', 'Clock resyncs that ended', 'resyncs'],
  closes: ['connections.closed', 'Times that connections were closed', 'times'],
} as const satisfies Readonly<Record<string, readonly [event: string, title: string, unit: string]>>;

const SUMMED = {
  repeated: ['Messages that one answer held more than once', 'messages'],
  refreshBytes: ['Bytes of node lists fetched', 'bytes'],
  refreshRequests: ['Node lists fetched', 'requests'],
  refreshesDone: ['Refreshes that replaced the pool', 'refreshes'],
  refreshesFailed: ['Refreshes that ran out of candidates', 'refreshes'],
  followedForLimit: ['Redirects that asked for a refresh by the limit', 'redirects'],
  followedShort: ['Redirects that asked for a refresh for being short', 'redirects'],
  strayRetries: ['Retries to a node that no redirect named', 'requests'],
  retriedOutside: ['Retries to a node outside of the account’s swarm', 'requests'],
  rejected: ['Requests that failed with 421', 'requests'],
  insufficient: ['Requests that failed with ERROR_INSUFFICIENT_NODES', 'requests'],
  unauthenticated: ['Requests that failed with ERROR_UNAUTHENTICATED_RESPONSE', 'requests'],
  suspendedErrors: ['Requests that failed with ERROR_NETWORK_SUSPENDED', 'requests'],
  closedErrors: ['Requests that failed with ERROR_CONNECTION_CLOSED', 'requests'],
  timeouts: ['Requests that failed with 504', 'requests'],
  refusedBySuspension: ['Requests that the suspended network refused itself', 'requests'],
  saysStatus: ['Errors that say the status that was sent', 'requests'],
  firstDelayMs: ['First delay of a refresh', 'ms'],
  rotationNodes: ['Nodes that rotations asked for', 'nodes'],
  handshakeStrikes: ['Strikes for a handshake that took too long', 'strikes'],
  verificationStrikes: ['Strikes for an edge node that could not be verified', 'strikes'],
  struckOut: ['Nodes that went out', 'nodes'],
  namedIds: ['Overrides that were answered with a swarm id', 'look-ups'],
  storedMeanwhile: ['Stores under way while nodes went by different lists', 'stores'],
  resyncAnswers: ['Nodes that said what time it is', 'answers'],
  offsetMs: ['Offset of the clock after its last resync', 'ms'],
  refusedForLimit: ['Redirects refused for being too many in a row', 'redirects'],
  refusedAsCalculated: ['Redirects refused for naming the calculated swarm', 'redirects'],
} as const;

export type ClientMeasure = keyof typeof COUNTED | keyof typeof SUMMED;

export const clientMeasureSpecs: readonly MeasureSpec[] = [
  ...Object.entries(COUNTED).map(([name, [, title, unit]]) => ({ name, title, unit })),
  ...Object.entries(SUMMED).map(([name, [title, unit]]) => ({ name, title, unit })),
];

export function clientMeasures(
  _: Trial,
  events: readonly RecordedEvent[],
): Record<ClientMeasure, number | null> {
  const course = ofCourse(events);
  const counted = Object.entries(COUNTED).map(([name, [event]]) => [name, told(course, event).length]);
  const finished = told(course, 'refresh.finished');
  const outcome = (wanted: string): number =>
    finished.filter((event) => requiredField(event, 'outcome', 'string') === wanted).length;
  const sum = (field: string): number =>
    finished.reduce((total, event) => total + requiredField(event, field, 'number'), 0);
  const delays = told(course, 'refresh.retried');
  const followed = told(course, 'redirect.followed');
  const refusedFor = (reason: string): number =>
    told(course, 'redirect.refused').filter(({ fields }) => fields['reason'] === reason).length;
  const overrides = told(course, 'swarm.resolved').filter(({ fields }) => fields['source'] === 'override');
  const resynced = told(course, 'clock.resync-ended');
  const lastResync = resynced.at(-1);
  const failed = told(course, 'request.failed');
  const failedWith = (error: string): number =>
    failed.filter(({ fields }) => fields['error'] === error).length;
  const struckFor = (reason: string): number =>
    told(course, 'strike.added').filter(({ fields }) => fields['reason'] === reason).length;
  return {
    ...Object.fromEntries(counted),
    repeated: repeatedIn(course),
    refreshBytes: sum('bytes'),
    refreshRequests: sum('requests'),
    refreshesDone: outcome('replaced'),
    refreshesFailed: outcome('failed'),
    followedForLimit: followed.filter(({ fields }) => fields['asks'] === 'limit').length,
    followedShort: followed.filter(({ fields }) => fields['asks'] === 'short').length,
    strayRetries: strayRetriesIn(course),
    retriedOutside: retriedOutsideIn(course),
    rejected: failedWith('421'),
    insufficient: failedWith('ERROR_INSUFFICIENT_NODES'),
    unauthenticated: failedWith('ERROR_UNAUTHENTICATED_RESPONSE'),
    suspendedErrors: failedWith('ERROR_NETWORK_SUSPENDED'),
    closedErrors: failedWith('ERROR_CONNECTION_CLOSED'),
    timeouts: failedWith('504'),
    refusedBySuspension: failed.filter(
      (event) => requiredField(event, 'reason', 'string') === 'the network is suspended',
    ).length,
    saysStatus: failed.filter((event) => /with status \d{3}/.test(requiredField(event, 'reason', 'string')))
      .length,
    firstDelayMs: delays.length === 0 ? null : requiredField(delays[0] as RecordedEvent, 'delayMs', 'number'),
    rotationNodes: told(course, 'path.rotation-started').reduce(
      (total, event) => total + requiredField(event, 'asked', 'number'),
      0,
    ),
    handshakeStrikes: struckFor('handshake'),
    verificationStrikes: struckFor('verification'),
    struckOut: new Set(
      told(course, 'strike.added')
        .filter(({ fields }) => fields['out'] === true)
        .map((event) => requiredField(event, 'node', 'string')),
    ).size,
    namedIds: overrides.filter(({ fields }) => fields['swarm'] !== null).length,
    storedMeanwhile: storedMeanwhile(course),
    resyncAnswers: resynced.reduce((total, event) => total + requiredField(event, 'answers', 'number'), 0),
    offsetMs: lastResync ? requiredField(lastResync, 'offsetMs', 'number') : null,
    refusedForLimit: refusedFor('limit'),
    refusedAsCalculated: refusedFor('calculated'),
  } as Record<ClientMeasure, number | null>;
}

/** How many messages too many answers to a reading held; a client takes each but once. */
export function repeatedIn(events: readonly RecordedEvent[]): number {
  return told(events, 'message.repeated').reduce(
    (total, event) => total + requiredField(event, 'count', 'number'),
    0,
  );
}

/** Retries whose account the last redirect sent to other nodes. */
function strayRetriesIn(events: readonly RecordedEvent[]): number {
  const named = new Map<string, readonly unknown[]>();
  let stray = 0;
  for (const event of events.filter(isClient)) {
    if (event.event === 'redirect.followed') {
      const nodes = event.fields['nodes'];
      named.set(requiredField(event, 'account', 'string'), Array.isArray(nodes) ? nodes : []);
    }
    if (event.event === 'request.retried') {
      const nodes = named.get(requiredField(event, 'account', 'string'));
      if (!nodes?.includes(event.fields['to'])) stray += 1;
    }
  }
  return stray;
}

/** Retries to nodes that the list did not have in the account's swarm; null where no swarm was noted. */
function retriedOutsideIn(events: readonly RecordedEvent[]): number | null {
  const swarms = new Map<unknown, unknown>();
  let outside = 0;
  for (const event of events) {
    const { account, members, to } = event.fields;
    if (event.event === SWARM_NOTED) swarms.set(account, members);
    if (event.event !== 'request.retried' || !isClient(event) || !swarms.has(account)) continue;
    const known = swarms.get(account);
    if (!Array.isArray(known) || !known.includes(to)) outside += 1;
  }
  return swarms.size === 0 ? null : outside;
}

registerMeasure('session.client', clientMeasures);
