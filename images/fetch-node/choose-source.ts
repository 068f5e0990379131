import type { FetchRules } from './fetch-rules.ts';
import type { Standing } from './source-health.ts';

export interface ChoicePorts {
  standing(source: string): Standing;
  isFull(source: string): boolean;
  isCooling(source: string): boolean;
}

/**
 * The source that a key starts on: of those that are not cooling, the first in order of preference that is answering and
 * has a share to give, else the first silent one; then the same of those that are cooling. None: all that are left answer
 * and are full.
 * @param untried in order of preference
 * @param retry whether the key has failed at a source before
 */
export function chooseSource(
  rules: FetchRules,
  ports: ChoicePorts,
  untried: readonly string[],
  retry: boolean,
): string | undefined {
  const preferred = rules.preferenceOrder ? untried : [...untried].reverse();
  const busyLast = retry ? rules.busyLastForRetries : rules.busyLastForNew;
  const groups = busyLast
    ? [
        preferred.filter((source) => !ports.isCooling(source)),
        preferred.filter((source) => ports.isCooling(source)),
      ]
    : [preferred];
  if (!rules.shareLimit || (retry && !rules.moveOnByShare)) return groups.flat()[0];
  for (const group of groups) {
    const chosen = chooseWithinShares(rules, ports, group);
    if (chosen !== undefined) return chosen;
  }
  return undefined;
}

function chooseWithinShares(
  rules: FetchRules,
  ports: ChoicePorts,
  sources: readonly string[],
): string | undefined {
  let silent: string | undefined;
  for (const source of sources) {
    if (ports.standing(source) === 'answering') {
      if (!ports.isFull(source)) return source;
    } else {
      if (!rules.answeringFirst) return source;
      silent ??= source;
    }
  }
  return silent;
}
