import { SquallError } from '../../../harness/errors/index.ts';
import type { TrialContext } from '../../../harness/index.ts';
import {
  chunkContent,
  compareDistance,
  distanceBetween,
  idOf,
  keyOf,
} from '../../../images/fetch-node/index.ts';
import { type Lab, REQUESTER } from './lab.ts';

/** The chunk set of topologies/ant-rules.yaml. */
const SET = { seed: 'rules', chunkBytes: 1_024, sizeRatio: 0 };
const CHUNKS = 16;
/** A node that does not end is cut off within a second; what it says then still has to come. */
const RESTART_MS = 20_000;
const LOOK_EVERY = '100ms';

/** Keys of the set, the nearest to the requester first. */
export function labKeys(): readonly string[] {
  const own = idOf(REQUESTER);
  return Array.from({ length: CHUNKS }, (_, index) => keyOf(chunkContent(SET, index))).sort((one, other) =>
    compareDistance(distanceBetween(own, one), distanceBetween(own, other)),
  );
}

/** The stage in containers. What nodes said of the trial before does not count. */
export function trialLab(trial: TrialContext): Lab {
  const from = trial.events.length;
  const events = () => trial.events.slice(from);
  return {
    keys: labKeys(),
    events,
    ask: async (node, path, body) => {
      const answer = await trial.admin(node, 'POST', path, body);
      if (answer.status === 200) return JSON.parse(answer.body) as Readonly<Record<string, unknown>>;
      throw new SquallError(
        `node ${node}: answered ${answer.status} to POST ${path}; expected 200: ${answer.body.slice(0, 200)}`,
        { code: 'admin-refused', facts: { node, path, status: answer.status } },
      );
    },
    wait: (ms) => trial.wait(`${ms}ms`),
    restart: async (node) => {
      const since = trial.events.length;
      await trial.admin(node, 'POST', '/reset');
      const isBack = (): boolean =>
        trial.events.slice(since).some((one) => one.node === node && one.event === 'ready');
      for (let waitedMs = 0; !isBack(); waitedMs += 100) {
        if (waitedMs >= RESTART_MS)
          throw new SquallError(
            `node ${node}: did not say ready after its reset; expected it within ${RESTART_MS / 1_000} s`,
            { code: 'no-restart', facts: { node } },
          );
        await trial.wait(LOOK_EVERY);
      }
    },
  };
}
