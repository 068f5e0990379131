import type { AggregateSpec, PlannedScenario } from '../record/index.ts';

/**
 * A scenario's aggregates; where its points have several warps, one of each aggregate a warp, since a figure over both
 * would be one of neither. Published figures stand beside their own warp, or beside every one when they name none.
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
  if (warps.length === 0) return aggregates;
  const warpOf = new Map(scenario.published.map(({ id, where }) => [id, where?.['warp']]));
  return aggregates.flatMap((spec) =>
    warps.flatMap((warp) => {
      const published = spec.published?.filter((id) => (warpOf.get(id) ?? warp) === warp);
      // A figure that is there for another warp's published ones says nothing here.
      if (spec.published && spec.published.length > 0 && published?.length === 0) return [];
      return [
        {
          ...spec,
          title: `warp ${warp}: ${spec.title}`,
          where: { ...spec.where, warp },
          ...(published && { published }),
        },
      ];
    }),
  );
}
