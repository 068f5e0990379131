import type {
  CheckResult,
  MeasureSummary,
  PlannedScenario,
  PlanRecord,
  PointResult,
  RunRecord,
} from '../record/index.ts';
import { differenceOfMeans, holm, rankTest } from '../stats/index.ts';

/** One judged run, as far as it is compared. */
export interface ComparedRun {
  readonly run: RunRecord;
  readonly plan: PlanRecord;
}

export interface ComparedMeasureRow {
  readonly measure: string;
  readonly title: string;
  readonly unit: string;
  readonly before: MeasureSummary;
  readonly after: MeasureSummary;
  /** Mean of after minus mean of before. */
  readonly effect?: number;
  readonly interval?: { readonly low: number; readonly high: number };
  /** Of a rank test, adjusted by Holm over all rows of the two runs. */
  readonly pValue?: number;
}

export interface ComparedPoint {
  readonly suite: string;
  readonly scenario: string;
  readonly pointId: string;
  readonly before: PointResult;
  readonly after: PointResult;
  /** Checks that say something else now, and those that only one of the runs has. */
  readonly changed: readonly { readonly title: string; readonly before: string; readonly after: string }[];
  readonly measures: readonly ComparedMeasureRow[];
}

export interface RunComparison {
  readonly before: ComparedRun;
  readonly after: ComparedRun;
  readonly points: readonly ComparedPoint[];
  readonly onlyBefore: readonly string[];
  readonly onlyAfter: readonly string[];
  /** Why what differs may have another cause than the system. */
  readonly cautions: readonly string[];
}

/**
 * Two judged runs, point by point. They were not played in turns, so that this shows and decides nothing: what decides
 * between two versions is a rehearsal or a scenario's own comparison.
 */
export function compareRuns(before: ComparedRun, after: ComparedRun): RunComparison {
  const keyOf = ({ suite, scenario, pointId }: PointResult): string => `${suite}/${scenario} ${pointId}`;
  const others = new Map(after.run.points.map((point) => [keyOf(point), point]));
  const known = new Set(before.run.points.map(keyOf));
  const points = before.run.points.flatMap((point): ComparedPoint[] => {
    const other = others.get(keyOf(point));
    if (!other) return [];
    const { suite, scenario, pointId } = point;
    const planned = after.plan.scenarios.find((one) => one.suite === suite && one.scenario === scenario);
    return [
      {
        suite,
        scenario,
        pointId,
        before: point,
        after: other,
        changed: changesOf(point.checks, other.checks),
        measures: measuresOf(point, other, planned),
      },
    ];
  });
  return {
    before,
    after,
    points: adjusted(points),
    onlyBefore: [...known].filter((key) => !others.has(key)),
    onlyAfter: [...others.keys()].filter((key) => !known.has(key)),
    cautions: cautionsOf(before, after),
  };
}

function changesOf(before: readonly CheckResult[], after: readonly CheckResult[]): ComparedPoint['changed'] {
  const titles = [...new Set([...before, ...after].map(({ title }) => title))];
  const said = (checks: readonly CheckResult[], title: string): string =>
    checks.find((check) => check.title === title)?.verdict ?? 'not judged';
  return titles
    .map((title) => ({ title, before: said(before, title), after: said(after, title) }))
    .filter((one) => one.before !== one.after);
}

function measuresOf(
  before: PointResult,
  after: PointResult,
  scenario: PlannedScenario | undefined,
): ComparedMeasureRow[] {
  const names = Object.keys(before.measures).filter((name) => after.measures[name] !== undefined);
  return names.map((measure) => {
    const [was, is] = [before.measures[measure] as MeasureSummary, after.measures[measure] as MeasureSummary];
    const spec = scenario?.measures.find(({ name }) => name === measure);
    const row = {
      measure,
      title: spec?.title ?? measure,
      unit: spec?.unit ?? is.unit ?? '',
      before: was,
      after: is,
    };
    const [first, second] = [seen(was), seen(is)];
    // A trial that did not see it happen has no value to reckon with; leaving it out would flatter one side.
    const whole = first.length === was.values.length && second.length === is.values.length;
    if (!whole || first.length < 2 || second.length < 2) return row;
    const { effect, interval } = differenceOfMeans([{ baseline: first, candidate: second }]);
    return {
      ...row,
      effect,
      ...(interval && { interval: { low: interval.low, high: interval.high } }),
      pValue: rankTest(first, second).pValue,
    };
  });
}

function seen(summary: MeasureSummary): number[] {
  return summary.values.filter((value) => value !== null);
}

function adjusted(points: readonly ComparedPoint[]): ComparedPoint[] {
  const given = points.flatMap(({ measures }) => measures.flatMap(({ pValue }) => pValue ?? []));
  const values = holm(given);
  let next = 0;
  return points.map((point) => ({
    ...point,
    measures: point.measures.map((row) => {
      if (row.pValue === undefined) return row;
      const pValue = values[next] ?? row.pValue;
      next += 1;
      return { ...row, pValue };
    }),
  }));
}

function cautionsOf(
  { run: before, plan: planBefore }: ComparedRun,
  { run: after, plan: planAfter }: ComparedRun,
): string[] {
  const machine = ({ host }: RunRecord): string =>
    `${host.cpus} × ${host.cpuModel}, kernel ${host.kernel}, engine ${host.engine}`;
  return [
    ...(before.seed === after.seed
      ? []
      : [`They ran with different seeds (${before.seed} and ${after.seed}).`]),
    ...(machine(before) === machine(after)
      ? []
      : [`They ran on different machines: ${machine(before)}; and ${machine(after)}.`]),
    ...(before.squallVersion === after.squallVersion
      ? []
      : [`They were judged by Squall ${before.squallVersion} and ${after.squallVersion}.`]),
    ...(planBefore.warp === planAfter.warp
      ? []
      : [`They ran at warp ${planBefore.warp} and ${planAfter.warp}.`]),
    ...[before, after].flatMap((run) =>
      run.partial ? [`Run ${run.runId} did not reach its plan's end.`] : [],
    ),
    'They did not run in turns, so the host may differ for hours of one; a rehearsal plays both sides in turns.',
  ];
}
