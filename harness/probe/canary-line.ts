/** Lateness of each wake-up in a canary's line, in ms; `undefined` for other lines, and for what a canary would not say. */
export function parseCanaryLine(line: string): number[] | undefined {
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (read === null || typeof read !== 'object' || !('lateUs' in read) || !Array.isArray(read.lateUs)) {
    return undefined;
  }
  const lates: unknown[] = read.lateUs;
  if (!lates.every((late): late is number => typeof late === 'number' && late >= 0)) return undefined;
  return lates.map((late) => late / 1_000);
}
