import { suggestionFor } from '../document/index.ts';
import type { ImageDescription } from './image-description.ts';
import { parseImageSource } from './image-source.ts';
import type { ProblemList } from './problem-list.ts';
import type { NodeGroup } from './schema.ts';
import type { TopologyOverrides } from './types.ts';

/** Refuses overrides that would do nothing: unknown roles, variants that no image has, counts that are not clear. */
export function checkOverrides(
  overrides: TopologyOverrides,
  groups: readonly NodeGroup[],
  images: readonly ImageDescription[],
  problems: ProblemList,
): void {
  const roles = [...new Set(groups.map((group) => group.role))];
  const checkRole = (kind: Exclude<keyof TopologyOverrides, 'warp' | 'seed'>, role: string): void => {
    if (!roles.includes(role)) {
      problems.add(
        ['overrides', kind, role],
        `the topology has no role "${role}"${suggestionFor(role, roles)}`,
      );
    }
  };
  for (const [role, count] of Object.entries(overrides.counts ?? {})) {
    checkRole('counts', role);
    const path = ['overrides', 'counts', role];
    if (!Number.isInteger(count) || count < 0)
      problems.add(path, `${count} found; expected a whole number from 0`);
    const declared = groups.filter((group) => group.role === role).length;
    if (declared > 1)
      problems.add(path, `"${role}" is declared in ${declared} groups; expected one whose count to change`);
  }
  for (const role of Object.keys(overrides.settings ?? {})) checkRole('settings', role);
  for (const role of Object.keys(overrides.images ?? {})) checkRole('images', role);
  for (const role of Object.keys(overrides.tmpfsBytes ?? {})) checkRole('tmpfsBytes', role);
  if (typeof overrides.variant === 'object') {
    for (const role of Object.keys(overrides.variant)) checkRole('variant', role);
  } else if (overrides.variant !== undefined) {
    checkVariantForAll(overrides.variant, groups, images, problems);
  }
  const { warp } = overrides;
  if (warp !== undefined && !(warp > 0 && Number.isFinite(warp))) {
    problems.add(['overrides', 'warp'], `${warp} found; expected a number above 0`);
  }
}

function checkVariantForAll(
  variant: string,
  groups: readonly NodeGroup[],
  images: readonly ImageDescription[],
  problems: ProblemList,
): void {
  const known = groups.flatMap((group) => {
    const parsed = parseImageSource(group.image, images);
    const description = typeof parsed === 'string' ? undefined : parsed.description;
    return description ? [...Object.keys(description.variants), ...Object.keys(description.mutants)] : [];
  });
  if (!known.includes(variant)) {
    problems.add(
      ['overrides', 'variant'],
      `no image of the topology has a variant "${variant}"${suggestionFor(variant, new Set(known))}`,
    );
  }
}
