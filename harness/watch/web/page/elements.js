// Everything that comes from a run is put in as text (textContent, setAttribute), never as markup.
const SVG = 'http://www.w3.org/2000/svg';

export const byId = (id) => document.getElementById(id);

/** An element with attributes and children; children that are no elements become text. */
export function make(name, attributes = {}, ...children) {
  const svg = /^(svg|g|circle|line|path|rect|text|title)$/.test(name);
  const element = svg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

export function fill(id, ...children) {
  byId(id).replaceChildren(...children);
}

export function duration(ms) {
  if (!Number.isFinite(ms)) return '–';
  const s = Math.max(0, ms) / 1000;
  if (s < 60) return `${s.toFixed(1)} s`;
  const minutes = Math.floor(s / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(s % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
