import type { Engine } from '../engine/index.ts';
import { combineErrors } from '../errors/index.ts';
import type { AgentClient } from '../fault/index.ts';
import type { BedNetworks } from './bed-networks.ts';
import { freezeNodes } from './freeze-nodes.ts';
import type { LiveNode } from './live-node.ts';
import { removeResources } from './remove-resources.ts';
import { type BedProgress, LABEL } from './types.ts';

/**
 * The orderly end of a bed: its processes are stopped, the agent says goodbye (its descriptors would keep the namespaces alive), then everything
 * with the bed's label is removed and the engine asked whether it is. Every step is tried; the subnet goes back only when
 * nothing is left on it.
 * @throws one error that carries them all
 */
export async function removeBed(bed: {
  readonly engine: Engine;
  readonly bedId: string;
  readonly nodes: readonly LiveNode[];
  readonly agent: AgentClient | undefined;
  readonly followers: readonly Promise<void>[];
  readonly life: AbortController;
  readonly networks: BedNetworks | undefined;
  readonly progress: (progress: BedProgress) => void;
  readonly signal: AbortSignal;
}): Promise<void> {
  for (const node of bed.nodes) node.expectExit('the bed is removed');
  bed.life.abort(new Error(`bed ${bed.bedId} is removed`));
  freezeNodes(bed.engine, bed.nodes);
  const errors: unknown[] = [];
  const attempt = async (work: Promise<unknown> | undefined): Promise<void> => {
    try {
      await work;
    } catch (error) {
      errors.push(error);
    }
  };
  await Promise.all([attempt(bed.agent?.close()), attempt(Promise.all(bed.followers))]);
  const removal = removeResources(bed.engine, [`${LABEL.bed}=${bed.bedId}`], {
    signal: bed.signal,
    onProgress: (done, total) => bed.progress({ stage: 'remove', done, total, text: 'containers removed' }),
  });
  await attempt(removal);
  if (errors.length === 0) bed.networks?.release();
  const error = combineErrors(`bed ${bed.bedId}: not removed entirely`, errors);
  if (error !== undefined) throw error;
}
