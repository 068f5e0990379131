import { countOf, formatNumber, formatQuantity } from '../check/index.ts';
import type {
  AggregateResult,
  MeasureSummary,
  PlannedScenario,
  PointResult,
  RunRecord,
} from '../record/index.ts';
import { axesOf, constantsOf, parameterText, pointText, scenarioOf } from './cases.ts';
import type { ReportInput } from './load-report.ts';
import { plainText } from './plain-text.ts';
import { textTable } from './text-table.ts';

/** More columns of measures than this do not fit a console; the HTML report has them all. */
const MEASURES_LIMIT = 4;
const PROBLEMS_LIMIT = 12;

export const VERDICT_WORD = { pass: 'PASS', fail: 'FAIL', inconclusive: 'INCONCLUSIVE' } as const;

/** The run on a console: a table a scenario (points with intervals, published beside ours), then the verdict, last. */
export function renderSummary({ run, plan }: Pick<ReportInput, 'run' | 'plan'>): string {
  const parts: string[] = [];
  for (const scenario of plan.scenarios) {
    const points = run.points.filter(
      (one) => one.suite === scenario.suite && one.scenario === scenario.scenario,
    );
    if (points.length > 0) parts.push(scenarioTable(scenario, points));
  }
  const aggregates = (run.aggregates ?? []).filter((one) => one.trials > 0);
  if (aggregates.length > 0) parts.push(aggregateTable(aggregates));
  for (const comparison of run.comparisons ?? []) parts.push(plainText(comparison.sentence));
  const problems = problemLines(run, plan);
  if (problems.length > 0) parts.push(problems.join('\n'));
  if (run.errors.length > 0)
    parts.push(run.errors.map((error) => `broken: ${plainText(error, 500)}`).join('\n'));
  parts.push(verdictLines(run).join('\n'));
  return `${parts.join('\n\n')}\n`;
}

function scenarioTable(scenario: PlannedScenario, points: readonly PointResult[]): string {
  const axes = axesOf(points, scenario);
  const measures = scenario.measures.slice(0, MEASURES_LIMIT);
  const published = points.some((point) => publishedText(point) !== '');
  const header = [
    ...axes,
    'trials',
    ...measures.map((measure) => measure.title),
    'verdict',
    ...(published ? ['published'] : []),
  ].map((text) => plainText(text));
  const rows = points.map((point) =>
    [
      ...axes.map((axis) => parameterText(point.point, axis, scenario)),
      trialsText(point),
      ...measures.map((measure) => summaryText(point.measures[measure.name])),
      verdictText(point),
      ...(published ? [publishedText(point)] : []),
    ].map((text) => plainText(text, 60)),
  );
  const constants = constantsOf(points, scenario);
  const title = `${scenario.suite}/${scenario.scenario}${constants ? `  (${constants})` : ''}`;
  return `${plainText(title)}\n${textTable(header, rows)}`;
}

/** `12.4 [9.8, 15.1]`: the mean with its interval, or the median where the mean is not known. */
export function summaryText(summary: MeasureSummary | undefined): string {
  if (!summary || summary.values.length === 0) return '–';
  const [value, interval] =
    summary.mean === undefined ? [summary.median, summary.medianInterval] : [summary.mean, summary.interval];
  if (value === undefined) return summary.values.every((one) => one === null) ? 'not seen' : '–';
  const censored = summary.values.filter((one) => one === null).length;
  const note = censored > 0 ? ` (${censored} not seen)` : '';
  if (!interval || interval.low === interval.high) return `${formatNumber(value)}${note}`;
  return `${formatNumber(value)} [${formatNumber(interval.low)}, ${formatNumber(interval.high)}]${note}`;
}

export function trialsText({ trials }: PointResult): string {
  const counted = trials.counted ?? trials.completed;
  const others = [
    ...(trials.void > 0 ? [`${trials.void} void`] : []),
    ...(trials.error > 0 ? [`${trials.error} broken`] : []),
    ...(trials.aborted > 0 ? [`${trials.aborted} aborted`] : []),
  ];
  const planned = counted === trials.planned ? '' : ` of ${trials.planned}`;
  const early = trials.stoppedEarly ? ', clear early' : '';
  return `${counted}${planned}${early}${others.length > 0 ? `, and ${others.join(', ')}` : ''}`;
}

export function verdictText(point: PointResult): string {
  const turned = point.checks.some((check) => check.expected === 'fail' && check.verdict === 'pass');
  return turned && point.verdict === 'pass' ? 'pass (failed as it must)' : point.verdict;
}

/** What a document says of this point. */
export function publishedText(point: PointResult): string {
  return point.published
    .map((value) =>
      typeof value.value === 'number'
        ? formatQuantity(value.value, value.unit)
        : `${value.value} ${value.unit}`.trim(),
    )
    .join('; ');
}

function aggregateTable(aggregates: NonNullable<RunRecord['aggregates']>): string {
  const rows = aggregates.map((one) => [
    plainText(one.title, 80),
    aggregateText(one),
    one.published.map((value) => `${value.value} ${value.unit}`.trim()).join('; ') || '–',
    plainText(one.detail, 60),
  ]);
  return textTable(['over many points', 'ours', 'published', 'from'], rows);
}

/** The value of an aggregate for people, or why there is none; how much there was stands in its detail. */
export function aggregateText({
  value,
  unit,
  short,
}: Pick<AggregateResult, 'value' | 'unit' | 'short'>): string {
  // Times in ms are shown in seconds beside a document that speaks in seconds.
  if (value !== null) return unit === 'ms' ? formatQuantity(value / 1_000, 's') : formatQuantity(value, unit);
  return short ? '–' : 'none seen';
}

function problemLines(run: RunRecord, plan: ReportInput['plan']): string[] {
  const problems = run.points.flatMap((point) => {
    const scenario = scenarioOf(plan, point);
    const siblings = run.points.filter((one) => one.scenario === point.scenario && one.suite === point.suite);
    const place = pointText(point.point, axesOf(siblings, scenario), scenario);
    const open = point.checks.filter((check) => check.verdict !== 'pass');
    // One line for a point of which nothing counts: each of its checks would say the same.
    if ((point.trials.counted ?? point.trials.completed) === 0) {
      return [
        {
          verdict: point.verdict,
          text: `${point.scenario} [${place}]: ${open[0]?.sentence ?? 'Nothing is judged here.'}`,
        },
      ];
    }
    return open.map((check) => ({
      verdict: check.verdict,
      text: `${check.title} [${place}]: ${check.sentence}`,
    }));
  });
  const ordered = [
    ...problems.filter((one) => one.verdict === 'fail'),
    ...problems.filter((one) => one.verdict !== 'fail'),
  ];
  const lines = ordered
    .slice(0, PROBLEMS_LIMIT)
    .map((one) => `${one.verdict === 'fail' ? '✗' : '?'} ${plainText(one.text, 400)}`);
  if (ordered.length > PROBLEMS_LIMIT)
    lines.push(`  … and ${ordered.length - PROBLEMS_LIMIT} more in the report`);
  return lines;
}

function verdictLines(run: RunRecord): string[] {
  const { pass, fail, inconclusive, voidTrials } = run.counts;
  const voids = voidTrials > 0 ? `, ${countOf(voidTrials, 'void trial')}` : '';
  return [
    `${VERDICT_WORD[run.verdict]}  ${countOf(pass, 'check')} pass, ${fail} fail, ${inconclusive} inconclusive${voids}${run.partial ? '  (partial: the plan was not reached)' : ''}`,
    `repeat: ${plainText(run.repeat)}`,
  ];
}
