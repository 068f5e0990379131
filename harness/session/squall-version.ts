import { readFileSync } from 'node:fs';

/** Of this package. */
export function squallVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}
