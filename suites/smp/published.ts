import { readFileSync } from 'node:fs';
import { SquallError } from '../../harness/errors/index.ts';
import type { PublishedValue } from '../../harness/index.ts';

const list = JSON.parse(readFileSync(new URL('./published.json', import.meta.url), 'utf8')) as {
  readonly values: readonly PublishedValue[];
};

/** Values of the document by id. @throws SquallError `unknown-published-value` (input) */
export function published(...ids: readonly string[]): PublishedValue[] {
  return ids.map((id) => {
    const value = list.values.find((entry) => entry.id === id);
    if (!value) {
      throw new SquallError(`published value "${id}": is not in published.json`, {
        code: 'unknown-published-value',
        blame: 'input',
      });
    }
    return value;
  });
}
