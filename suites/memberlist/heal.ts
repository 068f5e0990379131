/** Whether all members see each other again after the last disturbance of an exploration. */
import {
  type MeasurePredicate,
  registerAction,
  registerMeasure,
  type TrialContext,
} from '../../harness/index.ts';
import { parseDurationMs } from '../../harness/units/index.ts';
import { isSettled } from './settled.ts';

const LOOK_EVERY_MS = 3_000;
/** Between the two looks that must agree: several gossip rounds and probes of every node. */
const QUIET_MS = 5_000;
/** As a rule two looks are enough. */
const WITHIN = '70s';

/**
 * Looks until every node of two looks 5 s apart says that all are alive, that it suspects nobody and that its health score is 0, for
 * `{within}` at most; `cluster.looked-at` then names those that do not say so, and how long ago the first of two looks that agreed was.
 */
export async function heals(trial: TrialContext, { within = WITHIN }: { within?: unknown }): Promise<void> {
  const withinMs = parseDurationMs(String(within));
  const nodes = trial.nodes('*').map(({ name }) => name);
  let passedMs = 0;
  let agreed = 0;
  let unhealed: readonly string[];
  for (;;) {
    unhealed = await unhealedOf(trial, nodes);
    agreed = unhealed.length === 0 ? agreed + 1 : 0;
    if (agreed === 2 || passedMs >= withinMs) break;
    const stepMs = Math.min(agreed === 1 ? QUIET_MS : LOOK_EVERY_MS, withinMs - passedMs);
    await trial.wait(`${stepMs}ms`);
    passedMs += stepMs;
  }
  // One look that agreed at the very end has nobody to differ from, and counts.
  trial.emit('cluster.looked-at', { unhealed, quietMs: agreed === 2 ? QUIET_MS : 0 });
}

async function unhealedOf(trial: TrialContext, nodes: readonly string[]): Promise<readonly string[]> {
  const settled = await Promise.all(nodes.map((node) => isSettled(trial, node, nodes.length)));
  return nodes.filter((_, index) => !settled[index]);
}

/** `unhealed`: members that did not see all others alive at the end; null where nobody looked. */
export const healMeasures: MeasurePredicate = (trial, events) => {
  const look = events.filter(({ event }) => event === 'cluster.looked-at').at(-1);
  const unhealed = look?.fields['unhealed'];
  if (!look || !Array.isArray(unhealed)) return { unhealed: null, healedAfterS: null };
  const lifts = trial.faults.flatMap(({ liftedNs, goneNs }) => liftedNs ?? goneNs ?? []);
  const healedNs = look.atNs - (Number(look.fields['quietMs']) * 1e6) / trial.warp;
  return {
    unhealed: unhealed.length,
    healedAfterS:
      unhealed.length > 0 || lifts.length === 0 ? null : ((healedNs - Math.max(...lifts)) / 1e9) * trial.warp,
  };
};

registerAction('memberlist.heals', heals);
registerMeasure('memberlist.healed', healMeasures);
