import { type ProblemPath, suggestionFor } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import { findPlaceholders, OWN_WORDS, type Placeholder, SELECTOR_WORDS } from './placeholders.ts';
import type { ProblemList } from './problem-list.ts';
import type { NodeGroup } from './schema.ts';
import { type SelectableNode, select } from './selector.ts';

/** Refuses placeholders that would not be replaced: unknown words, selectors that match nothing. */
export function checkPlaceholders(
  group: NodeGroup,
  path: ProblemPath,
  nodes: readonly SelectableNode[],
  problems: ProblemList,
): void {
  const texts: [ProblemPath, unknown][] = [
    ...Object.entries(group.settings ?? {}).map(([key, value]): [ProblemPath, unknown] => [
      [...path, 'settings', key],
      value,
    ]),
    ...Object.entries(group.env ?? {}).map(([key, value]): [ProblemPath, unknown] => [
      [...path, 'env', key],
      value,
    ]),
    ...(group.command ?? []).map((value, index): [ProblemPath, unknown] => [
      [...path, 'command', index],
      value,
    ]),
  ];
  for (const [at, value] of texts) {
    if (typeof value !== 'string') continue;
    for (const placeholder of findPlaceholders(value)) {
      const wrong = wrongPlaceholder(placeholder, nodes);
      if (wrong) problems.add(at, wrong);
    }
  }
}

function wrongPlaceholder(
  { text, word, selector }: Placeholder,
  nodes: readonly SelectableNode[],
): string | undefined {
  if (selector === undefined) {
    if (OWN_WORDS.includes(word)) return undefined;
    return `unknown placeholder ${text}${suggestionFor(word, OWN_WORDS)} (write {${text}} for the text itself)`;
  }
  if (!SELECTOR_WORDS.includes(word)) {
    return `unknown placeholder ${text}${suggestionFor(word, SELECTOR_WORDS)} (write {${text}} for the text itself)`;
  }
  try {
    const { length } = select(selector, nodes);
    return word === 'address' && length !== 1
      ? `${text} means ${length} nodes; expected one, or {addresses:${selector}}`
      : undefined;
  } catch (error) {
    if (error instanceof SquallError) return error.message;
    throw error;
  }
}
