import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SaxesParser } from 'saxes';
import type { Part } from '../part.ts';
import { SubjectRun } from '../subject-run.ts';
import { drawTruth } from './moment.ts';

/** What the flood writes into texts, and a page or a terminal must never take for its own. */
const MARKUP = /<(script|img|iframe|svg)\b[^<]*squall-hostile/i;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f\u009b\u202a-\u202e\u2066-\u2069]/;
const COMMAND = /^::(error|warning|add-mask|set-output)[ :].*squall-hostile/m;

/** Problems of what a run over hostile lines wrote for people and for programs. */
export function problemsOfReports(dir: string, said: string): readonly string[] {
  const text = (name: string): string =>
    existsSync(join(dir, name)) ? readFileSync(join(dir, name), 'utf8') : '';
  const page = text('index.html');
  const junit = text('junit.xml');
  return [
    ...(MARKUP.test(page) ? ['index.html: markup of a node is markup there'] : []),
    ...(junit === '' ? ['there is no junit.xml'] : brokenXml(junit)),
    ...(CONTROL.test(said) ? ['console: control characters of a node'] : []),
    ...(COMMAND.test(said) ? ['console: a node gives a workflow command'] : []),
  ];
}

function brokenXml(text: string): readonly string[] {
  const problems: string[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => problems.push(`junit.xml: ${error.message}`));
  parser.write(text).close();
  return problems.slice(0, 1);
}

/** Markup, escapes, broken JSON and UTF-8, names of prototypes, lines without end: a log is what somebody else wrote. */
export const hostileLines: Part = {
  name: 'hostile-lines',
  title: 'a node writes hostile lines: 100,000 of them in the whole',
  times: { whole: 10, short: 1 },
  secondsEach: 40,
  async attempt(world, chance) {
    const run = new SubjectRun(world, {
      truth: drawTruth(chance),
      scenario: 'hostile',
      set: ['lines=10000'],
    });
    const attempt = await run.outcome(true);
    const found = readdirSync(run.reportsDir).find((name) => name !== 'latest' && !name.endsWith('.json'));
    const problems = found
      ? problemsOfReports(join(run.reportsDir, found), run.said)
      : ['there is no report'];
    return { ...attempt, problems: [...attempt.problems, ...problems] };
  },
};
