import { type ProblemPath, suggestionFor } from '../document/index.ts';
import type { ImageDescription } from './image-description.ts';
import type { ProblemList } from './problem-list.ts';
import type { NodeGroup } from './schema.ts';
import type { TopologyOverrides } from './types.ts';

/** A group's variant or mutant: the caller's for its role, the caller's for all, the file's key, the reference's `@`. */
export function resolveVariant(
  group: NodeGroup,
  inReference: string | undefined,
  description: ImageDescription,
  overrides: TopologyOverrides,
  path: ProblemPath,
  problems: ProblemList,
): string | undefined {
  const known = [...Object.keys(description.variants), ...Object.keys(description.mutants)];
  const check = (variant: string | undefined, at: ProblemPath): void => {
    if (variant !== undefined && !known.includes(variant)) {
      problems.add(at, `${description.name} has no variant "${variant}"${suggestionFor(variant, known)}`);
    }
  };
  check(inReference, [...path, 'image']);
  check(group.variant, [...path, 'variant']);
  if (inReference !== undefined && group.variant !== undefined && inReference !== group.variant) {
    problems.add(
      [...path, 'variant'],
      `"${group.variant}" and the image’s "@${inReference}" differ; expected one of them`,
    );
  }
  const { variant: override } = overrides;
  // A variant given for the whole bed is for the images that have it; `checkOverrides` sees to it that one does.
  const forAll = typeof override === 'string' && known.includes(override) ? override : undefined;
  const forRole = typeof override === 'object' ? override[group.role] : undefined;
  check(forRole, ['overrides', 'variant', group.role]);
  return forRole ?? forAll ?? group.variant ?? inReference;
}

/** What the image itself takes when none is named; empty where it has no variants. */
export function defaultVariant(description: ImageDescription): string {
  return String(description.settings.find(({ env }) => env === 'SQUALL_VARIANT')?.default ?? '');
}
