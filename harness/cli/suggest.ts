import { closest, distance } from 'fastest-levenshtein';

/** The nearest of the candidates, when it is near enough to have been meant. */
export function suggest(word: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const nearest = closest(word, [...candidates]);
  return distance(word, nearest) <= Math.max(2, Math.floor(word.length / 3)) ? nearest : undefined;
}

/** `Did you mean X?`, or what there is to choose from when nothing is near. */
export function didYouMean(word: string, candidates: readonly string[], prefix = ''): string {
  const nearest = suggest(word, candidates);
  if (nearest) return `Did you mean ${prefix}${nearest}?`;
  if (candidates.length === 0 || candidates.length > 30) return '';
  return `Expected one of: ${candidates.map((candidate) => prefix + candidate).join(', ')}.`;
}
