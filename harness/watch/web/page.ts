import { readFileSync } from 'node:fs';
import { REPORT_STYLES } from '../../report/index.ts';

const STYLES = `
.going { --tone: var(--series-0); --tint: var(--faint); }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2.4rem; }
#topology { width: 100%; height: auto; display: block; }
#topology text, #timeline text { font-size: 12px; fill: var(--muted); }
#topology text.hit, #timeline text.hit { fill: var(--ink); font-weight: 700; }
#topology text.role { font-size: 15px; fill: var(--ink); }
.node { cursor: pointer; }
.node:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
#timeline { width: 100%; height: auto; display: block; }
.scrubber { display: flex; gap: 1rem; align-items: center; }
.scrubber input { flex: 1; min-width: 0; margin: 0.3rem 0; accent-color: var(--series-0); }
button { font: inherit; font-size: 0.85rem; color: inherit; background: var(--panel); border: 1px solid var(--line); border-radius: 5px; padding: 0.15rem 0.6rem; cursor: pointer; text-align: left; overflow-wrap: anywhere; }
button[aria-pressed="true"] { border-color: var(--ink); font-weight: 650; }
button:disabled { opacity: 0.5; cursor: default; }
#faults { list-style: none; padding: 0; margin: 0.6rem 0; font-size: 0.9rem; }
#news { font-size: 0.8rem; list-style: none; padding: 0; color: var(--muted); }
.short { max-height: 22rem; overflow: auto; }
progress { width: 100%; max-width: 30rem; accent-color: var(--tone); }
#connection:empty { display: none; }
#log { max-height: 22rem; overflow: auto; font-size: 0.78rem; }
@media (max-width: 800px) { .columns { display: block; } }
`;

/** The page for one answer: its program and its style stand in it, allowed by a word that is used once. */
export function watchPage(nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>squall watch</title>
<style nonce="${nonce}">${REPORT_STYLES}${STYLES}</style>
</head>
<body>
<header><span class="wordmark">Squall</span><span class="run" id="run"></span></header>
<main>
<p id="connection" role="status" class="note"></p>
<section class="verdict going" id="verdict" aria-label="The run"><h1>Waiting for the run</h1></section>
<section aria-labelledby="trial-name">
<h2 id="trial-name">No trial yet</h2>
<p><b id="phase"></b> <span class="muted" id="when"></span></p>
<svg id="timeline" role="img" aria-label="Phases, faults and events of the trial over time" viewBox="0 0 1000 80"></svg>
<div class="scrubber"><input id="scrub" type="range" min="0" max="1" value="1" step="1" aria-label="Instant of the trial"><button type="button" id="live">newest</button></div>
<div class="columns">
<div><svg id="topology" role="group" viewBox="-75 0 770 620"></svg></div>
<div>
<h3>Faults in force</h3>
<ul id="faults"></ul>
<h3>Events of <span id="events-of">all nodes</span></h3>
<p class="note">Up to the instant above, newest first. A node can be chosen in the picture.</p>
<div class="scroll short" tabindex="0" role="region" aria-label="Events"><table><thead><tr><th scope="col" class="num">s</th><th scope="col">node</th><th scope="col">event</th><th scope="col">with</th></tr></thead><tbody id="events"></tbody></table></div>
<div id="log-box" hidden><h3>The end of its log</h3><pre id="log" tabindex="0"></pre></div>
</div>
</div>
</section>
<section class="columns">
<div>
<h2>Checks so far</h2>
<div id="checks"></div>
<h2>Trials</h2>
<div class="scroll short" tabindex="0" role="region" aria-label="Trials"><table><thead><tr><th scope="col">trial</th><th scope="col">outcome</th><th scope="col" class="num">took</th></tr></thead><tbody id="trials"></tbody></table></div>
<h2>Points</h2>
<div class="scroll short" tabindex="0" role="region" aria-label="Points"><table><thead><tr><th scope="col">point</th><th scope="col" class="num">trials</th><th scope="col">verdict</th><th scope="col">stopped because</th></tr></thead><tbody id="points"></tbody></table></div>
</div>
<div>
<h2>Events by name</h2>
<div class="scroll short" tabindex="0" role="region" aria-label="Events by name"><table><tbody id="counts"></tbody></table></div>
<div id="measures-box" hidden><h2>Measures</h2><div class="scroll short" tabindex="0" role="region" aria-label="Measures"><table><tbody id="measures"></tbody></table></div></div>
<h2>News</h2>
<ol id="news" class="short"></ol>
</div>
</section>
</main>
<footer>Read from the record as it grows. What nodes tell is shown a second after it happened.</footer>
<script nonce="${nonce}">${PROGRAM}</script>
</body>
</html>
`;
}

/** The modules of `page/` as one script, each after those that it imports: a page of one file has nothing to import from. */
const MODULES = ['elements', 'fault-look', 'run', 'timeline', 'topology', 'main'];
const PROGRAM = MODULES.map((name) => {
  const text = readFileSync(new URL(`./page/${name}.js`, import.meta.url), 'utf8');
  return text.replace(/^import [^;]*;$/gm, '').replace(/^export /gm, '');
}).join('');
