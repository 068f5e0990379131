import { gateSentence } from '../check/index.ts';
import { isGatePoint, type PlannedPoint, type RunPlan } from '../scenario/index.ts';

/** What the plan's gates can see: a sentence for each planned point whose power was measured, with its id before it. */
export function gateNotes(plan: RunPlan, points: readonly PlannedPoint[] = plan.points): string[] {
  return points.flatMap((planned) => {
    const { gate } = planned.scenario;
    if (!gate || !isGatePoint(planned)) return [];
    return [`gate ${planned.pointId}: ${gateSentence(gate.defect, gate.power)}`];
  });
}
