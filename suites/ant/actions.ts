/** What incidents and explorations do to a replication network, under names. */
import { registerAction, type TrialContext } from '../../harness/index.ts';
import { kindOf } from './node-kind.ts';

const named = (trial: TrialContext, selector: string): readonly string[] =>
  trial.nodes(selector).map(({ name }) => name);

/**
 * Holders have the set; from here on a key that nobody holds any more counts as lost. Fetch nodes were laid theirs by their
 * settings, real nodes get `{chunks}` of `{chunkBytes}`.
 */
registerAction('ant.populated', async (trial: TrialContext, { chunks = 200, chunkBytes = 65_536 }) => {
  const kind = await kindOf(trial, named(trial, '*'));
  await kind.populate(trial, named(trial, '*,!joiner'), {
    seed: trial.seed,
    count: Number(chunks),
    minBytes: Number(chunkBytes),
    maxBytes: Number(chunkBytes),
  });
});

/** All fresh nodes join at once. */
registerAction('ant.joins', async (trial: TrialContext) => {
  const joiners = named(trial, 'joiner');
  const kind = await kindOf(trial, joiners);
  for (const joiner of joiners) trial.emit('wave.began', { joiner });
  await Promise.all(joiners.map((joiner) => kind.join(trial, joiner)));
});

/** What every node holds in the end. */
registerAction('ant.counted', async (trial: TrialContext) => {
  const nodes = named(trial, '*');
  const kind = await kindOf(trial, nodes);
  for (const node of nodes) await kind.tellHeld(trial, node);
});
