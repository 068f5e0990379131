/** Row 9: every client of a swarm meets the same change, and what that costs the nodes together. */
import {
  type MeasurePredicate,
  registerMeasure,
  requiredField,
  type ScenarioSpec,
  type TrialContext,
} from '../../harness/index.ts';
import { clientMeasureSpecs } from './client-measures.ts';
import { AGED_MS, Desk } from './desk.ts';
import { ofCourse, told } from './events.ts';
import { published } from './published.ts';

/** Clients of one container, as topologies/session-herd.yaml has it. */
const FLEET = 50;
const NODES = 15;
const RECORD_BYTES = 51;
const ASKED = 3;
const GROUP = 'group';
const MILLION = 1_000_000;

/** Bytes of node lists that one refresh of one client fetches. */
export const REFRESH_BYTES = NODES * RECORD_BYTES * ASKED;

export const herdMeasures: MeasurePredicate = (_, events) => {
  const course = ofCourse(events);
  const clients = course.find(({ event }) => event === 'herd.counted');
  const count = clients ? requiredField(clients, 'clients', 'number') : null;
  const fetched = told(course, 'refresh.finished').reduce(
    (sum, one) => sum + requiredField(one, 'bytes', 'number'),
    0,
  );
  const atNodes = course
    .filter(({ event }) => event === 'requests.counted')
    .reduce((sum, one) => sum + requiredField(one, 'listBytes', 'number'), 0);
  const answered = course.find(({ event }) => event === 'herd.answered');
  return {
    clients: count,
    listBytesAtNodes: atNodes,
    listBytesOfClients: fetched,
    agreement: fetched === 0 ? Number(atNodes === 0) : atNodes / fetched,
    ofPredicted: count === null ? null : fetched / (count * REFRESH_BYTES),
    gigabytesForMillion: count === null ? null : ((fetched / count) * MILLION) / 1e9,
    peakRefreshesPerS: peakPerS(told(course, 'refresh.started').map(({ atNs }) => atNs)),
    peakListRequestsPerS: peakPerS(told(course, 'refresh.started').map(({ atNs }) => atNs)) * ASKED,
    stillRejected: answered ? requiredField(answered, 'rejected', 'number') : null,
  };
};

/** The most of these instants that lie within one second. */
function peakPerS(atNs: readonly number[]): number {
  let [first, peak] = [0, 0];
  for (const [last, instant] of atNs.entries()) {
    while (instant - (atNs[first] ?? instant) > 1e9) first += 1;
    peak = Math.max(peak, last - first + 1);
  }
  return peak;
}

registerMeasure('session.herd', herdMeasures);

interface Answers {
  readonly clients: number;
  readonly results?: readonly ({ readonly ok: boolean } | null)[];
}

/** One retrieve of the group by every client, container by container. @returns how many failed */
async function everybodyReads(
  trial: TrialContext,
): Promise<{ readonly clients: number; readonly failed: number }> {
  let [clients, failed] = [0, 0];
  for (const { name } of trial.nodes('client')) {
    const answer = await trial.admin(name, 'POST', '/send', { method: 'retrieve', account: GROUP });
    const body = JSON.parse(answer.body) as Answers;
    clients += body.clients;
    failed += body.results ? body.results.filter((one) => !one?.ok).length : body.clients;
  }
  return { clients, failed };
}

const MEASURES = [
  { name: 'clients', title: 'Clients', unit: 'clients' },
  { name: 'listBytesAtNodes', title: 'Bytes of node lists, counted at the nodes', unit: 'bytes' },
  { name: 'listBytesOfClients', title: 'Bytes of node lists, counted at the clients', unit: 'bytes' },
  { name: 'agreement', title: 'Nodes’ count over clients’', unit: '' },
  { name: 'ofPredicted', title: 'Bytes over clients × nodes × 51 × 3', unit: '' },
  {
    name: 'gigabytesForMillion',
    title: 'Bytes of node lists for a million clients, by the formula',
    unit: 'GB',
  },
  { name: 'peakRefreshesPerS', title: 'Most refreshes that began within a second', unit: 'refreshes/s' },
  { name: 'peakListRequestsPerS', title: 'Most node lists asked for within a second', unit: 'requests/s' },
  { name: 'stillRejected', title: 'Clients that cannot read the group afterwards', unit: 'clients' },
] as const;

