import { countOf } from '../check/index.ts';
import type { Verdict } from '../record/index.ts';
import { markdownCode as code, markdownText as text } from '../report/index.ts';
import type { CheckLine } from './check-lines.ts';
import type { GateResult } from './gate-result.ts';
import { leftOutSentences } from './left-out.ts';
import { stabilityText, verdictText } from './render-text.ts';

const MARKS: Readonly<Record<Verdict, string>> = { pass: '✅', fail: '❌', inconclusive: '⚠️' };
/** A job summary takes 1 MiB a step; what does not fit is in the report. */
const SIZE_LIMIT_BYTES = 900_000;

/** The gate as Markdown, for a job summary or a merge request: the verdict, then what needs a look, then the rest folded. */
export function renderGateMarkdown(result: GateResult): string {
  const isOpen = (line: CheckLine): boolean => line.verdict !== 'pass' || line.waived === true;
  const open = result.lines.filter(isOpen);
  const passed = result.lines.filter((line) => !isOpen(line));
  const notes = (result.notes ?? []).map((note) => `- ${text(note)}`);
  const leftOut = leftOutSentences(result.leftOut).map((sentence) => `- ${text(sentence)}`);
  const parts = [
    `## ${MARKS[result.verdict]} ${text(verdictText(result))}`,
    ...(open.length > 0 ? [table(open)] : []),
    ...(passed.length > 0
      ? [
          `<details><summary>passes: ${countOf(passed.length, 'check')}</summary>\n\n${table(passed)}\n\n</details>`,
        ]
      : []),
    ...(notes.length > 0 ? [notes.join('\n')] : []),
    ...(leftOut.length > 0 ? [leftOut.join('\n')] : []),
    `Repeat with ${code(result.repeat)}. The report is ${code(result.report)}.`,
  ];
  return fitted(`${parts.join('\n\n')}\n`);
}

function table(lines: readonly CheckLine[]): string {
  const rows = lines.map((line) =>
    [
      line.waived && line.verdict === 'pass' ? '🟡' : MARKS[line.verdict],
      text(`${line.suite}/${line.scenario}`),
      text(line.check),
      text(
        line.verdict === 'pass' ? line.extent : [line.extent, line.pointId ?? ''].filter(Boolean).join('; '),
      ),
      text(`${line.sentence}${stabilityText(line)}`),
    ].join(' | '),
  );
  return [
    '| | scenario | check | extent | says |',
    '|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}

function fitted(markdown: string): string {
  if (Buffer.byteLength(markdown) <= SIZE_LIMIT_BYTES) return markdown;
  const lines = markdown.split('\n');
  let size = 0;
  const kept = lines.filter((line) => {
    size += Buffer.byteLength(line) + 1;
    return size <= SIZE_LIMIT_BYTES;
  });
  return `${kept.join('\n')}\n\n… cut; the report has all of it.\n`;
}
