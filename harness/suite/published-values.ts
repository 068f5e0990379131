import { readFileSync } from 'node:fs';
import { SquallError } from '../errors/index.ts';
import type { PublishedValue } from '../record/index.ts';

/**
 * The figures of a document that a suite has in its `published.json`, by id.
 * @throws SquallError `unknown-published-value` (input), by the function, for an id that is not in the list
 */
export function publishedValues(file: URL): (...ids: readonly string[]) => PublishedValue[] {
  const { values } = JSON.parse(readFileSync(file, 'utf8')) as { readonly values: readonly PublishedValue[] };
  return (...ids) =>
    ids.map((id) => {
      const value = values.find((entry) => entry.id === id);
      if (value) return value;
      throw new SquallError(`published value "${id}": is not in ${file.pathname}`, {
        code: 'unknown-published-value',
        blame: 'input',
      });
    });
}
