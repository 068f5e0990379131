/**
 * Holm's step-down adjustment of p-values (Holm 1979): the i-th smallest of m is multiplied by m − i + 1, then made
 * monotone. In the order given. Controls the chance of any false alarm among them.
 */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues
    .map((_, index) => index)
    .sort((a, b) => (pValues[a] as number) - (pValues[b] as number));
  const adjusted = new Array<number>(pValues.length);
  let largest = 0;
  order.forEach((index, place) => {
    largest = Math.max(largest, Math.min(1, (pValues[index] as number) * (pValues.length - place)));
    adjusted[index] = largest;
  });
  return adjusted;
}
