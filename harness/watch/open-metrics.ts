import type { RunView, TrialView } from './views.ts';

export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number, suffix?: string];
interface Family {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'info' | 'stateset';
  readonly unit?: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/**
 * A run for a Prometheus that watches it, as OpenMetrics 1.0 text. Trials that run are summed by point, so that a run of
 * thousands of trials makes no more series than it has points.
 */
export function openMetrics(run: RunView, running: readonly TrialView[]): string {
  const families: Family[] = [
    {
      name: 'squall_run',
      type: 'info',
      help: 'The run that is watched.',
      samples: [[{ run: run.runId, suites: run.suites.join(',') }, 1, '_info']],
    },
    {
      name: 'squall_run_state',
      type: 'stateset',
      help: 'Silent: nobody is seen to work on it, and it has not said that it ended.',
      samples: ['running', 'ended', 'silent'].map((life) => [
        { squall_run_state: life },
        run.life === life ? 1 : 0,
      ]),
    },
    gauge('squall_run_elapsed_seconds', 'Since the run began, or until it ended.', [
      [{}, run.elapsedMs / 1e3],
    ]),
    gauge(
      'squall_run_left_seconds',
      'From the plan, corrected by how long the trials so far took.',
      run.leftMs === undefined ? [] : [[{}, run.leftMs / 1e3]],
    ),
    gauge('squall_trials_planned', 'Trials of the plan.', [[{}, run.trials.planned]]),
    gauge('squall_trials', 'Trials by how they stand.', [
      [{ state: 'counted' }, run.trials.counted],
      [{ state: 'void' }, run.trials.voids],
      [{ state: 'broken' }, run.trials.broken],
      [{ state: 'running' }, run.trials.running],
    ]),
    gauge(
      'squall_checks',
      'Checks at all points, judged with the trials so far.',
      run.checks === undefined
        ? []
        : [
            [{ verdict: 'pass' }, run.checks.pass],
            [{ verdict: 'fail' }, run.checks.fail],
            [{ verdict: 'inconclusive' }, run.checks.open],
          ],
    ),
    gauge(
      'squall_point_trials',
      'Counted trials at each point.',
      run.points.map(({ scenario, pointId, counted }) => [{ scenario, point: pointId }, counted]),
    ),
    gauge(
      'squall_measure',
      'Measures of the trial that ended last at each point.',
      run.points.flatMap(({ scenario, pointId, measures }) =>
        Object.entries(measures).flatMap(([measure, value]): Sample[] =>
          value === null ? [] : [[{ scenario, point: pointId, measure }, value]],
        ),
      ),
    ),
    gauge('squall_nodes', 'Nodes of trials that run.', summed(running, nodesOf)),
    gauge('squall_faults_in_force', 'Faults in force in trials that run.', summed(running, faultsOf)),
    {
      name: 'squall_node_events',
      type: 'counter',
      help: 'Events of nodes in the trials that run; begins anew with each trial.',
      samples: summed(running, eventsOf).map(([labels, value]) => [labels, value, '_total']),
    },
  ];
  return `${families
    .filter(({ samples }) => samples.length > 0)
    .map(textOf)
    .join('')}# EOF\n`;
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  const unit = name.endsWith('_seconds') ? { unit: 'seconds' } : {};
  return { name, type: 'gauge', help, samples, ...unit };
}

function summed(
  trials: readonly TrialView[],
  of: (trial: TrialView) => readonly (readonly [Labels, number])[],
): Sample[] {
  const sums = new Map<string, { readonly labels: Labels; value: number }>();
  for (const trial of trials) {
    for (const [own, value] of of(trial)) {
      const labels = { scenario: trial.scenario, point: trial.pointId, ...own };
      const key = JSON.stringify(labels);
      const sum = sums.get(key) ?? { labels, value: 0 };
      sum.value += value;
      sums.set(key, sum);
    }
  }
  return [...sums.values()].map(({ labels, value }) => [labels, value]);
}

function nodesOf({ nodes }: TrialView): readonly (readonly [Labels, number])[] {
  return (['up', 'ended', 'unheard'] as const).map((state) => [
    { state },
    nodes.filter((node) => node.state === state).length,
  ]);
}

function faultsOf({ faults }: TrialView): readonly (readonly [Labels, number])[] {
  return faults.map(({ kind, liftedNs }) => [{ kind }, liftedNs === undefined ? 1 : 0]);
}

function eventsOf({ counts }: TrialView): readonly (readonly [Labels, number])[] {
  return counts.map(({ event, count }) => [{ event }, count]);
}

function textOf({ name, type, unit, help, samples }: Family): string {
  return [
    `# TYPE ${name} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${escapeText(help)}`,
    ...samples.map(([labels, value, suffix = '']) => `${name}${suffix}${labelText(labels)} ${value}`),
    '',
  ].join('\n');
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escapeText(value)}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

/** The three characters that the format asks to be escaped; others of no width or of control have no place in a label. */
function escapeText(text: string): string {
  return text
    .replace(/\\/g, '\\\\')
    .replace(/"/g, '\\"')
    .replace(/\n/g, '\\n')
    .replace(/\p{Surrogate}/gu, '\ufffd');
}
