import { releaseSentence } from '../../compare/index.ts';
import type { RunRecord } from '../../record/index.ts';
import { formatBytes, formatDurationMs } from '../../units/index.ts';
import type { ReportInput } from '../load-report.ts';
import { speedText } from '../speed-text.ts';
import { html, type Markup } from './template.ts';

const SYMBOLS = { pass: '✓', fail: '✕', inconclusive: '?' } as const;
const WORDS = { pass: 'Pass', fail: 'Fail', inconclusive: 'Inconclusive' } as const;

/** A verdict as symbol and word: colour alone tells nothing. */
export function verdictMark(verdict: RunRecord['verdict'], word: string = verdict): Markup {
  return html`<span class="mark ${verdict}">${SYMBOLS[verdict]} ${word}</span>`;
}

/** The verdict first, as a sentence, and what stands behind it. */
export function verdictSection({ run, plan, trials }: ReportInput): Markup {
  return html`<section class="verdict ${run.verdict}" id="verdict">
<span class="word">${SYMBOLS[run.verdict]} ${WORDS[run.verdict]}</span>
<h1>${isRehearsal(plan) ? releaseSentence(run, plan.scenarios) : headline(run)}</h1>
<p class="sub">${subline(run)}</p>
</section>
<dl class="facts">
${fact('Trials that count', `${trials.filter((trial) => trial.counted).length} of ${run.points.reduce((sum, point) => sum + point.trials.planned, 0)} planned`)}
${fact('Void trials', String(run.counts.voidTrials))}
${fact('Wall time', formatDurationMs(Date.parse(run.endedAt) - Date.parse(run.startedAt)))}
${fact('Started', `${run.startedAt.slice(0, 16).replace('T', ' ')} UTC`)}
${fact('Speed', speedText(plan))}
${fact('Seed', run.seed)}
${fact('Machine', `${run.host.cpus} × ${run.host.cpuModel}, ${formatBytes(run.host.memoryBytes)}`)}
${fact('Kernel and engine', `${run.host.kernel}, engine ${run.host.engine}`)}
</dl>`;
}

function fact(name: string, value: string): Markup {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** A run in which a comparison decided how many trials there were. */
export function isRehearsal({ scenarios }: ReportInput['plan']): boolean {
  return scenarios.some(({ points }) => points.some(({ atLeast }) => atLeast !== undefined));
}

function headline(run: RunRecord): string {
  const points = run.points.length;
  const at = `at ${points} point${points === 1 ? '' : 's'}`;
  if (points === 0) return 'Nothing was judged, so nothing is shown.';
  if (run.verdict === 'pass') return `All ${run.counts.pass} checks hold ${at}.`;
  if (run.verdict === 'fail') {
    const failed = run.points.filter((point) => point.verdict === 'fail').length;
    if (failed === 0) return 'The comparison went against the candidate.';
    return `${run.counts.fail} check${run.counts.fail === 1 ? '' : 's'} failed, at ${failed} of ${points} points.`;
  }
  const open = run.points.filter((point) => point.verdict === 'inconclusive').length;
  return `${open} of ${points} points show nothing yet, either way.`;
}

function subline(run: RunRecord): string {
  const turned = run.points
    .flatMap((point) => point.checks)
    .filter((check) => check.expected === 'fail' && check.verdict === 'pass').length;
  const parts = [
    ...(turned > 0
      ? [
          `${turned} check${turned === 1 ? '' : 's'} failed as ${turned === 1 ? 'it' : 'they'} must: the old code shows the fault.`,
        ]
      : []),
    ...(run.counts.inconclusive > 0 && run.verdict !== 'inconclusive'
      ? [`${run.counts.inconclusive} checks are inconclusive.`]
      : []),
    ...(run.partial ? ['The run did not reach its plan’s end.'] : []),
    ...(run.errors.length > 0
      ? [`${run.errors.length} problem${run.errors.length === 1 ? '' : 's'} of the harness or the bed.`]
      : []),
    ...(run.counts.voidTrials > 0
      ? [
          `${run.counts.voidTrials} trial${run.counts.voidTrials === 1 ? ' was' : 's were'} void: shown, not counted.`,
        ]
      : []),
  ];
  return (
    parts.join(' ') ||
    'Every planned trial ran and counts: each fault was seen to act, and the host was quiet.'
  );
}
