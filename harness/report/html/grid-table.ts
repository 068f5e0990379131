import { formatNumber } from '../../check/index.ts';
import type { MeasureSpec, PlannedScenario, PointResult } from '../../record/index.ts';
import { axesOf, parameterText } from '../cases.ts';
import { summaryText, trialsText } from '../summary.ts';
import type { TrialDigest } from '../trial-digest.ts';
import type { RecordLinks } from './record-links.ts';
import { html, join, type Markup } from './template.ts';
import { verdictMark } from './verdict-section.ts';

const MATRIX_LIMIT = 600;
const ROWS_LIMIT = 1_500;
const LINKS_LIMIT = 20;

/** Parameter that makes the columns: the plots' series, or the last axis. */
function columnAxis(scenario: PlannedScenario, axes: readonly string[]): string | undefined {
  const series = scenario.plots
    .map((plot) => plot.series)
    .find((name) => name !== undefined && axes.includes(name));
  return series ?? axes.at(-1);
}

interface Layout {
  readonly scenario: PlannedScenario;
  readonly measure: MeasureSpec;
  /** Parameter of the columns and its values; without one the measure is the only column. */
  readonly across: string | undefined;
  readonly columns: readonly string[];
  /** Parameters that name the rows. */
  readonly down: readonly string[];
  readonly links: RecordLinks;
}

/**
 * Points × sides: one measure a cell with its interval, tinted and marked by the point's verdict, published in italics.
 * With more axes than two, a table for each value of the first, side by side where there is room.
 */
export function gridTable(
  scenario: PlannedScenario,
  points: readonly PointResult[],
  measure: MeasureSpec,
  links: RecordLinks,
): Markup {
  const axes = axesOf(points, scenario);
  const across = columnAxis(scenario, axes);
  const rest = axes.filter((axis) => axis !== across);
  const [outer, down] = rest.length > 1 ? [rest[0], rest.slice(1)] : [undefined, rest];
  const shown = points.slice(0, MATRIX_LIMIT);
  const columns =
    across === undefined ? [] : unique(shown.map(({ point }) => parameterText(point, across, scenario)));
  const layout: Layout = { scenario, measure, across, columns, down, links };
  const groups = groupBy(shown, ({ point }) =>
    outer === undefined ? '' : parameterText(point, outer, scenario),
  );
  const tables = [...groups].map(([name, own]) =>
    facetTable(own, outer === undefined ? undefined : `${outer} ${name}`, layout),
  );
  return html`<p class="note">${measure.title}${measure.unit && ` (${measure.unit})`} a trial: mean and 95 % interval. ${trialsEach(points)}${across && ` Columns: ${across}.`} Tinted cells are judged.</p>
<div class="facets">${tables}</div>${points.length > shown.length && html`<p class="note">The first ${shown.length} of ${points.length} points.</p>`}`;
}

function facetTable(points: readonly PointResult[], caption: string | undefined, layout: Layout): Markup {
  const { scenario, measure, across, columns, down } = layout;
  const rows = groupBy(points, ({ point }) => JSON.stringify(down.map((axis) => point[axis])));
  const body = [...rows.values()].map((own) => {
    const first = own[0] as PointResult;
    const names = down.map(
      (axis) => html`<th scope="row">${parameterText(first.point, axis, scenario)}</th>`,
    );
    if (columns.length === 0) return html`<tr>${names}${cell(first, layout)}</tr>`;
    const cells = columns.map((column) => {
      const point = own.find((one) => parameterText(one.point, across as string, scenario) === column);
      return point ? cell(point, layout) : html`<td class="num muted">·</td>`;
    });
    return html`<tr>${names}${cells}</tr>`;
  });
  const heads = columns.length === 0 ? [measure.title] : columns;
  return html`<div class="scroll facet" role="group" tabindex="0" aria-label="${caption === undefined ? measure.title : `${measure.title}, ${caption}`}"><table>${caption && html`<caption>${caption}</caption>`}
<thead><tr>${down.map((axis) => html`<th scope="col">${axis}</th>`)}${heads.map((head) => html`<th class="num" scope="col">${head}</th>`)}</tr></thead><tbody>${join(body)}</tbody></table></div>`;
}

function groupBy(
  points: readonly PointResult[],
  keyOf: (point: PointResult) => string,
): Map<string, PointResult[]> {
  const groups = new Map<string, PointResult[]>();
  for (const point of points) {
    const key = keyOf(point);
    groups.set(key, [...(groups.get(key) ?? []), point]);
  }
  return groups;
}

