import { plainText } from '../report/index.ts';
import type { CheckLine } from './check-lines.ts';
import type { GateResult } from './gate-result.ts';
import { leftOutInBrief } from './left-out.ts';
import { stabilityText } from './render-text.ts';

/** GitHub shows ten of each level a step. */
const LIMIT = 10;
const MESSAGE_LIMIT = 1_000;

/**
 * Workflow commands that put the gate's findings on the job's page: what fails as errors, what is open as warnings, what
 * was left out as one notice. The last of a level says how many more there are.
 */
export function gateAnnotations(result: GateResult): string[] {
  const of = (verdict: CheckLine['verdict']) => result.lines.filter((line) => line.verdict === verdict);
  return [
    ...level('error', of('fail')),
    ...level('warning', [...of('inconclusive'), ...of('pass').filter((line) => line.waived)]),
    ...(result.notes ?? []).map((note) => command('notice', 'Gate', note)),
    ...(result.leftOut.length > 0
      ? [command('notice', 'Left out', `The budget had no room for: ${leftOutInBrief(result.leftOut)}`)]
      : []),
  ];
}

function level(name: 'error' | 'warning', lines: readonly CheckLine[]): string[] {
  const shown = lines.length > LIMIT ? lines.slice(0, LIMIT - 1) : lines;
  return [
    ...shown.map((line) => command(name, `${line.suite}/${line.scenario}: ${line.check}`, messageOf(line))),
    ...(lines.length > shown.length
      ? [command(name, 'And more', `${lines.length - shown.length} more in the report`)]
      : []),
  ];
}

function messageOf(line: CheckLine): string {
  const says = `${line.sentence}${stabilityText(line)}`;
  return line.pointId === undefined ? says : `At ${line.pointId}: ${says}`;
}

function command(name: string, title: string, message: string): string {
  return `::${name} title=${property(title)}::${data(plainText(message, MESSAGE_LIMIT))}`;
}

/** Percent, carriage return and line feed are what the runner decodes. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** In a property a colon and a comma too. */
function property(text: string): string {
  return data(plainText(text, 200)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
