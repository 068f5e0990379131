import type { PlanRecord } from '../record/index.ts';

/** How fast a run's systems ran: `real time`, `warp 4 …`, and which scenarios ran at another warp than the others. */
export function speedText(plan: Pick<PlanRecord, 'warp' | 'scenarios'>): string {
  const byWarps = new Map<string, string[]>();
  for (const { scenario, points } of plan.scenarios) {
    const warps = [...new Set(points.map((point) => point.warp ?? plan.warp))].sort((a, b) => a - b);
    const text = warps.join(' and ');
    byWarps.set(text, [...(byWarps.get(text) ?? []), scenario]);
  }
  const [only = String(plan.warp)] = byWarps.keys();
  if (byWarps.size <= 1) return only === '1' ? 'real time' : `warp ${only}, times reported unwarped`;
  const parts = [...byWarps].map(([warps, names]) => `warp ${warps}: ${names.join(', ')}`);
  return `${parts.join('; ')}; times reported unwarped`;
}
