import { FAULT_REFERENCE } from './reference/fault-reference.ts';
import type { FaultPlan } from './types.ts';

/** Settings of a fault for its record, with what narrows it to a link where the kind has such a thing. */
export function recordedSettings(plan: FaultPlan): Readonly<Record<string, unknown>> {
  const { link } = FAULT_REFERENCE[plan.kind];
  const { direction, protocol, peers, ports, settings } = plan;
  return {
    ...settings,
    ...(link.includes('direction') ? { direction } : {}),
    ...(link.includes('protocol') ? { protocol } : {}),
    ...(peers.length > 0 ? { peers } : {}),
    ...(ports.length > 0 ? { ports } : {}),
  };
}
