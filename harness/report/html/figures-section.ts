import type { AggregateResult, PlannedScenario, PublishedValue } from '../../record/index.ts';
import type { ReportInput } from '../load-report.ts';
import { aggregateText } from '../summary.ts';
import { html, type Markup } from './template.ts';

/** One figure over many points, beside what the source document says, with its words; and published figures that stand alone. */
export function figuresSection({ run, plan }: ReportInput): Markup | undefined {
  const all = run.aggregates ?? [];
  const aggregates = all.filter((one) => one.trials > 0);
  const unmeasured = all.filter((one) => one.trials === 0);
  const shown = new Set(all.flatMap((one) => one.published.map((value) => value.id)));
  const beside = new Set(run.points.flatMap((point) => point.published.map((value) => value.id)));
  const alone = plan.scenarios
    .flatMap((scenario: PlannedScenario) => scenario.published)
    .filter((value, index, all) => all.findIndex((other) => other.id === value.id) === index)
    .filter((value) => !shown.has(value.id) && !beside.has(value.id));
  if (all.length === 0 && alone.length === 0) return undefined;
  return html`<section id="published"><h2>Beside the published figures</h2>
<p class="muted">A difference is shown as it was found. Nothing here decides the verdict.</p>
${
  aggregates.length > 0 &&
  html`<div class="scroll" role="group" tabindex="0" aria-label="Figures beside published ones"><table><thead><tr><th scope="col">figure</th><th scope="col" class="num">ours</th><th scope="col">from</th><th scope="col">published</th></tr></thead>
<tbody>${aggregates.map(aggregateRow)}</tbody></table></div>`
}
${
  unmeasured.length > 0 &&
  html`<details><summary>${unmeasured.length} figures whose points this run did not have</summary><div class="scroll" role="group" tabindex="0" aria-label="Figures whose points this run did not have"><table><thead><tr><th scope="col">figure</th><th scope="col">published</th></tr></thead><tbody>${unmeasured.map((one) => html`<tr><th scope="row" class="wrap">${one.title}</th><td class="text">${one.published.map((value) => html`<div>${publishedText(value)}</div>`)}</td></tr>`)}</tbody></table></div></details>`
}
${
  alone.length > 0 &&
  html`<details><summary>${alone.length} published figures that this run has nothing beside</summary><div class="scroll" role="group" tabindex="0" aria-label="Published figures with nothing beside them"><table><thead><tr><th scope="col">figure</th><th scope="col">published</th></tr></thead><tbody>${alone.map((value) => html`<tr><th scope="row">${value.label}</th><td class="text">${publishedText(value)}</td></tr>`)}</tbody></table></div></details>`
}
</section>`;
}

function aggregateRow(one: AggregateResult): Markup {
  const value = aggregateText(one);
  return html`<tr><th scope="row" class="wrap">${one.title}</th><td class="num"><b>${value}</b></td><td class="muted">${one.detail}</td>
<td class="text">${one.published.map((published) => html`<div>${publishedText(published)}</div>`)}</td></tr>`;
}

function publishedText(value: PublishedValue): Markup {
  return html`<b>${`${value.value} ${value.unit}`.trim()}</b> <span class="muted">${value.label}: “${value.quote}”</span>`;
}
