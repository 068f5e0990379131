import type { Step, TrialContext } from '../../harness/index.ts';
import { hostSampler } from './host-sample.ts';
import { kindOf, type NodeKind } from './node-kind.ts';

/** How often the wave is looked at, and the host with it. */
const LOOK = '1s';

const named = (trial: TrialContext, selector: string): string[] =>
  trial.nodes(selector).map(({ name }) => name);
const holdersOf = (trial: TrialContext): string[] => named(trial, '*,!joiner');

/** Chunks are laid in, the holders start, say what they found, and find each other. */
export const populated: Step = {
  name: 'the network is populated',
  takes: () => '60s',
  run: async (trial) => {
    const kind = await kindOf(trial, named(trial, '*'));
    const { seed, point } = trial;
    await kind.populate(trial, holdersOf(trial), {
      seed,
      count: Number(point['chunks']),
      minBytes: Number(point['chunkBytes']),
      maxBytes: Number(point['chunkBytes']),
      ...(point['patience'] !== undefined && { patienceMs: Number(point['patience']) }),
    });
  },
};

/** Fresh nodes join, in as many waves as are asked for; each is watched until all of it have drained. */
export const joined: Step = {
  name: 'fresh nodes join',
  takes: () => '90s',
  run: async (trial) => {
    const kind = await kindOf(trial, named(trial, '*'));
    const joiners = named(trial, 'joiner');
    const waves = Number(trial.point['waves']);
    const size = Math.ceil(joiners.length / waves);
    const sample = hostSampler(trial);
    for (let wave = 0; wave < waves; wave += 1) {
      await playWave(trial, kind, joiners.slice(wave * size, (wave + 1) * size), sample);
    }
  },
};

async function playWave(
  trial: TrialContext,
  kind: NodeKind,
  joiners: readonly string[],
  sample: () => void,
): Promise<void> {
  for (const joiner of joiners) trial.emit('wave.began', { joiner });
  await Promise.all(joiners.map((joiner) => kind.join(trial, joiner)));
  const watchS = Number(trial.point['watch']) / 1_000;
  for (let second = 0; second < watchS; second += 1) {
    await trial.wait(LOOK);
    sample();
    const drained = new Set(
      trial.events.filter(({ event }) => event === 'bootstrap.drained').map(({ node }) => node),
    );
    if (joiners.every((joiner) => drained.has(joiner))) return;
  }
}

/** What every node holds, and what it has to say at the end. */
export const counted: Step = {
  name: 'what is held is counted',
  takes: () => '10s',
  run: async (trial) => {
    const nodes = named(trial, '*');
    const kind = await kindOf(trial, nodes);
    for (const node of nodes) await kind.tellHeld(trial, node);
    await Promise.all(nodes.map((node) => kind.finish(trial, node)));
  },
};
