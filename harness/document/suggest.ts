import { distance } from 'fastest-levenshtein';

/** The candidate that was probably meant, or `undefined` when none is near enough (a third of the word, at least 2). */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  const limit = Math.max(2, Math.floor(word.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const found = distance(wanted, candidate.toLowerCase());
    if (found < bestDistance && found < candidate.length) {
      best = candidate;
      bestDistance = found;
    }
  }
  return best;
}

/** The tail of a message: `; did you mean "count"?`, or else what there is: `; expected one of a, b, c`. */
export function suggestionFor(word: string, candidates: Iterable<string>): string {
  const all = [...candidates];
  const meant = suggest(word, all);
  if (meant !== undefined) return `; did you mean "${meant}"?`;
  if (all.length === 0) return '; there is none';
  const shown = all.slice(0, 12).join(', ');
  return `; expected one of ${shown}${all.length > 12 ? `, … (${all.length})` : ''}`;
}
