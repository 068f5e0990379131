/** What a herd cost the nodes, and what they saw of it; pure over a trial's record. */
import {
  type MeasurePredicate,
  type RecordedEvent,
  registerMeasure,
  requiredField,
} from '../../harness/index.ts';
import { ofCourse, type Trial, told } from './events.ts';
import { CALLERS } from './fleet-steps.ts';

export const NODES = 15;
export const RECORD_BYTES = 51;
export const ASKED = 3;
export const MILLION = 1_000_000;

const LIST_BYTES = NODES * RECORD_BYTES;
/** Bytes of node lists that one refresh of one client fetches. */
export const REFRESH_BYTES = LIST_BYTES * ASKED;

/** Id of the fault that lets everything pass and counts the bytes of the nodes' port, on the wire. */
export const WIRE = 'wire';
/** Bytes of all nodes' sockets, as a step read them. */
export const SOCKETS = 'herd.sockets';

export const HERD_MEASURES = [
  { name: 'clients', title: 'Clients', unit: 'clients' },
  { name: 'listBytesAtNodes', title: 'Bytes of node lists, counted at the nodes', unit: 'bytes' },
  { name: 'listBytesOfClients', title: 'Bytes of node lists, counted at the clients', unit: 'bytes' },
  { name: 'agreement', title: 'Nodes’ count over clients’', unit: '' },
  { name: 'socketBytes', title: 'Bytes over the nodes’ sockets', unit: 'bytes' },
  { name: 'wireBytes', title: 'Bytes at the nodes’ port, counted by the packet agent', unit: 'bytes' },
  { name: 'wireAgreement', title: 'Packet agent’s count over the sockets’', unit: '' },
  { name: 'ofPredicted', title: 'Bytes over clients × nodes × 51 × 3', unit: '' },
  {
    name: 'gigabytesForMillion',
    title: 'Bytes of node lists for a million clients, by the formula',
    unit: 'GB',
  },
  { name: 'peakRefreshesPerS', title: 'Most refreshes that began within a second', unit: 'refreshes/s' },
  { name: 'peakListRequestsPerS', title: 'Most node lists asked for within a second', unit: 'requests/s' },
  { name: 'peakListBytesPerS', title: 'Most bytes of node lists within a second', unit: 'bytes/s' },
  { name: 'peakRequestsPerS', title: 'Most requests within a second at all nodes', unit: 'requests/s' },
  {
    name: 'peakRequestsAtOneNode',
    title: 'Most requests that one node counted within a second',
    unit: 'requests/s',
  },
  { name: 'limited', title: 'Requests answered 429', unit: 'requests' },
  { name: 'withoutAddress', title: 'Clients without an address of their own at the nodes', unit: 'clients' },
  { name: 'stillRejected', title: 'Clients that cannot read the group afterwards', unit: 'clients' },
] as const;

export const herdMeasures: MeasurePredicate = (trial, events) => {
  const course = ofCourse(events);
  const clients = course.find(({ event }) => event === 'herd.counted');
  const count = clients ? requiredField(clients, 'clients', 'number') : null;
  const fetched = told(course, 'refresh.finished').reduce(
    (sum, one) => sum + requiredField(one, 'bytes', 'number'),
    0,
  );
  const counts = course.filter(({ event }) => event === 'requests.counted');
  const amounts = (field: string) =>
    counts.map((one) => ({ atNs: one.atNs, amount: requiredField(one, field, 'number') }));
  const [lists, requests] = [amounts('listBytes'), amounts('answered')];
  const seen = course.find(({ event }) => event === CALLERS);
  const atNodes = lists.reduce((sum, { amount }) => sum + amount, 0);
  const answered = course.find(({ event }) => event === 'herd.answered');
  const socketBytes = grown(course);
  const wireBytes = onTheWire(trial);
  const started = told(course, 'refresh.started').map(({ atNs }) => ({ atNs, amount: 1 }));
  return {
    clients: count,
    listBytesAtNodes: atNodes,
    listBytesOfClients: fetched,
    agreement: fetched === 0 ? Number(atNodes === 0) : atNodes / fetched,
    socketBytes,
    wireBytes,
    wireAgreement: socketBytes === null || wireBytes === null ? null : wireBytes / socketBytes,
    ofPredicted: count === null ? null : fetched / (count * REFRESH_BYTES),
    gigabytesForMillion: count === null ? null : ((fetched / count) * MILLION) / 1e9,
    peakRefreshesPerS: peakPerS(started),
    peakListRequestsPerS: peakPerS(lists) / LIST_BYTES,
    peakListBytesPerS: peakPerS(lists),
    peakRequestsPerS: peakPerS(requests),
    peakRequestsAtOneNode: Math.max(0, ...requests.map(({ amount }) => amount)),
    limited: seen ? requiredField(seen, 'limited', 'number') : null,
    withoutAddress: seen && count !== null ? count - requiredField(seen, 'callers', 'number') : null,
    stillRejected: answered ? requiredField(answered, 'rejected', 'number') : null,
  };
};

/** Bytes of all nodes' sockets between the first and the last time that they were read; both directions. */
function grown(course: readonly RecordedEvent[]): number | null {
  const readings = course
    .filter(({ event }) => event === SOCKETS)
    .map((one) => requiredField(one, 'receivedBytes', 'number') + requiredField(one, 'sentBytes', 'number'));
  const [first] = readings;
  return first === undefined || readings.length < 2 ? null : (readings.at(-1) ?? first) - first;
}

/** What the packet agent counted at the nodes' port meanwhile; both directions. */
function onTheWire({ faults }: Trial): number | null {
  const counts = faults.find(({ id }) => id === WIRE)?.witness?.counts;
  return counts ? (counts['tcpBytesIn'] ?? 0) + (counts['tcpBytesOut'] ?? 0) : null;
}

/** The most that comes together within one second. Nodes tell their counts once a second, so of theirs it is an upper bound. */
function peakPerS(amounts: readonly { readonly atNs: number; readonly amount: number }[]): number {
  let [first, sum, peak] = [0, 0, 0];
  for (const { atNs, amount } of amounts) {
    sum += amount;
    for (; atNs - (amounts[first]?.atNs ?? atNs) > 1e9; first += 1) sum -= amounts[first]?.amount ?? 0;
    peak = Math.max(peak, sum);
  }
  return peak;
}

registerMeasure('session.herd', herdMeasures);
