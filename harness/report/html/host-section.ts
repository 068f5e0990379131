import { formatNumber, formatQuantity } from '../../check/index.ts';
import type { HostMeasure } from '../../record/index.ts';
import { median } from '../../stats/index.ts';
import type { ReportInput } from '../load-report.ts';
import { html, type Markup } from './template.ts';

interface Row {
  readonly measure: HostMeasure;
  readonly values: readonly number[];
  readonly worst: number;
  readonly worstIn: string;
  readonly exceeded: number;
}

/** The host is a suspect: each measure against the threshold that was fixed before any outcome was read. */
export function hostSection({ trials }: ReportInput): Markup | undefined {
  if (trials.length === 0) return undefined;
  const rows = rowsOf(trials);
  const of = (verdict: string): number => trials.filter((trial) => trial.host.verdict === verdict).length;
  const unwatched = of('unknown');
  return html`<section id="host"><h2>How the host behaved</h2>
<p>Quiet in ${of('quiet')} of ${trials.length} trials${of('spoiled') > 0 && `; it spoiled ${of('spoiled')}, which do not count`}${unwatched > 0 && `; ${unwatched} were not watched`}.</p>
${
  rows.length > 0 &&
  html`<div class="scroll" role="group" tabindex="0" aria-label="Measures of the host"><table><thead><tr><th scope="col">measure</th><th scope="col" class="num">median</th><th scope="col" class="num">worst</th><th scope="col" class="num">threshold</th><th scope="col">worst against threshold</th><th scope="col">in</th></tr></thead><tbody>${rows.map(render)}</tbody></table></div>`
}</section>`;
}

function rowsOf(trials: ReportInput['trials']): Row[] {
  const rows = new Map<string, Row>();
  for (const trial of trials) {
    for (const measure of trial.host.measures) {
      const value = Number.isFinite(measure.value) ? measure.value : 0;
      const known = rows.get(measure.name);
      const worse = known === undefined || value > known.worst;
      rows.set(measure.name, {
        measure,
        values: [...(known?.values ?? []), value],
        worst: worse ? value : known.worst,
        worstIn: worse ? `${trial.pointId} #${trial.trial}` : known.worstIn,
        exceeded: (known?.exceeded ?? 0) + (measure.exceeded ? 1 : 0),
      });
    }
  }
  return [...rows.values()];
}

function render({ measure, values, worst, worstIn, exceeded }: Row): Markup {
  const share =
    measure.threshold === undefined || measure.threshold <= 0 ? undefined : worst / measure.threshold;
  const width = share === undefined ? 0 : Math.min(100, share * 100);
  return html`<tr><th scope="row">${measure.name}</th><td class="num">${formatQuantity(median(values), measure.unit)}</td><td class="num">${formatQuantity(worst, measure.unit)}</td><td class="num">${measure.threshold === undefined ? '–' : formatQuantity(measure.threshold, measure.unit)}</td>
<td>${share === undefined ? '' : html`<span class="bar" title="${formatNumber(share * 100)} %"><i class="${exceeded > 0 ? 'over' : ''}" style="width:${width.toFixed(1)}%"></i></span>`}</td><td class="text muted">${worstIn}</td></tr>`;
}
