/** When nothing can come of an outage any more, so that watching on would only watch an idle cluster. */
import type { Point, TrialContext } from '../../harness/index.ts';
import { parseDurationMs } from '../../harness/units/index.ts';

/** No node is asked before: verdicts at the release, and the grace of 2 s, are over by then. */
const FIRST_LOOK = '8s';
const LOOK_EVERY = '3s';
/** Between the two looks that must agree: several gossip rounds and probes of every node. */
const QUIET = '5s';

/** What `GET /census` of a node answers. */
interface Census {
  readonly alive: number;
  readonly suspect: number;
  readonly healthScore: number;
}

/** So long a trial is watched as a rule where it ends when the cluster has settled. */
const SETTLED_AS_A_RULE = '20s';

/** How long the watch takes, for the plan. */
export function watchTakes({ watch, watchEnds }: Point): string {
  const shortMs = Math.min(parseDurationMs(SETTLED_AS_A_RULE), Number(watch));
  return `${watchEnds === 'settled' ? shortMs : Number(watch)}ms`;
}

/**
 * Watches the cluster after a release: for `watch`, or, where the point's `watchEnds` is `settled`, until every node of two
 * looks 5 s apart says that all are alive, that it suspects nobody and that its health score is 0. A suspicion is the only way
 * to a death and every suspicion is a suspect with its timer at some node; with none anywhere and all scores at 0, what
 * follows is what a cluster does that nobody has touched. `cluster.settled` is recorded either way, so that trials watched
 * to the end show whether anything happens after it.
 */
export async function watchAfterRelease(trial: TrialContext): Promise<void> {
  const watchMs = Number(trial.point['watch']);
  const endsSettled = trial.point['watchEnds'] === 'settled';
  const nodes = trial.nodes('*').map((node) => node.name);
  let passedMs = 0;
  let settledLooks = 0;
  const pass = async (duration: string): Promise<void> => {
    const stepMs = Math.min(parseDurationMs(duration), watchMs - passedMs);
    await trial.wait(`${stepMs}ms`);
    passedMs += stepMs;
  };
  await pass(FIRST_LOOK);
  while (passedMs < watchMs) {
    settledLooks = (await allSettled(trial, nodes)) ? settledLooks + 1 : 0;
    if (settledLooks >= 2) break;
    await pass(settledLooks === 1 ? QUIET : LOOK_EVERY);
  }
  if (settledLooks >= 2)
    trial.emit('cluster.settled', {
      nodes: nodes.length,
      watchedMs: passedMs,
      quietMs: parseDurationMs(QUIET),
    });
  if (endsSettled && settledLooks >= 2) return;
  if (passedMs < watchMs) await pass(`${watchMs - passedMs}ms`);
}

/** The last phase of an outage. */
export const watchedPhase = {
  name: 'recovery',
  steps: [{ name: 'watched', run: watchAfterRelease, takes: watchTakes }],
};

async function allSettled(trial: TrialContext, nodes: readonly string[]): Promise<boolean> {
  for (const node of nodes) if (!(await isSettled(trial, node, nodes.length))) return false;
  return true;
}

/** Whether a node says that all are alive, that it suspects nobody and that its health score is 0. */
export async function isSettled(trial: TrialContext, node: string, nodes: number): Promise<boolean> {
  const { status, body } = await trial.admin(node, 'GET', '/census');
  if (status !== 200) return false;
  const { alive, suspect, healthScore } = JSON.parse(body) as Census;
  return alive === nodes && suspect === 0 && healthScore === 0;
}
