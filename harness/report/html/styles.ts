import { seriesProperties } from './palette.ts';

const LIGHT = `
  color-scheme: light dark;
  --paper: #fbfaf6; --panel: #ffffff; --ink: #1c1f22; --muted: #5d6368; --line: #dfdbd1; --faint: #f1eee6;
  --pass: #00785a; --fail: #b84300; --inconclusive: #7a6100;
  --pass-tint: #e3f2ec; --fail-tint: #fbe8dc; --inconclusive-tint: #f7f0d4;
  ${seriesProperties('light')}`;

const DARK = `
  --paper: #131518; --panel: #1a1d21; --ink: #e9e6df; --muted: #a3a8ad; --line: #343941; --faint: #212529;
  --pass: #45cda5; --fail: #ff9863; --inconclusive: #e6c453;
  --pass-tint: #14302a; --fail-tint: #3a2115; --inconclusive-tint: #332c12;
  ${seriesProperties('dark')}`;

/** The whole style sheet: no font, picture or script from anywhere else. */
export const STYLES = `
:root {${LIGHT}
}
@media screen and (prefers-color-scheme: dark) { :root {${DARK}
} }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
  overflow-wrap: anywhere;
}
main, body > header, body > footer { max-width: 74rem; margin: 0 auto; padding: 0 1.5rem; }
h1, h2, .lead { font-family: Charter, "Bitstream Charter", "Sitka Text", Cambria, Georgia, serif; font-weight: 600; line-height: 1.2; text-wrap: balance; }
h1 { font-size: clamp(1.7rem, 1.2rem + 2vw, 2.6rem); margin: 0; letter-spacing: -0.01em; }
h2 { font-size: 1.55rem; margin: 3.2rem 0 0.4rem; padding-top: 1.1rem; border-top: 1px solid var(--line); letter-spacing: -0.005em; }
h3 { font-size: 1rem; margin: 1.8rem 0 0.5rem; font-weight: 650; }
p { margin: 0.5rem 0; max-width: 46rem; }
.muted, .note { color: var(--muted); }
.note { font-size: 0.875rem; }
a { color: inherit; text-decoration-color: var(--muted); text-underline-offset: 0.2em; }
code, pre, .mono { font-family: ui-monospace, "SF Mono", "Cascadia Code", "Liberation Mono", Menlo, Consolas, monospace; font-size: 0.875em; }
pre { background: var(--faint); border: 1px solid var(--line); border-radius: 6px; padding: 0.8rem 1rem; margin: 0.6rem 0; white-space: pre-wrap; }

.skip { position: absolute; left: -99rem; }
.skip:focus { position: static; }
:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
body > header { display: flex; gap: 0.4rem 1.5rem; flex-wrap: wrap; align-items: baseline; padding-top: 1.4rem; padding-bottom: 0.4rem; }
.wordmark { font-weight: 700; letter-spacing: 0.14em; font-size: 0.8rem; text-transform: uppercase; }
.wordmark svg { height: 0.95em; vertical-align: -0.1em; margin-right: 0.5em; }
body > header .run { color: var(--muted); font-size: 0.85rem; }
nav { display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; font-size: 0.85rem; margin: 1.4rem 0 0; }

.verdict { margin: 1rem 0 0; padding: 1.6rem 1.8rem 1.5rem; border-radius: 10px; background: var(--tint); border-left: 6px solid var(--tone); }
.verdict .word { color: var(--tone); font-weight: 700; letter-spacing: 0.06em; font-size: 0.85rem; text-transform: uppercase; display: block; margin-bottom: 0.5rem; }
.verdict .sub { font-size: 1.05rem; margin: 0.8rem 0 0; }
.pass { --tone: var(--pass); --tint: var(--pass-tint); }
.fail { --tone: var(--fail); --tint: var(--fail-tint); }
.inconclusive { --tone: var(--inconclusive); --tint: var(--inconclusive-tint); }

dl.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(14rem, 40%), 1fr)); gap: 0.9rem 1.5rem; margin: 1.4rem 0 0; }
dl.facts div { border-top: 1px solid var(--line); padding-top: 0.45rem; }
dl.facts dt { color: var(--muted); font-size: 0.78rem; }
dl.facts dd { margin: 0; font-variant-numeric: tabular-nums; }

.mark { color: var(--tone); font-weight: 700; white-space: nowrap; }
.finding { border-left: 3px solid var(--tone); padding: 0.15rem 0 0.15rem 1rem; margin: 1rem 0; }
.finding h3 { margin: 0; }
.finding p { margin: 0.2rem 0; }

.scroll { overflow-x: auto; margin: 0.8rem 0; -webkit-overflow-scrolling: touch; }
table { border-collapse: collapse; font-size: 0.875rem; line-height: 1.4; font-variant-numeric: tabular-nums; min-width: 100%; }
th, td { padding: 0.36rem 0.8rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: normal; }
td.text { overflow-wrap: anywhere; min-width: 12rem; }
thead th { font-weight: 600; border-bottom: 1.5px solid var(--muted); vertical-align: bottom; }
tbody th { font-weight: 500; white-space: nowrap; }
tbody th.wrap, th .small { white-space: normal; }
th .small { min-width: 10rem; max-width: 18rem; font-weight: 400; }
p.lead { font-size: 1.15rem; }
.facets { display: flex; flex-wrap: wrap; gap: 0.4rem 2.4rem; align-items: flex-start; }
.facet { flex: 0 1 auto; max-width: 100%; }
.facet table { min-width: 15rem; }
caption { text-align: left; font-weight: 650; padding: 0 0 0.3rem 0.8rem; }
.num { text-align: right; white-space: nowrap; }
td.cell { text-align: right; white-space: nowrap; background: var(--tint); border-left: 2px solid var(--paper); }
td.cell b { font-weight: 600; font-size: 0.95rem; }
td.cell small, .small { display: block; font-size: 0.75rem; color: var(--muted); line-height: 1.3; }
.counts { display: flex; flex-wrap: wrap; gap: 0 1.1rem; }
.counts span { white-space: nowrap; }
td.plain { background: none; }
td details { margin: 0.1rem 0 0; }
td details summary { font-size: 0.8rem; }
.theirs { color: var(--muted); font-style: italic; }

figure { margin: 1.4rem 0; }
figcaption { margin-bottom: 0.6rem; max-width: 46rem; }
figcaption b { display: block; font-weight: 650; }
figcaption > span { color: var(--muted); font-size: 0.875rem; display: block; line-height: 1.45; }
figure svg { display: block; max-width: 100%; height: auto; overflow: visible; }
.graphs { display: flex; flex-wrap: wrap; gap: 0.8rem 1.6rem; }
.graphs > div { width: 360px; max-width: 100%; }
.narrow { display: none; }

.strip { display: flex; flex-wrap: wrap; gap: 2px; }
.strip i { width: 0.7rem; height: 0.7rem; border-radius: 2px; background: var(--series-0); }
.strip i.void { background: none; border: 1.5px solid var(--inconclusive); }
.strip i.error, .strip i.aborted { background: var(--fail); }
.strip i.unproven { background: var(--inconclusive); }
.bar { display: block; position: relative; height: 0.7rem; margin-top: 0.25rem; min-width: 7rem; background: var(--faint); border-radius: 3px; border-right: 2px solid var(--ink); }
.bar i { position: absolute; inset: 0 auto 0 0; border-radius: 3px; background: var(--series-0); }
.bar i.over { background: var(--fail); }
details { margin: 0.8rem 0; }
summary { cursor: pointer; color: var(--muted); font-size: 0.9rem; }
summary:hover { color: var(--ink); }
body > footer { margin-top: 4rem; padding-top: 1rem; padding-bottom: 3rem; color: var(--muted); font-size: 0.8rem; border-top: 1px solid var(--line); }

@media (max-width: 640px) {
  main, body > header, body > footer { padding-left: 1rem; padding-right: 1rem; }
  .verdict { padding: 1.1rem 1.1rem 1.2rem; }
  .wide { display: none; }
  .narrow { display: block; }
  th, td { padding: 0.32rem 0.55rem; }
  h2 { margin-top: 2.4rem; }
}
@media print {
  body { font-size: 10pt; background: none; }
  main, body > header, body > footer { max-width: none; padding: 0; }
  nav, .skip { display: none; }
  .verdict { border: 1px solid var(--tone); border-left-width: 6px; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  h2, h3, figcaption, thead { break-after: avoid; }
  figure, tr, .finding, .verdict { break-inside: avoid; }
  .scroll { overflow: visible; }
}
`;
