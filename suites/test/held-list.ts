import { createHash } from 'node:crypto';
import type { PublishedList } from '../../harness/cli/published-list.ts';

/**
 * Of all that `squall published SUITE --source FILE` compares: the documents are not kept here, so that a hash that stands in a
 * test stands for that command having passed on the list as it is.
 */
export function heldHash({ values, rules, paragraphs }: PublishedList): string {
  const held = JSON.stringify([
    values.map(({ id, value, unit, quote }) => [id, value, unit, quote]),
    rules.map((one) => [one.rule, 'quote' in one ? one.quote : one.elsewhere]),
    paragraphs,
  ]);
  return createHash('sha256').update(held).digest('hex');
}
