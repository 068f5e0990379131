import { formatNumber, pValueText } from '../../check/index.ts';
import type { RunRecord } from '../../record/index.ts';
import type { ComparedPoint, RunComparison } from '../compared-runs.ts';
import { effectText, isClear } from '../compared-text.ts';
import { summaryText } from '../summary.ts';
import { document } from './document.ts';
import { recordLinks } from './record-links.ts';
import { html, type Markup } from './template.ts';
import { verdictMark } from './verdict-section.ts';

const POINTS_LIMIT = 500;

/** Two runs side by side as one HTML file. @param links where the two reports are, seen from this file */
export function renderComparedHtml(
  comparison: RunComparison,
  links: { readonly before: string; readonly after: string },
): string {
  const { before, after, points, onlyBefore, onlyAfter, cautions } = comparison;
  const changed = points.filter((point) => point.changed.length > 0);
  const clear = points.reduce((sum, { measures }) => sum + measures.filter(isClear).length, 0);
  const headline =
    changed.length === 0
      ? `Every check says the same at ${points.length} points.`
      : `Checks say something else at ${changed.length} of ${points.length} points.`;
  const worse = changed.some((point) => point.changed.some((one) => one.after === 'fail'));
  const to = pointLinks(comparison, links);
  const tone = worse ? 'fail' : changed.length > 0 ? 'inconclusive' : 'pass';
  return document({
    title: `${before.run.runId} and ${after.run.runId}`,
    label: 'two runs',
    body: html`<section class="verdict ${tone}"><span class="word">before and after</span>
<h1>${headline}</h1><p class="sub">${clear} measures differ clearly (the 95 % interval of the difference leaves out 0).</p></section>
<dl class="facts">${side('Before', before.run, links.before)}${side('After', after.run, links.after)}</dl>
<section><h2>Read with care</h2><ul>${cautions.map((one) => html`<li>${one}</li>`)}</ul></section>
${changed.length > 0 && html`<section id="changed"><h2>Checks that changed</h2><div class="scroll" role="group" tabindex="0" aria-label="Checks that changed"><table><thead><tr><th scope="col">point</th><th scope="col">check</th><th scope="col">before</th><th scope="col">after</th></tr></thead><tbody>${changed.slice(0, POINTS_LIMIT).map((point) => changedRows(point, to))}</tbody></table></div></section>`}
<section id="measures"><h2>Measures</h2>${points.slice(0, POINTS_LIMIT).map((point) => measureTable(point, to))}
${points.length > POINTS_LIMIT && html`<p class="note">The first ${POINTS_LIMIT} of ${points.length} points.</p>`}</section>
${only('Only before', onlyBefore)}${only('Only after', onlyAfter)}`,
  });
}

function side(name: string, run: RunRecord, link: string): Markup {
  return html`<div><dt>${name}</dt><dd>${verdictMark(run.verdict)} <a href="${link}">${run.runId}</a><span class="small">${run.startedAt.slice(0, 16).replace('T', ' ')} UTC, seed ${run.seed}</span></dd></div>`;
}

/** To a point in either report, which leads on to its trials, logs and events. */
interface PointLinks {
  before(pointId: string): string;
  after(pointId: string): string;
}

function pointLinks(
  { before, after }: RunComparison,
  links: { readonly before: string; readonly after: string },
): PointLinks {
  const [own, other] = [before, after].map(({ run }) => recordLinks({ run, trials: [] }));
  return {
    before: (pointId) => `${links.before}${own?.point(pointId) ?? ''}`,
    after: (pointId) => `${links.after}${other?.point(pointId) ?? ''}`,
  };
}

function changedRows({ pointId, changed, before, after }: ComparedPoint, to: PointLinks): Markup[] {
  return changed.map((one) => {
    const of = (checks: typeof before.checks): string =>
      checks.find(({ title }) => title === one.title)?.sentence ?? '';
    return html`<tr><th scope="row" class="wrap">${pointId}</th><td class="text">${one.title}</td><td class="text"><a href="${to.before(pointId)}">${word(one.before)}</a><span class="small">${of(before.checks)}</span></td><td class="text"><a href="${to.after(pointId)}">${word(one.after)}</a><span class="small">${of(after.checks)}</span></td></tr>`;
  });
}

function word(verdict: string): Markup | string {
  return verdict === 'pass' || verdict === 'fail' || verdict === 'inconclusive'
    ? verdictMark(verdict)
    : verdict;
}

function measureTable(point: ComparedPoint, to: PointLinks): Markup | undefined {
  if (point.measures.length === 0) return undefined;
  return html`<h3>${point.pointId} <span class="muted">· ${point.suite}/${point.scenario}</span></h3>
<div class="scroll" role="group" tabindex="0" aria-label="Measures of both runs"><table><thead><tr><th scope="col">measure</th><th scope="col" class="num">before</th><th scope="col" class="num">after</th><th scope="col" class="num">difference</th><th scope="col" class="num">p</th></tr></thead><tbody>${point.measures.map(
    (row) =>
      html`<tr><th scope="row" class="wrap">${row.title}${row.unit && html`<span class="small">${row.unit}</span>`}</th><td class="num"><a href="${to.before(point.pointId)}">${summaryText(row.before)}</a></td><td class="num"><a href="${to.after(point.pointId)}">${summaryText(row.after)}</a></td><td class="num">${isClear(row) ? html`<b>${effectText(row)}</b> clear` : effectText(row)}</td><td class="num">${row.pValue === undefined ? '–' : pValueText(row.pValue)}</td></tr>`,
  )}</tbody></table></div>`;
}

function only(title: string, keys: readonly string[]): Markup | undefined {
  if (keys.length === 0) return undefined;
  return html`<section><h2>${title}</h2><p class="note">${formatNumber(keys.length)} points.</p><ul>${keys.slice(0, POINTS_LIMIT).map((key) => html`<li>${key}</li>`)}</ul></section>`;
}
