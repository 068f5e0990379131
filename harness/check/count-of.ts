/** `1 trial`, `3 trials`; for nouns whose plural is an s. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
