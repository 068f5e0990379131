import { type ProblemPath, suggestionFor } from '../document/index.ts';
import type { ImageDescription } from './image-description.ts';
import { parseImageSource } from './image-source.ts';
import type { ProblemList } from './problem-list.ts';
import { defaultVariant, resolveVariant } from './resolve-variant.ts';
import type { NodeGroup } from './schema.ts';
import { ownEnvironment, settingsEnvironment } from './settings-environment.ts';
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
  if (group.image === '') {
    problems.addEmpty([...path, 'image'], 'one of our images or a Docker reference');
    return nothing;
  }
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
  const variant = resolveVariant(group, parsed.source.variant, description, overrides, path, problems);
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
      SQUALL_SEED: overrides.seed ?? '',
      SQUALL_VARIANT: variant ?? defaultVariant(description),
      ...(group.fleet > 0 ? { SQUALL_FLEET: '{fleet}' } : {}),
    },
  };
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
