import { publishedValues } from '../../harness/index.ts';

/** Values of the two documents by id. */
export const published = publishedValues(new URL('./published.json', import.meta.url));
