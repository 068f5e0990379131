import { expect } from 'chai';
import { parseHTML } from 'linkedom';
import type { Markup } from '../html/template.ts';

/** The few parts of a drawn element that tests look at; the project is typed without a browser's. */
interface DrawnElement {
  readonly textContent: string;
  getAttribute(name: string): string | null;
  querySelectorAll(selector: string): Iterable<DrawnElement>;
}

/** The wide drawing of a plot, read back from its markup. */
export interface ReadPlot {
  readonly caption: string;
  readonly label: string;
  /** Elements by selector. */
  all(selector: string): readonly DrawnElement[];
  /** Where a value of the axis lies, in px, by the labels of its ticks. */
  x(value: number): number;
  y(value: number): number;
}

/** Reads a plot as a reader sees it: positions are judged by the labels of its axes, not by the scale that drew them. */
export function readPlot(markup: Markup | undefined): ReadPlot {
  const { document } = parseHTML(`<body>${markup?.text ?? ''}</body>`) as unknown as {
    document: DrawnElement;
  };
  const all = (selector: string): DrawnElement[] => [...document.querySelectorAll(selector)];
  const axis = (name: 'x' | 'y'): ((value: number) => number) => {
    const ticks = all(`.wide [aria-label="${name}-axis tick label"] text`).map((tick) => ({
      value: Number(tick.textContent.replace('−', '-')),
      at: Number(
        /translate\(([^,]+),([^)]+)\)/.exec(tick.getAttribute('transform') ?? '')?.[name === 'x' ? 1 : 2],
      ),
    }));
    const [first, last] = [ticks[0], ticks.at(-1)];
    if (!first || !last || first === last) throw new Error(`the ${name} axis has no two labels`);
    return (value) => first.at + ((value - first.value) / (last.value - first.value)) * (last.at - first.at);
  };
  return {
    caption: all('figcaption span')[0]?.textContent ?? '',
    label: all('.wide')[0]?.getAttribute('aria-label') ?? '',
    all: (selector) => all(`.wide ${selector}`),
    x: (value) => axis('x')(value),
    y: (value) => axis('y')(value),
  };
}

/** An attribute as a number of px. */
export const px = (element: DrawnElement | undefined, name: string): number => {
  const value = Number(element?.getAttribute(name) ?? Number.NaN);
  expect(value, name).to.be.finite;
  return value;
};
