import { z } from 'zod';
import type { FaultRecord, WitnessRecord } from '../../record/index.ts';

const lifted = z.looseObject({
  drainedNs: z.number(),
  perNode: z.record(z.string(), z.looseObject({ firstReleasedNs: z.number().optional() })),
});

/** What a reader of the record must know where packets were held and the agent did not say when it let them go. */
export function releaseProblems(
  witness: WitnessRecord | undefined,
  released: FaultRecord['released'],
): readonly string[] {
  const { heldIn = 0, heldOut = 0 } = witness?.counts ?? {};
  if (released || heldIn + heldOut === 0) return [];
  return [`${heldIn + heldOut} packets were held, and the agent did not say when it let them go`];
}

/**
 * From the agent's event `lifted`: when the first batch of any node had been sent, and when all had drained; undefined where it held
 * none, or the agent does not say.
 */
export function readRelease(fields: unknown): FaultRecord['released'] {
  const told = lifted.safeParse(fields);
  if (!told.success) return undefined;
  const firsts = Object.values(told.data.perNode).flatMap(({ firstReleasedNs }) => firstReleasedNs ?? []);
  return firsts.length === 0 ? undefined : { firstNs: Math.min(...firsts), lastNs: told.data.drainedNs };
}
