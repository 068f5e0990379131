/** What a whole fleet does, container by container, and who the nodes saw. */
import { isIP } from 'node:net';
import type { TrialContext } from '../../harness/index.ts';
import type { Desk } from './desk.ts';

/** Clients of one container, as topologies/session-herd.yaml has it. */
export const FLEET = 50;
export const GROUP = 'group';
/** In which all clients meet the change, however many they are: the requests a second grow with the fleet. */
const HERD_WITHIN_MS = 10_000;
/** Who came to the storage nodes, and how often they were told to come later. */
export const CALLERS = 'herd.callers';
const LIMITED = '429';

interface Answers {
  readonly clients: number;
  readonly results?: readonly ({ readonly ok: boolean } | null)[];
}

/** One retrieve of the group by every client, container by container. @returns how many failed */
export async function everybodyReads(
  trial: TrialContext,
): Promise<{ readonly clients: number; readonly failed: number }> {
  let [clients, failed] = [0, 0];
  for (const { name } of trial.nodes('client')) {
    const answer = await trial.admin(name, 'POST', '/send', { method: 'retrieve', account: GROUP });
    const body = JSON.parse(answer.body) as Answers;
    clients += body.clients;
    failed += body.results ? body.results.filter((one) => !one?.ok).length : body.clients;
  }
  return { clients, failed };
}

/**
 * Every client reads the group once, at even distances within the window, whatever became of those before: as a fleet does
 * that polls. @returns how many there are
 */
export async function everybodyPolls(trial: TrialContext): Promise<number> {
  const containers = trial.nodes('client');
  const pauseMs = HERD_WITHIN_MS / (containers.length * FLEET);
  const reads: ReturnType<TrialContext['admin']>[] = [];
  for (let client = 1; client <= FLEET; client += 1)
    for (const { name } of containers) {
      const read = trial.admin(name, 'POST', '/send', { method: 'retrieve', account: GROUP, client });
      read.catch(() => undefined); // Awaited below, unless the trial ends before.
      reads.push(read);
      await trial.wait(`${pauseMs}ms`);
    }
  const answers = await Promise.all(reads);
  return answers.filter(({ status }) => status !== 404).length;
}

/** Tells how many addresses the nodes were asked from, their own left out, and how many requests they answered 429. */
export async function tellCallers(trial: TrialContext, desk: Desk): Promise<void> {
  const others = trial.nodes('*').filter(({ role }) => role !== 'client');
  const own = new Set(others.map(({ address }) => address));
  const seen = (await desk.counts()).flatMap(({ clients = {} }) => Object.entries(clients));
  const callers = new Set(seen.map(([caller]) => caller).filter((one) => isIP(one) !== 0 && !own.has(one)));
  trial.emit(CALLERS, {
    callers: callers.size,
    limited: seen.reduce((sum, [, byStatus]) => sum + (byStatus[LIMITED] ?? 0), 0),
  });
}
