/** A line that only moves on from the last one (a percentage) is shown this often. */
const EVERY_MS = 1_000;

/** What stays of a line when its numbers and bars move on. */
function shapeOf(text: string): string {
  return text.replace(/\[[=> ]*\]/g, '').replace(/[\d.]+/g, '#');
}

/** Progress on standard error, a line a step; lines that differ only in their numbers at most once a second. */
export function progressLines(stream: NodeJS.WritableStream = process.stderr): (text: string) => void {
  const shownAt = new Map<string, number>();
  return (text) => {
    const shape = shapeOf(text);
    const now = performance.now();
    if (shape !== text && now - (shownAt.get(shape) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
    shownAt.set(shape, now);
    stream.write(`${text}\n`);
  };
}
