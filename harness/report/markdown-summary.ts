import { countOf, formatNumber } from '../check/index.ts';
import type { PlannedScenario, PointResult, RunRecord } from '../record/index.ts';
import { formatBytes } from '../units/index.ts';
import { axesOf, constantsOf, parameterText } from './cases.ts';
import type { ReportInput } from './load-report.ts';
import { markdownCode, markdownTable, markdownText } from './markdown-text.ts';
import {
  aggregateText,
  publishedText,
  summaryText,
  trialsText,
  VERDICT_WORD,
  verdictText,
} from './summary.ts';

/** Where a point has more trials than this, its single values are in the record only. */
const SINGLE_VALUES_LIMIT = 12;

/**
 * A run as a file to keep beside a suite: when and on what it was measured, every point with the value of each trial and
 * its interval, what a document says beside it, the verdict, and the command that repeats it.
 */
export function renderMarkdownSummary({ run, plan }: Pick<ReportInput, 'run' | 'plan'>): string {
  const parts = [
    `# ${[...new Set(plan.scenarios.map(({ suite }) => suite))].map(markdownText).join(', ')}: run ${markdownText(run.runId)}`,
    facts(run),
    ...plan.scenarios.flatMap((scenario) => scenarioPart(scenario, run)),
    ...figures(run),
    ...(run.comparisons ?? []).map(({ sentence }) => markdownText(sentence)),
  ];
  return `${parts.join('\n\n')}\n`;
}

function facts(run: RunRecord): string {
  const { cpus, cpuModel, memoryBytes, kernel, engine, node } = run.host;
  const { pass, fail, inconclusive, voidTrials } = run.counts;
  const counted = run.points.reduce((sum, { trials }) => sum + (trials.counted ?? trials.completed), 0);
  const planned = run.points.reduce((sum, { trials }) => sum + trials.planned, 0);
  return markdownTable(
    ['', ''],
    [
      [
        'verdict',
        `**${VERDICT_WORD[run.verdict]}**: ${countOf(pass, 'check')} pass, ${fail} fail, ${inconclusive} inconclusive`,
      ],
      [
        'trials that count',
        `${counted} of ${planned} planned${voidTrials > 0 ? `, ${voidTrials} void` : ''}`,
      ],
      ['from, to', `${run.startedAt}, ${run.endedAt}${run.partial ? ' (the plan was not reached)' : ''}`],
      [
        'machine',
        markdownText(
          `${cpus} × ${cpuModel}, ${formatBytes(memoryBytes)}, kernel ${kernel}, engine ${engine}, Node ${node}`,
        ),
      ],
      ['Squall', markdownText(run.squallVersion)],
      ['seed', markdownText(run.seed)],
      ['repeat', markdownCode(run.repeat)],
    ],
  );
}

function scenarioPart(scenario: PlannedScenario, run: RunRecord): string[] {
  const points = run.points.filter(
    (one) => one.suite === scenario.suite && one.scenario === scenario.scenario,
  );
  if (points.length === 0) return [];
  const axes = axesOf(points, scenario);
  const measures = scenario.measures.filter(({ name }) => points.some((point) => point.measures[name]));
  const published = points.some((point) => publishedText(point) !== '');
  const header = [
    ...axes,
    'trials',
    ...measures.map(({ title }) => title),
    'verdict',
    ...(published ? ['published'] : []),
  ];
  const rows = points.map((point) => [
    ...axes.map((axis) => parameterText(point.point, axis, scenario)),
    trialsText(point),
    ...measures.map(({ name }) => valuesText(point, name)),
    verdictText(point),
    ...(published ? [publishedText(point)] : []),
  ]);
  const constants = constantsOf(points, scenario);
  return [
    `## ${markdownText(scenario.scenario)}`,
    markdownText([scenario.description, ...(constants ? [`(${constants})`] : [])].join(' ')),
    markdownTable(
      header.map(markdownText),
      rows.map((cells) => cells.map(markdownText)),
    ),
  ];
}

/** `42 [30, 54]: 40, 41, 45`: the mean with its interval, then each trial's value where they differ. */
function valuesText(point: PointResult, name: string): string {
  const summary = point.measures[name];
  const values = summary?.values ?? [];
  const differ = new Set(values).size > 1;
  if (!differ || values.length > SINGLE_VALUES_LIMIT) return summaryText(summary);
  return `${summaryText(summary)}: ${values.map((value) => (value === null ? 'not seen' : formatNumber(value))).join(', ')}`;
}

function figures(run: RunRecord): string[] {
  const measured = (run.aggregates ?? []).filter(({ trials }) => trials > 0);
  if (measured.length === 0) return [];
  const rows = measured.map((figure) => [
    figure.title,
    aggregateText(figure),
    figure.published.map((one) => `${one.value} ${one.unit}`.trim()).join('; ') || '–',
    figure.detail,
  ]);
  return [
    '## Over many points',
    markdownTable(
      ['', 'ours', 'published', 'from'],
      rows.map((cells) => cells.map(markdownText)),
    ),
  ];
}
