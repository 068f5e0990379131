import type { RunPlan } from '../scenario/index.ts';
import { gateNotes, type PlanCosts } from '../session/index.ts';
import { formatBytes, formatDurationMs } from '../units/index.ts';

/** Most points that are listed one by one. */
const LISTED_POINTS = 40;

/** A plan for people: a line a point, then what it costs. */
export function describePlan(plan: RunPlan, costs: PlanCosts): string {
  const lines: string[] = [];
  for (const scenario of plan.record.scenarios) {
    const points = plan.points.filter((point) => point.scenario.name === scenario.scenario);
    const trials = points.reduce((sum, point) => sum + point.trials, 0);
    lines.push(
      `${scenario.suite}/${scenario.scenario}: ${count(points.length, 'point')}, ${count(trials, 'trial')}${warpsText(points.map(({ warp }) => warp))}`,
    );
    lines.push(`  ${scenario.description}`);
    for (const point of points.slice(0, LISTED_POINTS)) {
      const perTrial = formatDurationMs(point.phasesMs);
      lines.push(
        `  ${point.pointId}  ${count(point.trials, 'trial')} of ${perTrial}, ${count(point.topology.nodes.length, 'node')}`,
      );
    }
    if (points.length > LISTED_POINTS) lines.push(`  … and ${points.length - LISTED_POINTS} more points`);
    lines.push(...gateNotes(plan, points).map((note) => `  ${note}`), '');
  }
  lines.push(
    `Trials    ${costs.trials}`,
    `Beds      ${costs.beds}, ${costs.parallelBeds} at once (${costs.why})${costs.lightBeds > 0 ? ` and ${costs.lightBeds} for light points` : ''}, up to ${count(costs.largestBedNodes, 'node')} each`,
    `Duration  about ${formatDurationMs(costs.durationMs)} (${costs.basis})`,
    `Memory    about ${formatBytes(costs.memoryBytes)}`,
    `Disk      about ${formatBytes(costs.diskBytes)}`,
    ...(costs.captureBytes === undefined
      ? []
      : [`Captures  up to ${formatBytes(costs.captureBytes)} more, under each trial's pcap/`]),
    `Seed      ${plan.record.seed}`,
  );
  return `${lines.join('\n')}\n`;
}

/** `, at warp 1 and 4`; nothing at real speed. */
function warpsText(warps: readonly number[]): string {
  const each = [...new Set(warps)].sort((a, b) => a - b);
  return each.every((warp) => warp === 1) ? '' : `, at warp ${each.join(' and ')}`;
}

function count(amount: number, thing: string): string {
  return `${amount} ${thing}${amount === 1 ? '' : 's'}`;
}
