let words: readonly string[] = process.argv.slice(2);

/** The words of the call that is being parsed. Builders look at them: a suite's parameters become options of its call. */
export function currentCall(): readonly string[] {
  return words;
}

/** Completion parses the words that stand on somebody's prompt instead. */
export function setCurrentCall(others: readonly string[]): void {
  words = others;
}
