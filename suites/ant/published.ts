import { publishedValues } from '../../harness/index.ts';

/** Values of the document by id. */
export const published = publishedValues(new URL('./published.json', import.meta.url));
