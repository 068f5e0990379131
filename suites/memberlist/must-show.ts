/** What the packet agent must have seen of a cut, so that it counts as having bitten. */
import type { Point } from '../../harness/index.ts';

/**
 * In so long a cut, unwarped, every node meets a packet: it probes once a second, and when nobody answers it tries TCP half a
 * second later; the others probe it about as often.
 */
const SURELY_MET_MS = 4_000;

type Treatment = 'hold' | 'drop' | 'pass';

/**
 * Bounds of the witness of a cut that lasts the point's `outage`: a packet held (or dropped) at every node that was cut off, not
 * one at any of them, and TCP that was cut where it is dropped. Undefined, which leaves one packet in all, where a cut is too short
 * for that, and where it lets UDP pass.
 */
export function cutMustShow({ outage, udp, tcp }: Point): Readonly<Record<string, number>> | undefined {
  const cut: { readonly udp: Treatment; readonly tcp: Treatment } = {
    udp: (udp ?? 'hold') as Treatment,
    tcp: (tcp ?? 'drop') as Treatment,
  };
  if (Number(outage) < SURELY_MET_MS || cut.udp === 'pass') return undefined;
  return {
    [cut.udp === 'hold' ? 'each:heldIn+heldOut' : 'each:droppedIn+droppedOut']: 1,
    ...(cut.tcp === 'drop' && { droppedTcp: 1 }),
    ...(cut.tcp === 'hold' && cut.udp === 'drop' && { 'heldIn+heldOut': 1 }),
  };
}
