import { type ProblemPath, suggestionFor } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import type { ImageDescription } from './image-description.ts';
import type { ProblemList } from './problem-list.ts';
import type { NodeGroup, Scalar } from './schema.ts';
import { settingText } from './setting-value.ts';
import type { TopologyOverrides } from './types.ts';

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

/** Every setting as the environment carries it: defaults, then the variant's, the file's, the caller's. */
export function settingsEnvironment(
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

/** A group's `env`, which must leave settings and what Squall tells alone. */
export function ownEnvironment(
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
