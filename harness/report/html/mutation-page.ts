import { formatNumber } from '../../check/index.ts';
import { fateText, type MutantFate, type MutantResult, type MutationReport } from '../../mutation/index.ts';
import type { RunRecord } from '../../record/index.ts';
import { POLICY } from './policy.ts';
import { recordLinks } from './record-links.ts';
import { STYLES } from './styles.ts';
import { html, join, Markup } from './template.ts';

/** Symbol and word: colour alone tells nothing. */
const SYMBOLS: Readonly<Record<MutantFate, string>> = {
  killed: '✓',
  'timed-out': '⏱',
  survived: '✕',
  'not-covered': '∅',
  'too-rare': '~',
  error: '?',
};
const TONES: Readonly<Record<MutantFate, RunRecord['verdict']>> = {
  killed: 'pass',
  'timed-out': 'pass',
  survived: 'fail',
  'not-covered': 'fail',
  'too-rare': 'inconclusive',
  error: 'inconclusive',
};

/** Mutants against scenarios as one HTML file: the designated scenario's cell is framed by a word, the others decide nothing. */
export function renderMutationHtml(report: MutationReport, run: RunRecord): string {
  const all = [...report.mutants, ...(report.others ?? [])];
  const covered = all.filter((one) => one.fate !== 'not-covered');
  const scenarios = [...new Set(covered.map((one) => `${one.suite}/${one.scenario}`))].sort();
  const tone = report.exitCode === 0 ? 'pass' : report.exitCode === 1 ? 'fail' : 'inconclusive';
  const score = report.score === null ? '–' : `${formatNumber(Math.floor(report.score * 1_000) / 10)} %`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Mutants: ${score} · Squall</title>
<style>${new Markup(STYLES)}</style>
</head>
<body>
<header><span class="wordmark">Squall</span><span class="run">mutants · run ${run.runId}</span></header>
<main>
<section class="verdict ${tone}"><span class="word">score ${score}</span>
<h1>${report.sentence}</h1>
<p class="sub">Detected (killed or timed out) of all that were clear. ${report.threshold === undefined ? 'Every survivor fails.' : `Wanted: ${formatNumber(report.threshold * 100)} %.`}</p></section>
<section><h2>Mutants against scenarios</h2>
<div class="scroll" role="group" tabindex="0" aria-label="Mutants against scenarios"><table><thead><tr><th scope="col">mutant</th><th scope="col">fix</th>${scenarios.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${report.mutants.map((one) => row(one, all, scenarios, run))}</tbody></table></div></section>
<section><h2>What each says</h2><ul>${join(report.mutants.map((one) => html`<li>${mark(one.fate)} ${one.sentence}</li>`))}</ul></section>
</main>
<footer>Squall ${run.squallVersion} · run ${run.runId} · the run itself is in index.html beside this file.</footer>
</body>
</html>
`.text;
}

function row(
  mutant: MutantResult,
  all: readonly MutantResult[],
  scenarios: readonly string[],
  run: RunRecord,
): Markup {
  const cells = scenarios.map((name) => {
    const own = all.find((one) => one.mutant === mutant.mutant && `${one.suite}/${one.scenario}` === name);
    if (!own) return html`<td class="plain muted">not run</td>`;
    const role = own === mutant ? 'designated' : 'decides nothing';
    return html`<td class="cell ${TONES[own.fate]}"><a href="${pointOf(own, run)}">${mark(own.fate)}</a><small>${role}; ${own.trials} trials, power ${formatNumber(own.power * 100)} %</small></td>`;
  });
  const alone = mutant.fate === 'not-covered' ? html` ${mark(mutant.fate)}` : '';
  return html`<tr><th scope="row">${mutant.mutant}${alone}<span class="small">${mutant.rule}</span></th><td>${mutant.fix}</td>${cells}</tr>`;
}

/** To the trials behind a cell: a mutant's are played as a scenario of its own. */
function pointOf({ suite, scenario, mutant }: MutantResult, run: RunRecord): string {
  const point = run.points.find((one) => one.suite === suite && one.scenario === `${scenario}-${mutant}`);
  return `index.html${point ? recordLinks({ run, trials: [] }).point(point.pointId) : ''}`;
}

function mark(fate: MutantFate): Markup {
  return html`<span class="mark ${TONES[fate]}">${SYMBOLS[fate]} ${fateText(fate)}</span>`;
}
