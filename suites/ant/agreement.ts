import type { ScenarioSpec } from '../../harness/index.ts';
import { disksOf, fillsHolder, joinWave } from './join-wave.ts';

type Comparison = NonNullable<ScenarioSpec['comparisons']>[number];

const REAL = 'ant-node:0.23.1';
const STAND_IN = 'fetch-node@before';

/** Both kinds believe in as many hardware threads, and fetch as many keys at a time. */
const THREADS = 8;

const agreesOn = (
  what: string,
  primary: Omit<Comparison['primary'], 'better'>,
  secondary: Comparison['secondary'] = [],
): Comparison => ({
  title: `the stand-in and the real node: ${what}`,
  parameter: 'node',
  baseline: REAL,
  candidate: STAND_IN,
  primary: { ...primary, better: 'same' },
  secondary,
  noLoss: ['keysLost'],
});

/**
 * Such a wave has about 33 of each in the stand-in, and had 32 to 53 of one real node. A third of that is what waves of one kind
 * differ by among themselves; a kind that has none of them, or twice as many, is far outside.
 */
const A_THIRD = { margin: 10, reason: 'a third of the about 33 that such a wave has' } as const;

const { external: _external, ...parameters } = joinWave.parameters;

/**
 * The same wave on the real node and on its stand-in. What the stand-in is used for must agree: requests that are dropped,
 * what that costs in trust, and fetches that stall for a whole timeout.
 */
export const agreement: ScenarioSpec = {
  ...joinWave,
  name: 'agreement',
  description:
    'The join wave on the real node and on its stand-in, in turns: do drops, trust events and stalls agree?',
  topology: 'join-agreement',
  parameters: {
    ...parameters,
    node: {
      type: 'choice',
      description: 'the real node, or its stand-in as it was before the change',
      default: REAL,
      choices: [REAL, STAND_IN],
      side: true,
    },
  },
  overrides: (point) => {
    const { node, holders, joiners, chunks, chunkBytes } = point;
    const image = String(node);
    const shared = { peers: '{peers:*}', incumbents: '{names:holder}', fetchConcurrency: THREADS };
    const real = { bootstrap: '{addresses:holder[1..2]}', start: 'asked', hardwareThreads: THREADS };
    return {
      counts: { holder: Number(holders), joiner: Number(joiners) },
      images: { holder: image, joiner: image },
      settings:
        image === REAL
          ? { holder: { ...real, diskReserve: '4MiB' }, joiner: { ...real, diskReserve: '4MiB' } }
          : {
              holder: {
                ...shared,
                chunkCount: Number(chunks),
                chunkBytes: Number(chunkBytes),
                ...(fillsHolder(point) && { storePath: '/data' }),
              },
              // On the disk that can be filled, as the real node does.
              joiner: { ...shared, join: 'asked', storePath: '/data' },
            },
      ...disksOf(point),
    };
  },
  grids: {
    default: { description: 'both kinds', axes: { node: [REAL, STAND_IN] } },
    faults: {
      description: 'both kinds under each disturbance',
      axes: { ...joinWave.grids['faults']?.axes, node: [REAL, STAND_IN] },
    },
  },
  trials: 6,
  plots: (joinWave.plots ?? []).map((plot) => ({ ...plot, series: 'node' })),
  comparisons: [
    agreesOn(
      'drops',
      { measure: 'dropsPerPeer', ...A_THIRD },
      // A real node finds its peers before it asks them for keys, and its stores follow another order.
      [
        { measure: 'dropsPool', better: 'same', margin: 5 },
        { measure: 'drainMedianS', better: 'same', margin: 30, reason: 'one fetch timeout' },
        { measure: 'storedBytes', better: 'same', margin: 3_276_800, reason: 'fifty chunks' },
      ],
    ),
    agreesOn('trust events', { measure: 'trustPenalties', ...A_THIRD }),
    agreesOn('stalls', { measure: 'attemptsTimeout', ...A_THIRD }),
  ],
};
