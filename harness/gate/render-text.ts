import { countOf, formatNumber } from '../check/index.ts';
import { EXIT } from '../errors/index.ts';
import type { Verdict } from '../record/index.ts';
import { plainText } from '../report/index.ts';
import { formatDurationMs } from '../units/index.ts';
import type { CheckLine } from './check-lines.ts';
import type { GateResult } from './gate-result.ts';
import { leftOutSentences } from './left-out.ts';

const MARKS: Readonly<Record<Verdict, string>> = { pass: '✓', fail: '✗', inconclusive: '?' };
const SENTENCE_LIMIT = 300;

/** The gate on a console: a line a check, what was left out, and the verdict last. */
export function renderGateText(result: GateResult): string {
  const lines = [
    ...result.lines.map(lineText),
    ...(result.notes ?? []).map((note) => `– ${plainText(note)}`),
    ...leftOutSentences(result.leftOut).map((sentence) => `– ${plainText(sentence)}`),
  ];
  return `${lines.join('\n')}\n\n${verdictText(result)}\nrepeat: ${plainText(result.repeat)}\n`;
}

/** ` Unstable: passed 2 of 3 runs of this commit (pass rate 9.4 to 99 %).` */
export function stabilityText({ stability, unstable }: CheckLine): string {
  if (!stability) return '';
  const rate = `pass rate ${formatNumber(stability.low * 100)} to ${formatNumber(stability.high * 100)} %`;
  const runs = `${stability.passed} of ${countOf(stability.runs, 'run')} of this commit (${rate})`;
  return unstable ? ` Unstable: passed ${runs}.` : ` Passed ${runs}.`;
}

/** `✗ memberlist/outage: no false death (2 points, 6 trials) at cutoff=8: False deaths = 0 was violated …` */
export function lineText(line: CheckLine): string {
  const extent = line.extent === '' ? '' : ` (${line.extent})`;
  const at = line.verdict === 'pass' || line.pointId === undefined ? '' : ` at ${line.pointId}`;
  const mark = line.waived && line.verdict === 'pass' ? '~' : MARKS[line.verdict];
  const head = `${mark} ${line.suite}/${line.scenario}: ${line.check}${extent}${at}`;
  return `${plainText(head)}: ${plainText(line.sentence, SENTENCE_LIMIT)}${stabilityText(line)}`;
}

/** A fault of ours is no verdict on the system, and is called otherwise. */
function wordOf({ exitCode }: GateResult): string {
  return (
    { [EXIT.pass]: 'PASS', [EXIT.fail]: 'FAIL', [EXIT.inconclusive]: 'INCONCLUSIVE' }[exitCode] ?? 'BROKEN'
  );
}

/** `PASS  gate release --quick: 12 checks pass, 0 fail, 0 inconclusive; 1 min 20 s, planned 1 min 15 s of 20 min` */
export function verdictText(result: GateResult): string {
  const of = (verdict: Verdict): number => result.lines.filter((line) => line.verdict === verdict).length;
  const waived = result.lines.filter((line) => line.waived).length;
  const unstable = result.lines.filter((line) => line.unstable).length;
  const budget = result.budgetMs === undefined ? '' : ` of ${formatDurationMs(result.budgetMs)}`;
  const parts = [
    `${countOf(of('pass'), 'check')} pass, ${of('fail')} fail, ${of('inconclusive')} inconclusive`,
    `${formatDurationMs(result.tookMs)}, planned ${formatDurationMs(result.plannedMs)}${budget}`,
    ...(waived > 0 ? [`${countOf(waived, 'check')} waived`] : []),
    ...(unstable > 0 ? [`${countOf(unstable, 'check')} unstable`] : []),
    ...(result.leftOut.length > 0
      ? [`${countOf(result.leftOut.length, 'part')} left out by the budget`]
      : []),
    ...(result.partial ? ['partial: the plan was not reached'] : []),
  ];
  const shard = result.shard === undefined ? '' : ` --shard ${result.shard}`;
  const tags = result.tags === undefined ? '' : ` --tag ${result.tags.join(',')}`;
  return plainText(
    `${wordOf(result)}  gate ${result.name} --${result.mode}${shard}${tags}: ${parts.join('; ')}`,
  );
}
