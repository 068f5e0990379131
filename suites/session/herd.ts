/** Row 9: every client of a swarm meets the same change, and what that costs the nodes together. */
import type { ScenarioSpec, TrialContext } from '../../harness/index.ts';
import { clientMeasureSpecs } from './client-measures.ts';
import { AGED_MS, Desk } from './desk.ts';
import { COURSE_BEGAN } from './events.ts';
import { containersFor, FLEET_PARAMETER, fleetBound } from './fleet-row.ts';
import { everybodyPolls, everybodyReads, FLEET, GROUP, tellCallers } from './fleet-steps.ts';
import {
  ASKED,
  HERD_MEASURES,
  MILLION,
  NODES,
  RECORD_BYTES,
  REFRESH_BYTES,
  SOCKETS,
  WIRE,
} from './herd-measures.ts';
import { published } from './published.ts';

/** From the smallest fleet to a million clients, on the logarithmic axis of the plot. */
const FORMULA_CLIENTS = [FLEET, 1_000, 10_000, 100_000, MILLION];

const STORAGE_PORT = 22_021;

/** Bytes that went over the sockets of all storage nodes since they began. */
async function readSockets(trial: TrialContext, desk: Desk): Promise<void> {
  const bytes = (await desk.storages()).map((one) => one.bytes);
  trial.emit(SOCKETS, {
    receivedBytes: bytes.reduce((sum, { received }) => sum + received, 0),
    sentBytes: bytes.reduce((sum, { sent }) => sum + sent, 0),
  });
}

const VARIANTS = ['original', 'refresh-only', 'final'];

const bound = (
  measure: string,
  op: string,
  value: number,
  variant: readonly string[],
  reason: string,
): ScenarioSpec['checks'][number] => {
  const check = fleetBound(measure, op, value, reason);
  return { ...check, title: `${check.title} (${variant.join(', ')})`, where: { variant } };
};

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
      choices: VARIANTS,
    },
    fleet: FLEET_PARAMETER,
  },
  overrides: (point) => ({
    variant: { client: String(point['variant']) },
    counts: { client: containersFor(point['fleet']) },
  }),
  grids: {
    quick: { description: 'five hundred clients', axes: { variant: VARIANTS } },
    curve: {
      description: 'against the size of the fleet',
      axes: { fleet: [50, 100, 200, 500], variant: ['refresh-only', 'final', 'original'] },
    },
  },
  defaultGrid: 'quick',
  trials: 2,
  bed: 'reuse',
  phases: [
    { name: 'begin', steps: [{ name: 'the nodes have begun anew', wait: '10ms' }] },
    {
      name: 'change',
      steps: [
        {
          name: 'everybody reads the group, which then moves',
          takes: ({ fleet }) => `${5 + Number(fleet) / 40}s`,
          run: async (trial) => {
            const desk = new Desk(trial);
            await desk.stands();
            await everybodyReads(trial);
            await desk.leap(AGED_MS);
            const group = (await desk.accounts()).find(({ label }) => label === GROUP);
            if (!group) throw new Error('client-1: has no account "group"; expected a shared one');
            desk.begin();
            await desk.moveAccount(group);
          },
        },
      ],
    },
    {
      name: 'herd',
      steps: [
        {
          name: 'the packet agent counts what the nodes get and send',
          fault: {
            kind: 'loss',
            id: WIRE,
            on: 'storage',
            protocol: 'tcp',
            ports: [STORAGE_PORT],
            lossRatio: 0,
            mustShow: { passed: 1 },
          },
          background: true,
        },
        {
          name: 'everybody reads it within ten seconds, and once more',
          takes: ({ fleet }) => `${18 + Number(fleet) / 50}s`,
          run: async (trial) => {
            const desk = new Desk(trial);
            await readSockets(trial, desk);
            const clients = await everybodyPolls(trial);
            trial.emit('herd.counted', { clients });
            // Past what nodes count together before they tell it.
            await trial.wait('3s');
            const { failed } = await everybodyReads(trial);
            trial.emit('herd.answered', { rejected: failed });
            await trial.wait('1s');
            await readSockets(trial, desk);
            await tellCallers(trial, desk);
          },
        },
        { name: 'the counting ends', lift: WIRE },
      ],
    },
  ],
  measure: ['session.client', 'session.herd'],
  measures: [
    ...HERD_MEASURES,
    ...clientMeasureSpecs.filter(({ name }) =>
      ['followed', 'refreshes', 'retries', 'failures'].includes(name),
    ),
  ],
  plots: [
    {
      title:
        'Bytes of node lists that one change costs, measured, and by the formula up to a million clients',
      kind: 'line',
      x: 'fleet',
      y: 'listBytesAtNodes',
      series: 'variant',
      xScale: 'log',
      yScale: 'symlog',
      reference: [
        {
          label: `clients × ${NODES} nodes × ${RECORD_BYTES} bytes × ${ASKED}`,
          places: FORMULA_CLIENTS.map((x) => ({ x, y: x * REFRESH_BYTES })),
        },
      ],
    },
    {
      title: 'Most node lists asked for within a second, at the nodes',
      kind: 'line',
      x: 'fleet',
      y: 'peakListRequestsPerS',
      series: 'variant',
    },
    {
      title: 'Most requests within a second, at the nodes',
      kind: 'line',
      x: 'fleet',
      y: 'peakRequestsPerS',
      series: 'variant',
    },
    {
      title: 'Refreshes of all clients since the group moved',
      kind: 'course',
      y: 'refresh.started',
      series: 'variant',
      course: { since: COURSE_BEGAN, as: 'sum', per: 'trial', role: 'client', unit: 'refreshes' },
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
    ...(['>=', '<='] as const).map((op) =>
      bound(
        'wireAgreement',
        op,
        op === '>=' ? 0.99 : 1.01,
        VARIANTS,
        'The nodes’ sockets and the packet agent count the same bytes within 1 %.',
      ),
    ),
    bound('limited', '=', 0, VARIANTS, 'Limits are those of a client, and no client asks for so much.'),
    bound('withoutAddress', '=', 0, VARIANTS, 'Nodes see each client, and not the gateway of the bed.'),
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
  shortestTimeout: '3s',
};
