/** What rows of a whole fleet have in common: its size, and their bounds. */
import type { ScenarioSpec } from '../../harness/index.ts';
import { FLEET } from './fleet-steps.ts';

export const FLEET_PARAMETER = {
  type: 'integer',
  description: 'clients, in containers of 50',
  default: 500,
  minimum: FLEET,
  maximum: 1000,
} as const;

/** Containers that hold so many clients. */
export const containersFor = (fleet: unknown): number => Math.ceil(Number(fleet) / FLEET);

/** @param op `=`, `<=` or `>=` */
export const fleetBound = (
  measure: string,
  op: string,
  value: number,
  reason: string,
): ScenarioSpec['checks'][number] => ({
  check: 'measure-bound',
  title: `${measure} ${op} ${value}`,
  kind: 'invariant',
  parameters: { measure, op, value },
  reason,
});
