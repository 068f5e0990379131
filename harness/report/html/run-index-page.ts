import { formatDurationMs } from '../../units/index.ts';
import type { IndexedRun, RunIndex } from '../run-index.ts';
import { document } from './document.ts';
import { html, type Markup } from './template.ts';
import { verdictMark } from './verdict-section.ts';

const ROWS_LIMIT = 2_000;
const COMMAND_LIMIT = 160;

/** All runs as one HTML file that lies beside their folders. */
export function renderRunIndex({ runs, problems }: RunIndex): string {
  const of = (verdict: string): number => runs.filter((run) => run.verdict === verdict).length;
  const suites = [...new Set(runs.flatMap((run) => run.suites))].sort();
  return document({
    title: `${runs.length} runs`,
    label: 'all runs',
    body: html`<h1>${runs.length} run${runs.length === 1 ? '' : 's'}</h1>
<p>${verdictMark('pass', `${of('pass')} pass`)} ${verdictMark('fail', `${of('fail')} fail`)} ${verdictMark('inconclusive', `${of('inconclusive')} inconclusive`)}${runs.length > of('pass') + of('fail') + of('inconclusive') && ', others not judged'}</p>
${suites.length > 1 && html`<h2>By scenario</h2><div class="scroll" role="group" tabindex="0" aria-label="Runs by scenario"><table><thead><tr><th scope="col">scenario</th><th scope="col" class="num">runs</th><th scope="col">newest first</th></tr></thead><tbody>${suites.map((suite) => suiteRow(suite, runs))}</tbody></table></div>`}
<h2>Newest first</h2>
<div class="scroll" role="group" tabindex="0" aria-label="All runs"><table><thead><tr><th scope="col">run</th><th scope="col">verdict</th><th scope="col">what</th><th scope="col" class="num">checks</th><th scope="col" class="num">trials</th><th scope="col" class="num">took</th><th scope="col">seed</th></tr></thead><tbody>${runs.slice(0, ROWS_LIMIT).map(row)}</tbody></table></div>
${runs.length > ROWS_LIMIT && html`<p class="note">The newest ${ROWS_LIMIT}.</p>`}
${problems.length > 0 && html`<h2>Not readable</h2><ul>${problems.slice(0, 100).map((problem) => html`<li>${problem}</li>`)}</ul>`}`,
    footer:
      'Two of them side by side: npx squall report RUN --against OTHER. Drawn again by npx squall report --index.',
  });
}

function nameOf(run: IndexedRun): Markup | string {
  return run.hasPage
    ? html`<a href="${encodeURIComponent(run.runId)}/index.html">${run.runId}</a>`
    : run.runId;
}

function row(run: IndexedRun): Markup {
  const { counts } = run;
  const command =
    run.command.length > COMMAND_LIMIT ? `${run.command.slice(0, COMMAND_LIMIT)}…` : run.command;
  return html`<tr id="${run.runId}"><th scope="row">${nameOf(run)}<span class="small">${run.startedAt.slice(0, 16).replace('T', ' ')} UTC</span></th><td>${run.verdict ? verdictMark(run.verdict) : 'not judged'}${run.partial && html`<span class="small">not to its end</span>`}</td>
<td class="text">${run.suites.slice(0, 6).join(', ')}${run.suites.length > 6 && ` and ${run.suites.length - 6} more`}<span class="small mono">${command}</span></td>
<td class="num">${counts ? `${counts.pass} ✓ ${counts.fail} ✕ ${counts.inconclusive} ?` : '–'}</td><td class="num">${run.trials} of ${run.planned}${counts && counts.voidTrials > 0 && html`<span class="small">${counts.voidTrials} void</span>`}</td><td class="num">${run.tookMs === undefined ? '–' : formatDurationMs(Math.max(0, run.tookMs))}</td><td class="mono">${run.seed}</td></tr>`;
}

function suiteRow(suite: string, runs: readonly IndexedRun[]): Markup {
  const own = runs.filter((run) => run.suites.includes(suite));
  const marks = own
    .slice(0, 20)
    .map(
      (run) =>
        html`<a href="#${run.runId}" aria-label="${`${run.runId}: ${run.verdict ?? 'not judged'}`}">${run.verdict ? verdictMark(run.verdict, '') : '·'}</a> `,
    );
  return html`<tr><th scope="row" class="wrap">${suite}</th><td class="num">${own.length}</td><td>${marks}</td></tr>`;
}
