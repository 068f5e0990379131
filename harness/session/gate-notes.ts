import { gateSentence } from '../check/index.ts';
import { matchesPoint } from '../record/index.ts';
import { defaultPoint, type PlannedPoint, type RunPlan } from '../scenario/index.ts';

/** What the plan's gates can see: a sentence for each planned point whose power was measured, with its id before it. */
export function gateNotes(plan: RunPlan, points: readonly PlannedPoint[] = plan.points): string[] {
  return points.flatMap((planned) => {
    const { gate } = planned.scenario;
    if (!gate || !isGatePoint(planned)) return [];
    return [`gate ${planned.pointId}: ${gateSentence(gate.defect, gate.power)}`];
  });
}

/** Only the very point that was measured, at real speed: with another cut or faster it is another one. */
function isGatePoint({ scenario, point, warp }: PlannedPoint): boolean {
  return warp === 1 && matchesPoint(point, { ...defaultPoint(scenario.parameters), ...scenario.gate?.point });
}
