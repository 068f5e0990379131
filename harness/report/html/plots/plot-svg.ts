import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { html, Markup } from '../template.ts';

/** Two sizes of each plot: side by side on a page, stacked on a telephone. The style sheet shows one. */
export const SIZES = [
  { name: 'wide', width: 1_120, stacked: false },
  { name: 'narrow', width: 368, stacked: true },
] as const;
export type PlotSize = (typeof SIZES)[number];

export const FONT_SIZE_PX = 13;

type PlotOptions = Plot.PlotOptions;
/** What Plot gives back, as far as it is used here. */
interface DrawnPlot {
  readonly outerHTML: string;
  scale(name: string): { readonly apply: (value: unknown) => number } | undefined;
}

/** Draws with Observable Plot into a document of linkedom's: an SVG in the page's own colours. */
export function drawPlot(options: PlotOptions): DrawnPlot {
  // This project is typed without a browser's globals; the document goes from one library to the other unseen.
  const { document } = parseHTML('<!doctype html><html><body></body></html>') as unknown as {
    document: unknown;
  };
  return Plot.plot({
    document,
    style: { background: 'none', fontSize: `${FONT_SIZE_PX}px`, fontFamily: 'inherit', overflow: 'visible' },
    ...options,
  } as PlotOptions) as unknown as DrawnPlot;
}

/** A drawn plot as markup; linkedom has escaped its texts and attributes. */
export function svgOf(plot: DrawnPlot, size: { readonly name: string }, label: string): Markup {
  return html`<div class="${size.name}" role="img" aria-label="${label}">${new Markup(plot.outerHTML)}</div>`;
}

/** Spreads labels that would overlap, keeping their order; positions in px. */
export function spreadLabels(places: readonly number[], gapPx: number): number[] {
  const order = places.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place);
  const result = [...places];
  let previous = Number.NEGATIVE_INFINITY;
  for (const one of order) {
    const place = Math.max(one.place, previous + gapPx);
    result[one.index] = place;
    previous = place;
  }
  // Shifted down by half of what they grew, so that a crowd stays around its middle.
  const shift = order.length === 0 ? 0 : (previous - (order.at(-1)?.place ?? previous)) / 2;
  return result.map((place) => place - shift);
}
