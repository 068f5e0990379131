import { formatNumber } from '../../check/index.ts';
import { matchesPoint, type PlannedScenario, type PointResult } from '../../record/index.ts';
import { constantsOf } from '../cases.ts';
import type { ReportInput } from '../load-report.ts';
import { fullTable, gridTable } from './grid-table.ts';
import { coursePlot } from './plots/course-plot.ts';
import { graphPlot } from './plots/graph-plot.ts';
import { linePlot } from './plots/line-plot.ts';
import { stripPlot } from './plots/strip-plot.ts';
import { survivalPlot } from './plots/survival-plot.ts';
import { timelinePlot } from './plots/timeline-plot.ts';
import { recordLinks } from './record-links.ts';
import { html, type Markup } from './template.ts';
import { verdictMark } from './verdict-section.ts';

/** One scenario: what it does, its plots, its grid with intervals, and what its checks rest on. */
export function scenarioSection(
  input: ReportInput,
  scenario: PlannedScenario,
  id: string,
): Markup | undefined {
  const points = input.run.points.filter(
    (one) => one.suite === scenario.suite && one.scenario === scenario.scenario,
  );
  if (points.length === 0) return undefined;
  const links = recordLinks(input);
  const own = input.trials.filter(
    (one) => one.suite === scenario.suite && one.scenario === scenario.scenario,
  );
  const constants = constantsOf(points, scenario);
  const figures = scenario.plots.map((plot) => {
    const own = points.filter(({ point }) => matchesPoint(point, plot.where));
    if (plot.kind === 'line') return linePlot(plot, scenario, own) ?? stripPlot(plot, scenario, own);
    if (plot.kind === 'survival')
      return survivalPlot(plot, scenario, own, (point) => watchedSeconds(input, point));
    if (plot.kind === 'course') return coursePlot(plot, scenario, input.courses);
    if (plot.kind === 'graph') return graphPlot(plot, scenario, input.graphs);
    return undefined;
  });
  const timelines = input.timelines
    .filter(({ trial }) => trial.suite === scenario.suite && trial.scenario === scenario.scenario)
    .map(timelinePlot);
  const plotted = scenario.plots.find(({ kind }) => kind === 'line' || kind === 'survival')?.y;
  const main = scenario.measures.find((measure) => measure.name === plotted) ?? scenario.measures[0];
  return html`<section id="${id}"><h2>${scenario.scenario} <span class="muted">· ${scenario.suite}</span></h2>
<p>${scenario.description}</p>
${points.flatMap(({ pointId, gate }) => (gate ? [html`<p class="note">Gate, ${pointId}: ${gate.sentence}</p>`] : []))}
${constants && html`<p class="note">Everywhere: ${constants}</p>`}
${figures}
${main && gridTable(scenario, points, main, links)}
${fullTable(scenario, points, own, links)}
${checksTable(points)}
${timelines}
</section>`;
}

/** For a censored value: how long was watched after the last fault, in unwarped seconds. */
function watchedSeconds({ trials }: ReportInput, point: PointResult): number | undefined {
  const watched = trials
    .filter((trial) => trial.pointId === point.pointId && trial.counted)
    .map((trial) => (trial.durationMs / 1_000) * trial.warp);
  return watched.length === 0 ? undefined : Math.max(...watched);
}

function checksTable(points: readonly PointResult[]): Markup {
  const byTitle = new Map<string, PointResult['checks'][number][]>();
  for (const check of points.flatMap((point) => point.checks)) {
    byTitle.set(check.title, [...(byTitle.get(check.title) ?? []), check]);
  }
  const rows = [...byTitle.values()].map((checks) => {
    const first = checks[0] as PointResult['checks'][number];
    const of = (verdict: string): number => checks.filter((check) => check.verdict === verdict).length;
    const turned = checks.filter((check) => check.expected === 'fail').length;
    const excluded = checks.flatMap((check) =>
      check.rawVerdict === 'pass' ? (check.excludesRate ?? []) : [],
    );
    const worst = of('fail') > 0 ? 'fail' : of('inconclusive') > 0 ? 'inconclusive' : 'pass';
    return html`<tr><th scope="row">${first.title}</th><td>${first.kind}</td><td>${verdictMark(worst, `${of('pass')} of ${checks.length}`)}</td>
<td>${turned > 0 && `${turned} must fail`}</td><td class="num">${excluded.length > 0 && `${formatNumber(Math.max(...excluded) * 100)} %`}</td><td class="text muted">${first.reason}</td></tr>`;
  });
  return html`<h3>Checks</h3><div class="scroll" role="group" tabindex="0" aria-label="Checks"><table><thead><tr><th scope="col">check</th><th scope="col">kind</th><th scope="col">holds at</th><th scope="col">turned</th><th scope="col" class="num">a pass excludes a rate above</th><th scope="col">why the bound</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}
