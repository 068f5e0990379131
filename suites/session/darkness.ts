/** Packets that vanish, as parts of a course. */
import type { FaultStep } from '../../harness/index.ts';
import type { Desk } from './desk.ts';

/** What is sent to these nodes and what they send vanishes, until they are HEARD; neither they nor anybody else is told. */
export const silent = (on: string): { readonly fault: FaultStep } => ({
  fault: { kind: 'drop', id: 'silence', on },
});

/** The same, between these two alone. */
export const silentBetween = (from: string, to: string): { readonly fault: FaultStep } => ({
  fault: { kind: 'drop', id: 'silence', from, to },
});

export const HEARD = { lift: 'silence' } as const;

/** The client shakes hands with a node that does not hear it: whatever it did of itself, the silence was met, and is seen to act. */
export const meets =
  (node: string) =>
  async (desk: Desk): Promise<void> => {
    // A connection that stands would do without a handshake.
    await desk.command('/close');
    await desk.post('/verify', { node }, {});
  };

/** The account is in swarm 1, whose members are storage-1 to storage-5, and the client has the list that says so; the pool is aged. */
export async function inFirstSwarm(desk: Desk): Promise<void> {
  const [account] = await desk.accounts();
  if ((await desk.swarmOf(account.id)).swarm !== '1')
    await desk.epoch({ change: 'move', account: account.id, to: '1' });
  await desk.refresh();
  await desk.settles();
  await desk.age();
}
