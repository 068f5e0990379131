import type { CheckResult, PointResult, RunRecord, Verdict } from '../../record/index.ts';
import type { CheckLine, GateResult } from '../index.ts';

export function check(title: string, verdict: Verdict, changes: Partial<CheckResult> = {}): CheckResult {
  return {
    title,
    check: 'no-event',
    kind: 'invariant',
    verdict,
    rawVerdict: verdict,
    sentence: `${title} is a ${verdict}.`,
    findings: [],
    ...changes,
  };
}

export function point(
  pointId: string,
  checks: readonly CheckResult[],
  changes: Partial<PointResult> = {},
): PointResult {
  const verdicts = checks.map((one) => one.verdict);
  return {
    suite: 'fake',
    scenario: 'outage',
    point: {},
    pointId,
    trials: { planned: 2, completed: 2, void: 0, error: 0, aborted: 0, counted: 2 },
    measures: {},
    checks,
    published: [],
    verdict: verdicts.includes('fail') ? 'fail' : verdicts.includes('inconclusive') ? 'inconclusive' : 'pass',
    ...changes,
  };
}

export function run(points: readonly PointResult[], changes: Partial<RunRecord> = {}): RunRecord {
  return {
    recordVersion: 1,
    squallVersion: '0.1.0',
    runId: '20261130-000000-0001',
    startedAt: '2026-11-30T00:00:00.000Z',
    endedAt: '2026-11-30T00:01:00.000Z',
    verdict: 'pass',
    exitCode: 0,
    partial: false,
    seed: '7',
    repeat: 'squall gate --quick --seed 7',
    host: { cpus: 2, cpuModel: 'Model', memoryBytes: 24 * 1024 ** 3, kernel: '6', engine: '29', node: 'v20' },
    points,
    errors: [],
    counts: { pass: 0, fail: 0, inconclusive: 0, voidTrials: 0 },
    ...changes,
  };
}

export function line(verdict: Verdict, changes: Partial<CheckLine> = {}): CheckLine {
  return {
    suite: 'fake',
    scenario: 'outage',
    check: 'nobody dies',
    kind: 'invariant',
    verdict,
    extent: '1 point, 2 trials',
    sentence: `It is a ${verdict}.`,
    pointId: 'cutoff=8',
    ...changes,
  };
}

export function result(changes: Partial<GateResult> = {}): GateResult {
  return {
    name: 'release',
    mode: 'quick',
    runId: '20261130-000000-0001',
    verdict: 'pass',
    exitCode: 0,
    lines: [line('pass')],
    leftOut: [],
    plannedMs: 60_000,
    tookMs: 70_000,
    partial: false,
    repeat: 'squall gate --quick --seed 7',
    report: 'reports/x/index.html',
    ...changes,
  };
}
