import { suggest } from '../document/index.ts';

/** `Did you mean X?`, or what there is to choose from when nothing is near. */
export function didYouMean(word: string, candidates: readonly string[], prefix = ''): string {
  const nearest = suggest(word, candidates);
  if (nearest) return `Did you mean ${prefix}${nearest}?`;
  if (candidates.length === 0 || candidates.length > 30) return '';
  return `Expected one of: ${candidates.map((candidate) => prefix + candidate).join(', ')}.`;
}
