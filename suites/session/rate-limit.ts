/** The nodes' rate limit counts clients, each by its address, and not the gateway of the bed. */
import type { ScenarioSpec } from '../../harness/index.ts';
import { Desk } from './desk.ts';
import { containersFor, FLEET_PARAMETER, fleetBound } from './fleet-row.ts';
import { everybodyReads, tellCallers } from './fleet-steps.ts';
import { HERD_MEASURES } from './herd-measures.ts';

const FINAL = 'final';
/** Of the nodes' mutants, the one that this row is for. */
const ONE_LIMIT = 'one-limit-for-all';

/** A hundredth of the real 600 at once and 300 a second: two processors open no thousand connections a second. */
const BUCKET = 6;
const PER_SECOND = 3;
/** Reads of each client: far from its own limit at any node, together far past the limit of one. */
const ROUNDS = 3;

const SHOWN: readonly string[] = [
  'clients',
  'withoutAddress',
  'limited',
  'peakRequestsAtOneNode',
  'peakRequestsPerS',
  'stillRejected',
];

export const rateLimit: ScenarioSpec = {
  name: 'rate-limit',
  description:
    'A fleet asks more of single nodes within a second than one caller may, and nobody is told to come later: each client is a caller of its own. The limit is a hundredth of the real one.',
  topology: 'session-herd',
  parameters: {
    variant: {
      type: 'choice',
      description: 'the nodes as they are, or with one limit for all clients',
      default: FINAL,
      choices: [FINAL, ONE_LIMIT],
    },
    fleet: FLEET_PARAMETER,
  },
  overrides: ({ variant, fleet }) => ({
    variant: { client: FINAL, ...(variant === ONE_LIMIT && { storage: ONE_LIMIT }) },
    counts: { client: containersFor(fleet) },
    settings: { storage: { rateBucket: BUCKET, ratePerSecond: PER_SECOND } },
  }),
  grids: { quick: { description: 'five hundred clients', axes: { variant: [FINAL] } } },
  defaultGrid: 'quick',
  trials: 2,
  bed: 'reuse',
  phases: [
    { name: 'begin', steps: [{ name: 'the nodes have begun anew', wait: '10ms' }] },
    {
      name: 'settle',
      steps: [
        {
          name: 'everybody reads the group, and three times more',
          takes: ({ fleet }) => `${5 + Number(fleet) / 20}s`,
          run: async (trial) => {
            const desk = new Desk(trial);
            await desk.stands();
            // Clients begin within two seconds, and the first reads of some wait for their pools.
            await everybodyReads(trial);
            desk.begin();
            let [clients, rejected] = [0, 0];
            for (let round = 0; round < ROUNDS; round += 1) {
              const read = await everybodyReads(trial);
              clients = read.clients;
              rejected += read.failed;
            }
            trial.emit('herd.counted', { clients });
            trial.emit('herd.answered', { rejected });
            // Past what nodes count together before they tell it.
            await trial.wait('2s');
            await tellCallers(trial, desk);
          },
        },
      ],
    },
  ],
  measure: ['session.herd'],
  measures: HERD_MEASURES.filter(({ name }) => SHOWN.includes(name)),
  checks: [
    fleetBound('withoutAddress', '=', 0, 'Nodes see each client, and not the gateway of the bed.'),
    fleetBound(
      'peakRequestsAtOneNode',
      '>=',
      BUCKET + PER_SECOND + 1,
      'One caller may have six at once and three in the second after: this is more.',
    ),
    fleetBound('limited', '=', 0, 'And no client made so many.'),
    fleetBound('stillRejected', '=', 0, 'Every read is answered.'),
    { check: 'bed-clean', title: 'the bed was clean afterwards', kind: 'guard', parameters: {} },
    { check: 'logs-complete', title: 'no event was lost', kind: 'guard', parameters: {} },
  ],
  kills: [
    {
      mutant: ONE_LIMIT,
      point: { variant: FINAL },
      trials: 2,
      reason: 'the fleet together is past the limit of one caller, and is answered 429',
    },
  ],
  timeBudget: '5m',
  shortestTimeout: '3s',
};
