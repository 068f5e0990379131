import { formatNumber } from '../check/index.ts';
import type { CheckResult, Finding, PointResult } from '../record/index.ts';
import type { ReportInput } from './load-report.ts';
import { asLines, asText } from './markup.ts';

/** Of one failure's details; CI servers choke on more. */
const DETAIL_LIMIT = 16 * 1024;
/** Of a suite's notes. */
const OUTPUT_LIMIT = 64 * 1024;

type JUnitInput = Pick<ReportInput, 'run' | 'trials'>;

interface Case {
  readonly classname: string;
  readonly name: string;
  readonly seconds: number;
  /** `failure`: the system's, `skipped` where it is waived. `error`: ours, or nothing was shown. Absent: passed. */
  readonly problem?: {
    readonly tag: 'failure' | 'error' | 'skipped';
    readonly type: string;
    readonly message: string;
    readonly detail: string;
  };
}

/**
 * JUnit XML as strict parsers and CI servers take it: one test case a check and grid point. A failed check is a
 * `failure`, an inconclusive one and a fault of the harness an `error`; only characters of XML 1.0.
 */
export function renderJUnit({ run, trials }: JUnitInput): string {
  const groups = new Map<string, PointResult[]>();
  for (const point of run.points) {
    const name = `${point.suite}/${point.scenario}`;
    groups.set(name, [...(groups.get(name) ?? []), point]);
  }
  const suites = [...groups].map(([name, points]) => ({
    name,
    cases: points.flatMap((point) => casesOf(point, trials)),
  }));
  const own = [...comparisonCases(run), ...harnessCases(run)];
  if (own.length > 0 || suites.length === 0)
    suites.push({ name: 'squall', cases: own.length > 0 ? own : [nothingRan()] });
  const all = suites.flatMap((suite) => suite.cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="squall" ${totals(all)}>`,
    ...suites.map((suite) => renderSuite(suite, run)),
    '</testsuites>',
    '',
  ].join('\n');
}

function casesOf(point: PointResult, trials: JUnitInput['trials']): Case[] {
  const classname = `${point.suite}.${point.scenario}`;
  const own = trials.filter((trial) => trial.pointId === point.pointId);
  const seconds = own.reduce((sum, trial) => sum + trial.durationMs + trial.overheadMs, 0) / 1_000;
  if (point.checks.length === 0) {
    const message = 'Nothing is judged at this point.';
    return [
      {
        classname,
        name: point.pointId,
        seconds,
        problem: { tag: 'error', type: 'inconclusive', message, detail: message },
      },
    ];
  }
  const short =
    (point.trials.counted ?? point.trials.completed) < point.trials.planned && !point.trials.stoppedEarly;
  const cases = point.checks.map((check) => caseOf(check, point, classname, seconds / point.checks.length));
  // The point did not pass although each check did: its trials are fewer than planned.
  if (short && point.verdict === 'inconclusive' && point.checks.every((check) => check.verdict === 'pass')) {
    const message = `Only ${point.trials.counted ?? point.trials.completed} of ${point.trials.planned} planned trials count.`;
    cases.push({
      classname,
      name: `all planned trials count [${point.pointId}]`,
      seconds: 0,
      problem: { tag: 'error', type: 'inconclusive', message, detail: message },
    });
  }
  return cases;
}

function caseOf(check: CheckResult, point: PointResult, classname: string, seconds: number): Case {
  const base = { classname, name: `${check.title} [${point.pointId}]`, seconds };
  if (check.waived) {
    const detail = check.findings.map(findingText).join('\n');
    return { ...base, problem: { tag: 'skipped', type: 'waived', message: check.sentence, detail } };
  }
  if (check.verdict === 'pass') return base;
  const tag = check.verdict === 'fail' ? 'failure' : 'error';
  const type = check.verdict === 'fail' ? check.check : 'inconclusive';
  const lines = [
    check.sentence,
    ...(check.reason ? [`Why the bound: ${check.reason}`] : []),
    ...check.findings.map(findingText),
  ];
  return { ...base, problem: { tag, type, message: check.sentence, detail: lines.join('\n') } };
}

function findingText({ subject, observed, expected, trial }: Finding): string {
  return `${trial === undefined ? '' : `trial ${trial}: `}${subject}: observed ${observed}; expected ${expected}`;
}

function comparisonCases(run: JUnitInput['run']): Case[] {
  return (run.comparisons ?? []).map((comparison) => {
    const base = {
      classname: `${comparison.suite}.${comparison.scenario}`,
      name: `${comparison.title}: ${comparison.candidate} against ${comparison.baseline}`,
      seconds: 0,
    };
    if (comparison.verdict === 'pass') return base;
    const detail = [comparison.sentence, ...comparison.metrics.map((metric) => metric.sentence)].join('\n');
    const failed = comparison.verdict === 'fail';
    return {
      ...base,
      problem: {
        tag: failed ? 'failure' : 'error',
        type: failed ? 'comparison' : 'inconclusive',
        message: comparison.sentence,
        detail,
      },
    };
  });
}

function harnessCases(run: JUnitInput['run']): Case[] {
  return run.errors.map((error, index) => ({
    classname: 'squall.harness',
    name: `problem ${index + 1}`,
    seconds: 0,
    problem: { tag: 'error', type: 'harness', message: error, detail: error },
  }));
}

function nothingRan(): Case {
  const message = 'Nothing ran; that is never a pass.';
  return {
    classname: 'squall',
    name: 'something ran',
    seconds: 0,
    problem: { tag: 'error', type: 'inconclusive', message, detail: message },
  };
}

function renderSuite(
  suite: { readonly name: string; readonly cases: readonly Case[] },
  run: JUnitInput['run'],
): string {
  const properties: readonly (readonly [string, string])[] = [
    ['run', run.runId],
    ['verdict', run.verdict],
    ['seed', run.seed],
    ['repeat', run.repeat],
    ['squall', run.squallVersion],
    ['host', `${run.host.cpus} × ${run.host.cpuModel}, ${run.host.kernel}, engine ${run.host.engine}`],
  ];
  const notes = asLines(run.notes?.join('\n') ?? '').slice(0, OUTPUT_LIMIT);
  return [
    `  <testsuite name="${asText(suite.name)}" ${totals(suite.cases)} timestamp="${timestamp(run.startedAt)}">`,
    '    <properties>',
    ...properties.map(([name, value]) => `      <property name="${name}" value="${asText(value, 2_000)}"/>`),
    '    </properties>',
    ...suite.cases.map(renderCase),
    `    <system-out>${notes.replace(/&[^;]*$/, '')}</system-out>`,
    '  </testsuite>',
  ].join('\n');
}

function renderCase({ classname, name, seconds, problem }: Case): string {
  const open = `    <testcase classname="${asText(classname, 500)}" name="${asText(name, 1_000)}" time="${seconds.toFixed(3)}"`;
  if (!problem) return `${open}/>`;
  const cut = problem.detail.length > DETAIL_LIMIT;
  const detail = `${problem.detail.slice(0, DETAIL_LIMIT)}${cut ? `\n… cut after ${formatNumber(DETAIL_LIMIT)} characters; run.json has all of it` : ''}`;
  // The schema of CI servers knows no type of what is skipped.
  const type = problem.tag === 'skipped' ? '' : ` type="${asText(problem.type, 200)}"`;
  return [
    `${open}>`,
    `      <${problem.tag}${type} message="${asText(problem.message, 1_000)}">${asLines(detail)}</${problem.tag}>`,
    '    </testcase>',
  ].join('\n');
}

function totals(cases: readonly Case[]): string {
  const of = (tag: string): number => cases.filter(({ problem }) => problem?.tag === tag).length;
  const seconds = cases.reduce((sum, one) => sum + one.seconds, 0);
  return `tests="${cases.length}" failures="${of('failure')}" errors="${of('error')}" skipped="${of('skipped')}" time="${seconds.toFixed(3)}"`;
}

/** ISO 8601 without zone and fraction, as the schema of CI servers wants it. */
function timestamp(iso: string): string {
  return asText(iso.replace(/(\.\d+)?Z?$/, ''));
}
