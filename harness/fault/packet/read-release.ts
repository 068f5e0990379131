import { z } from 'zod';
import type { FaultRecord } from '../../record/index.ts';

const lifted = z.looseObject({
  drainedNs: z.number(),
  perNode: z.record(z.string(), z.looseObject({ firstReleasedNs: z.number().optional() })),
});

/** From the agent's event `lifted`: its first and last packet let go; undefined where it held none, or the agent does not say. */
export function readRelease(fields: unknown): FaultRecord['released'] {
  const told = lifted.safeParse(fields);
  if (!told.success) return undefined;
  const firsts = Object.values(told.data.perNode).flatMap(({ firstReleasedNs }) => firstReleasedNs ?? []);
  return firsts.length === 0 ? undefined : { firstNs: Math.min(...firsts), lastNs: told.data.drainedNs };
}
