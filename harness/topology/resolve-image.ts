import { type ProblemPath, suggestionFor } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import type { ImageDescription } from './image-description.ts';
import { parseImageSource } from './image-source.ts';
import type { ProblemList } from './problem-list.ts';
import type { NodeGroup, Scalar } from './schema.ts';
import { settingText } from './setting-value.ts';
import type { ImageSource, TopologyOverrides } from './types.ts';

const DEFAULT_ADMIN_PORT = 7100;

export interface ResolvedImage {
  /** False when the reference could not be understood, so that nothing more is said about it. */
  readonly known: boolean;
  readonly image: ImageSource;
  /** Every setting is in it, defaults included, so that it alone decides how a node behaves after a reset. */
  readonly environment: Readonly<Record<string, string>>;
  readonly ports: Readonly<Record<string, number>>;
  readonly adminPort?: number;
}

/** What Squall itself tells every node of ours, and the key of a topology that decides it. */
const GIVEN: Readonly<Record<string, string>> = {
  SQUALL_NODE_NAME: 'name',
  SQUALL_ROLE: 'role',
  SQUALL_BIND: 'at',
  SQUALL_ADMIN_PORT: 'adminPort',
  SQUALL_VARIANT: 'variant',
  SQUALL_FLEET: 'fleet',
  SQUALL_WARP: '--warp',
  SQUALL_SEED: '--seed',
};

/** A group's image with the environment that carries its variant and settings. */
export function resolveImage(
  group: NodeGroup,
  overrides: TopologyOverrides,
  images: readonly ImageDescription[],
  path: ProblemPath,
  problems: ProblemList,
): ResolvedImage {
  const nothing: ResolvedImage = {
    known: false,
    image: { kind: 'reference', reference: group.image },
    environment: {},
    ports: {},
  };
  if (group.image === '') return nothing;
  const parsed = parseImageSource(group.image, images);
  if (typeof parsed === 'string') {
    problems.add([...path, 'image'], parsed);
    return nothing;
  }
  if (!parsed.description || parsed.source.kind !== 'ours') {
    return resolveForeign(group, overrides, parsed.source, path, problems);
  }
  const { description } = parsed;
  if (
    description.roles.length > 0 &&
    !description.roles.includes('*') &&
    !description.roles.includes(group.role) &&
    group.role !== ''
  ) {
    problems.add(
      [...path, 'role'],
      `${description.name} has no role "${group.role}"${suggestionFor(group.role, description.roles)}`,
    );
  }
  const variant = variantOf(group, parsed.source.variant, description, overrides, path, problems);
  const settings = settingsEnvironment(group, variant, description, overrides, path, problems);
  const adminPort = group.adminPort ?? description.adminPort ?? DEFAULT_ADMIN_PORT;
  return {
    known: true,
    image: { ...parsed.source, ...(variant === undefined ? {} : { variant }) },
    adminPort,
    ports: { ...description.ports, ...group.ports },
    environment: {
      ...settings,
      ...ownEnvironment(group, description, path, problems),
      SQUALL_NODE_NAME: '{name}',
      SQUALL_ROLE: '{role}',
      SQUALL_BIND: '{address}',
      SQUALL_ADMIN_PORT: String(adminPort),
      SQUALL_WARP: String(overrides.warp ?? 1),
      ...(overrides.seed === undefined ? {} : { SQUALL_SEED: overrides.seed }),
      SQUALL_VARIANT: variant ?? defaultVariant(description),
      ...(group.fleet > 0 ? { SQUALL_FLEET: '{fleet}' } : {}),
    },
  };
}

/** What the image itself takes when none is named; empty where it has no variants. */
function defaultVariant(description: ImageDescription): string {
  return String(description.settings.find(({ env }) => env === 'SQUALL_VARIANT')?.default ?? '');
}

function resolveForeign(
  group: NodeGroup,
  overrides: TopologyOverrides,
  image: ImageSource,
  path: ProblemPath,
  problems: ProblemList,
): ResolvedImage {
  for (const key of ['variant', 'settings'] as const) {
    if (group[key] === undefined) continue;
    problems.add(
      [...path, key],
      `only our own images have ${key === 'variant' ? 'variants' : 'settings'}; use env and command for "${group.image}"`,
      'key',
    );
  }
  if ((overrides.warp ?? 1) !== 1) {
    problems.add(
      [...path, 'image'],
      `"${group.image}" is a foreign image, whose timers no warp reaches; expected warp 1`,
    );
  }
  return {
    known: true,
    image,
    ports: group.ports ?? {},
    environment: Object.fromEntries(
      Object.entries(group.env ?? {}).map(([key, value]) => [key, String(value)]),
    ),
    ...(group.adminPort === undefined ? {} : { adminPort: group.adminPort }),
  };
}

function variantOf(
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

function settingsEnvironment(
  group: NodeGroup,
  variant: string | undefined,
  description: ImageDescription,
  overrides: TopologyOverrides,
  path: ProblemPath,
  problems: ProblemList,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const setting of description.settings) {
    if (setting.default !== undefined && GIVEN[setting.env] === undefined) {
      environment[setting.env] = String(setting.default);
    }
  }
  const take = (
    settings: Readonly<Record<string, Scalar>>,
    at: ProblemPath,
    bare: 'allowed' | 'refused',
  ): void => {
    for (const [name, value] of Object.entries(settings)) {
      const setting = description.settings.find((candidate) => candidate.name === name);
      if (!setting) {
        const names = description.settings.map((candidate) => candidate.name);
        problems.add(
          [...at, name],
          `${description.name} has no setting "${name}"${suggestionFor(name, names)}`,
          'key',
        );
        continue;
      }
      const key = GIVEN[setting.env];
      if (key !== undefined) {
        problems.add([...at, name], `Squall sets ${setting.env} itself; expected it by ${key}`, 'key');
        continue;
      }
      try {
        environment[setting.env] = settingText(setting, value, bare);
      } catch (error) {
        if (!(error instanceof SquallError)) throw error;
        problems.add([...at, name], `${error.message}${error.hint ? `. ${error.hint}` : ''}`);
      }
    }
  };
  const chosen =
    variant === undefined ? undefined : (description.variants[variant] ?? description.mutants[variant]);
  take(chosen?.settings ?? {}, [...path, 'variant'], 'allowed');
  take(group.settings ?? {}, [...path, 'settings'], 'refused');
  take(overrides.settings?.[group.role] ?? {}, ['overrides', 'settings', group.role], 'allowed');
  return environment;
}

function ownEnvironment(
  group: NodeGroup,
  description: ImageDescription,
  path: ProblemPath,
  problems: ProblemList,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [key, value] of Object.entries(group.env ?? {})) {
    const setting = description.settings.find((candidate) => candidate.env === key);
    const given = GIVEN[key];
    if (given !== undefined)
      problems.add([...path, 'env', key], `Squall sets it itself; expected it by ${given}`, 'key');
    else if (setting)
      problems.add(
        [...path, 'env', key],
        `this is the setting "${setting.name}"; expected it under settings`,
        'key',
      );
    environment[key] = String(value);
  }
  return environment;
}
