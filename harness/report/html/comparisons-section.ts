import { formatNumber, formatQuantity, pValueText, titleOf } from '../../check/index.ts';
import type { ComparedMetric, ComparisonResult, MeasureSpec, PlanRecord } from '../../record/index.ts';
import type { ReportInput } from '../load-report.ts';
import { html, type Markup } from './template.ts';
import { verdictMark } from './verdict-section.ts';

/** Two sides, measured in turns on the same host with the same seeds. */
export function comparisonsSection({ run, plan }: ReportInput): Markup | undefined {
  const comparisons = run.comparisons ?? [];
  if (comparisons.length === 0) return undefined;
  return html`<section id="comparisons"><h2>Side by side</h2>${comparisons.map((one) => comparison(one, plan))}</section>`;
}

function comparison(one: ComparisonResult, plan: PlanRecord): Markup {
  const measures = plan.scenarios.find(
    ({ suite, scenario }) => suite === one.suite && scenario === one.scenario,
  )?.measures;
  return html`<h3>${verdictMark(one.verdict, one.outcome)} ${one.title}</h3>
<p class="lead">${one.sentence}</p>
<div class="scroll" role="group" tabindex="0" aria-label="${one.baseline} and ${one.candidate}"><table><thead><tr><th scope="col">measure</th><th scope="col">outcome</th><th scope="col" class="num">${one.baseline}</th><th scope="col" class="num">${one.candidate}</th><th scope="col" class="num">effect</th><th scope="col" class="num">interval</th><th scope="col" class="num">margin</th><th scope="col" class="num">p</th></tr></thead>
<tbody>${one.metrics.map((metric) => row(metric, measures ?? []))}</tbody></table></div>
<p class="note">Void trials: ${one.voids.baseline} and ${one.voids.candidate}${one.voids.unequal && ': too unequal to compare'}. * decides, with losses; the others are adjusted for their number after Holm.</p>`;
}

function row(metric: ComparedMetric, measures: readonly MeasureSpec[]): Markup {
  const value = (number: number | undefined, open = 0): string =>
    number === undefined ? '–' : `${open > 0 ? '≥ ' : ''}${formatQuantity(number, metric.unit)}`;
  const p = metric.adjustedPValue ?? metric.pValue;
  return html`<tr><th scope="row">${titleOf(measures, metric.measure)}${metric.role !== 'secondary' && ' *'}</th><td>${metric.outcome}</td><td class="num">${value(metric.baselineEstimate, metric.baselineOpen)}<span class="small">${metric.baselineTrials} trials</span></td><td class="num">${value(metric.candidateEstimate, metric.candidateOpen)}<span class="small">${metric.candidateTrials} trials</span></td>
<td class="num"><b>${value(metric.effect)}</b></td><td class="num">${metric.interval ? `${formatNumber(metric.interval.low)} to ${formatNumber(metric.interval.high)}` : '–'}</td><td class="num">${formatQuantity(metric.margin, metric.unit)}</td><td class="num">${p === undefined ? '–' : pValueText(p)}</td></tr>`;
}
