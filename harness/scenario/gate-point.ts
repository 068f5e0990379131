import { matchesPoint } from '../record/index.ts';
import { defaultPoint } from './parameter.ts';
import type { PlannedPoint } from './plan-run.ts';

/** Only the very point that was measured, at real speed: with another cut or faster it is another one. */
export function isGatePoint({
  scenario,
  point,
  warp,
}: Pick<PlannedPoint, 'scenario' | 'point' | 'warp'>): boolean {
  const { gate, parameters } = scenario;
  return (
    gate !== undefined && warp === 1 && matchesPoint(point, { ...defaultPoint(parameters), ...gate.point })
  );
}
