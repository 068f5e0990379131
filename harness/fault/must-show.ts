import type { WitnessRecord } from '../record/index.ts';
import { FAULT_REFERENCE } from './reference/fault-reference.ts';
import type { FaultPlan } from './types.ts';

/**
 * Bounds that the witness must reach for the fault to count as having bitten. A key is a count or a sum of counts
 * (`heldIn+heldOut`), taken over all targets, or of each target when it starts with `each:`.
 * Default: 1 over the kind's own counts; none for a fault of no length, which is a control and cannot bite.
 */
export function mustShowOf(plan: FaultPlan): Readonly<Record<string, number>> {
  if (plan.mustShow) return plan.mustShow;
  if (plan.forMs === 0) return {};
  return { [biteKeys(plan).join('+')]: 1 };
}

/** A hold that holds any protocol must have held something: what it dropped beside that does not show it. */
function biteKeys({ kind, protocol, settings }: FaultPlan): readonly string[] {
  if (kind !== 'hold') return FAULT_REFERENCE[kind].bite;
  const met = protocol === 'all' ? [settings.udp, settings.tcp, settings.other] : [settings[protocol]];
  return met.includes('hold') ? ['heldIn', 'heldOut'] : ['droppedIn', 'droppedOut'];
}

/** Sentences about the bounds that the witness does not reach; empty when the fault was seen to act. */
export function biteProblems(plan: FaultPlan, witness: WitnessRecord | undefined): readonly string[] {
  const bounds = Object.entries(mustShowOf(plan));
  if (bounds.length === 0) return [];
  if (!witness) return ['no witness could be read: nothing shows that the fault acted'];
  return bounds.flatMap(([key, atLeast]) => {
    if (!key.startsWith('each:')) {
      const seen = sumOf(key, witness.counts);
      return seen >= atLeast
        ? []
        : [`${witness.source} counted ${key} = ${seen}; expected at least ${atLeast}`];
    }
    const sums = plan.targets.map((node) => ({
      node,
      seen: sumOf(key.slice('each:'.length), witness.perNode?.[node] ?? {}),
    }));
    return sums
      .filter(({ seen }) => seen < atLeast)
      .map(({ node, seen }) => `${node}: ${key.slice(5)} = ${seen}; expected at least ${atLeast}`);
  });
}

function sumOf(key: string, counts: Readonly<Record<string, number>>): number {
  return key.split('+').reduce((sum, name) => sum + (counts[name.trim()] ?? 0), 0);
}
