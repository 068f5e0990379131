import type { AggregateSpec, PlannedScenario } from '../record/index.ts';

/**
 * A scenario's aggregates; where its points have several warps, one of each aggregate a warp, since a figure over both
 * would be one of neither. Published figures stand beside their own warp, or beside every one when they name none, also
 * where all points have the same.
 */
export function aggregatesByWarp(
  scenario: Pick<PlannedScenario, 'aggregates' | 'points' | 'published'>,
): readonly AggregateSpec[] {
  const aggregates = scenario.aggregates ?? [];
  const warps = [
    ...new Set(
      scenario.points.flatMap(({ point }) => (typeof point['warp'] === 'number' ? [point['warp']] : [])),
    ),
  ].sort((a, b) => a - b);
  const warpOf = new Map(scenario.published.map(({ id, where }) => [id, where?.['warp']]));
  const beside = (spec: AggregateSpec, warp: number): AggregateSpec[] => {
    const published = spec.published?.filter((id) => (warpOf.get(id) ?? warp) === warp);
    // A figure that is there for another warp's published ones says nothing here.
    if (spec.published && spec.published.length > 0 && published?.length === 0) return [];
    return [{ ...spec, ...(published && { published }) }];
  };
  if (warps.length === 0) {
    // Points of one warp all run at it, and do not name it; records from before points had one are of real speed.
    const warp = Math.max(1, ...scenario.points.map((planned) => planned.warp ?? 1));
    return aggregates.flatMap((spec) => beside(spec, warp));
  }
  return aggregates.flatMap((spec) =>
    warps
      .flatMap((warp) => beside(spec, warp).map((one) => ({ one, warp })))
      .map(({ one, warp }) => ({
        ...one,
        title: `warp ${warp}: ${one.title}`,
        where: { ...one.where, warp },
      })),
  );
}