const bound = (
  measure: string,
  op: string,
  value: number,
  variant: readonly string[],
  reason: string,
): ScenarioSpec['checks'][number] => ({
  check: 'measure-bound',
  title: `${measure} ${op} ${value} (${variant.join(', ')})`,
  kind: 'invariant',
  parameters: { measure, op, value },
  where: { variant },
  reason,
});

export const herd: ScenarioSpec = {
  name: 'thundering-herd',
  description:
    'A group that everyone is in moves to another swarm, and all its clients read it: what they fetch together, with redirects and without, against the size of the fleet.',
  topology: 'session-herd',
  parameters: {
    variant: {
      type: 'choice',
      description: 'before, with the refresh alone, and in its final form',
      default: 'final',
      choices: ['original', 'refresh-only', 'final'],
    },
    fleet: {
      type: 'integer',
      description: 'clients, in containers of 50',
      default: 500,
      minimum: FLEET,
      maximum: 1000,
    },
  },
  overrides: (point) => ({
    variant: { client: String(point['variant']) },
    counts: { client: Math.ceil(Number(point['fleet']) / FLEET) },
  }),
  grids: {
    quick: { description: 'five hundred clients', axes: { variant: ['original', 'refresh-only', 'final'] } },
    curve: {
      description: 'against the size of the fleet',
      axes: { fleet: [50, 100, 200, 500], variant: ['refresh-only', 'final'] },
    },
  },
  defaultGrid: 'quick',
  trials: 2,
  bed: 'reuse',
  phases: [
    { name: 'begin', steps: [{ name: 'the nodes have begun anew', wait: '10ms' }] },
    {
      name: 'settle',
      steps: [
        {
          name: 'the group moves, and everybody reads it twice',
          takes: ({ fleet }) => `${10 + Number(fleet) / 20}s`,
          run: async (trial) => {
            const desk = new Desk(trial);
            await desk.stands();
            await everybodyReads(trial);
            await desk.leap(AGED_MS);
            const group = (await desk.accounts()).find(({ label }) => label === GROUP);
            if (!group) throw new Error('client-1: has no account "group"; expected a shared one');
            desk.begin();
            await desk.moveAccount(group);
            const { clients } = await everybodyReads(trial);
            trial.emit('herd.counted', { clients });
            // Past what nodes count together before they tell it.
            await trial.wait('3s');
            const { failed } = await everybodyReads(trial);
            trial.emit('herd.answered', { rejected: failed });
          },
        },
      ],
    },
  ],
  measure: ['session.client', 'session.herd'],
  measures: [
    ...MEASURES,
    ...clientMeasureSpecs.filter(({ name }) =>
      ['followed', 'refreshes', 'retries', 'failures'].includes(name),
    ),
  ],
  plots: [
    { title: 'Bytes of node lists', kind: 'line', x: 'fleet', y: 'listBytesAtNodes', series: 'variant' },
    {
      title: 'Refreshes a second, at most',
      kind: 'line',
      x: 'fleet',
      y: 'peakRefreshesPerS',
      series: 'variant',
    },
  ],
  checks: [
    bound('refreshes', '=', 0, ['final'], 'Everybody follows the redirect, and nobody fetches the list.'),
    bound('listBytesAtNodes', '=', 0, ['final'], 'No list was fetched, by the nodes’ own count.'),
    bound('stillRejected', '=', 0, ['final', 'refresh-only'], 'Everybody can read the group again.'),
    bound(
      'ofPredicted',
      '=',
      1,
      ['refresh-only'],
      'Each client fetches the list once: clients × nodes × 51 × 3 bytes.',
    ),
    bound('agreement', '>=', 0.99, ['refresh-only'], 'Nodes and clients count the same bytes within 1 %.'),
    bound('agreement', '<=', 1.01, ['refresh-only'], 'Nodes and clients count the same bytes within 1 %.'),
    {
      ...bound('stillRejected', '=', 0, ['original'], 'Everybody can read the group again.'),
      title: 'the original reads the group again',
    },
    { check: 'logs-complete', title: 'no event was lost', kind: 'guard', parameters: {} },
  ],
  expect: [
    {
      where: { variant: 'original' },
      check: 'the original reads the group again',
      outcome: 'fail',
      reason: 'The original client asks the old swarm until its pool is two hours old.',
    },
  ],
  aggregates: [
    {
      title: 'Retries of a client after the move; published: redirect_retry_count',
      op: 'ratio',
      measure: 'retries',
      of: 'clients',
      where: { variant: 'final' },
      unit: 'retries a client',
      published: ['retry-count'],
    },
  ],
  published: published('retry-count'),
  timeBudget: '5m',
};
