import { createHash } from 'node:crypto';
import { askNode, type Step, type TrialContext } from '../../../harness/index.ts';
import { labKeys } from '../rules/trial-lab.ts';

const REQUESTER = 'joiner-1';

/** Keys that the holder has, the nearest to the requester first, and past those others: a holder that answers nothing need not have them. */
export function keysOfHolder(count: number): readonly string[] {
  const own = labKeys();
  const others = Array.from({ length: Math.max(0, count - own.length) }, (_, index) =>
    createHash('sha256').update(`no chunk ${index}`).digest('hex'),
  );
  return [...own.slice(0, count), ...others];
}

/** The requester is told to fetch so many keys from these holders, as if a round had named them. */
export async function want(trial: TrialContext, count: number, ...holders: readonly string[]): Promise<void> {
  const keys = keysOfHolder(count);
  trial.emit('keys.wanted', { keys: keys.length, holders });
  await askNode(trial, REQUESTER, 'POST', '/want', { keys, sources: holders });
}

export const wanted = (holder: string): Step => ({
  name: 'all keys are wanted from one holder',
  takes: () => '1s',
  run: (trial) => want(trial, Number(trial.point['keys']), holder),
});

/** Nothing is queued, parked or under way any more. */
export const queueDrained: Step = {
  name: 'until nothing is left to fetch',
  until: { event: 'queue.drained', on: 'joiner' },
  within: '10m',
  orElse: 'fail',
};

/** The requester's figures since it began. */
export const summarized: Step = {
  name: 'the requester sums up',
  takes: () => '1s',
  run: async (trial) => {
    await askNode(trial, REQUESTER, 'POST', '/summary', {});
    await trial.until({ event: 'dispatch.summary', on: 'joiner' }, '10s');
  },
};