function cell(point: PointResult, { measure, scenario, links }: Layout): Markup {
  const summary = point.measures[measure.name];
  const middle = summary?.mean ?? summary?.median;
  const interval = summary?.mean === undefined ? summary?.medianInterval : summary?.interval;
  const range =
    interval && interval.low !== interval.high
      ? `${formatNumber(interval.low)} to ${formatNumber(interval.high)}`
      : undefined;
  const published = point.published.filter((value) => value.measure === measure.name);
  const judged = isJudged(point, measure, scenario);
  const turned = point.checks.some((check) => check.expected === 'fail');
  const { counted, completed, planned } = point.trials;
  const trials =
    (counted ?? completed) === planned && point.trials.void === 0 ? undefined : trialsText(point);
  return html`<td class="cell ${judged ? point.verdict : 'plain'}"><b><a href="${links.point(point.pointId)}">${middle === undefined ? '–' : formatNumber(middle)}</a></b>${judged && html` ${verdictMark(point.verdict, '')}`}
${range && html`<small>${range}</small>`}${trials && html`<small>${trials}</small>`}${turned && html`<small>must fail</small>`}
${published.map((value) => html`<small class="theirs">published ${typeof value.value === 'number' ? formatNumber(value.value) : value.value}</small>`)}</td>`;
}

/** A tint is for what is judged: figures that stand at a point for their own sake, guarded only, stay plain. */
function isJudged(point: PointResult, measure: MeasureSpec, scenario: PlannedScenario): boolean {
  if (point.verdict !== 'pass') return true;
  const about = new Set(
    scenario.checks.filter((spec) => spec.parameters['measure'] === measure.name).map((spec) => spec.title),
  );
  return point.checks.some((check) => about.has(check.title));
}

/** Every measure at every point, for those who want the figures themselves. */
export function fullTable(
  scenario: PlannedScenario,
  points: readonly PointResult[],
  trials: readonly TrialDigest[],
  links: RecordLinks,
): Markup {
  const numbers = new Map<string, number[]>();
  for (const { pointId, trial } of trials) numbers.set(pointId, [...(numbers.get(pointId) ?? []), trial]);
  const axes = axesOf(points, scenario);
  const names = unique([
    ...scenario.measures.map((one) => one.name),
    ...points.flatMap((point) => Object.keys(point.measures)),
  ]);
  const title = (name: string): string => scenario.measures.find((one) => one.name === name)?.title ?? name;
  const unit = (name: string): string => scenario.measures.find((one) => one.name === name)?.unit ?? '';
  return html`<details><summary>All measures at all ${points.length} points</summary><div class="scroll" role="group" tabindex="0" aria-label="All measures at all points"><table>
<thead><tr>${axes.map((axis) => html`<th scope="col">${axis}</th>`)}<th scope="col">trials</th>${names.map((name) => html`<th class="num" scope="col">${title(name)}<span class="small">${unit(name)}</span></th>`)}<th scope="col">verdict</th></tr></thead>
<tbody>${points
    .slice(0, ROWS_LIMIT)
    .map(
      (point) =>
        html`<tr id="${links.pointId(point.pointId)}">${axes.map((axis) => html`<td>${parameterText(point.point, axis, scenario)}</td>`)}<td>${trialsText(point)}${trialLinks(point, numbers.get(point.pointId) ?? [], links)}</td>${names.map((name) => html`<td class="num">${summaryText(point.measures[name])}</td>`)}<td>${verdictMark(point.verdict)}</td></tr>`,
    )}</tbody></table></div>${points.length > ROWS_LIMIT && html`<p class="note">${points.length - ROWS_LIMIT} more points are in run.json.</p>`}</details>`;
}

/** `3 trials each.`, when that is what most points have. */
function trialsEach(points: readonly PointResult[]): string {
  const planned = unique(points.map((point) => String(point.trials.planned)));
  return planned.length === 1
    ? `${planned[0]} trial${planned[0] === '1' ? '' : 's'} each, unless it says otherwise.`
    : '';
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** The trials behind a point's figures. */
function trialLinks(
  { pointId }: PointResult,
  numbers: readonly number[],
  links: RecordLinks,
): Markup | undefined {
  if (numbers.length === 0) return undefined;
  const shown = numbers
    .slice(0, LINKS_LIMIT)
    .map(
      (number) =>
        html`<a href="${links.trial(pointId, number)}" aria-label="trial ${number}">#${number}</a> `,
    );
  return html`<span class="small">${shown}${numbers.length > LINKS_LIMIT && '…'}</span>`;
}
