/**
 * A made-up run for tests of the renderers. Every figure is synthetic: drawn from a seeded stream, measured on nothing,
 * and marked so in its suite's name.
 */
import { basename } from 'node:path';
import { judgePlan, type TrialSource } from '../../check/index.ts';
import { stream } from '../../random/index.ts';
import {
  type CheckSpec,
  createRun,
  type FaultRecord,
  type HostRecord,
  type MeasureValue,
  type PlannedScenario,
  type PlanRecord,
  type Point,
  type TrialRecord,
} from '../../record/index.ts';
import { samplePlan, sampleTrial } from '../../record/test/sample-record.ts';
import type { ReportInput } from '../index.ts';
import { digestTrial } from '../trial-digest.ts';

export interface SampleOptions {
  readonly trials?: number;
  readonly variants?: readonly string[];
  readonly outagesS?: readonly number[];
  readonly cutoffs?: readonly number[];
  /** An axis `warp` of the outage; none when empty. */
  readonly warps?: readonly number[];
  /** Put into names of nodes, points, faults, reasons and events. */
  readonly hostile?: string;
  /** The fixed side leaks as well, so that the run fails. */
  readonly failing?: boolean;
}

const GUARDS: readonly CheckSpec[] = [
  { check: 'faults-bit', title: 'the cut was seen to bite', kind: 'guard', parameters: {} },
  { check: 'bed-clean', title: 'the bed was clean afterwards', kind: 'guard', parameters: {} },
];

const published = [
  {
    id: 'onset-8',
    label: 'synthetic onset',
    value: 24,
    unit: 's',
    quote: 'a synthetic quotation about twenty-four seconds',
  },
  {
    id: 'leak-32-40',
    label: 'synthetic leak',
    value: 180,
    unit: 'deaths',
    quote: 'another synthetic quotation',
    measure: 'falseDeaths',
    where: { variant: 'shipped', cutoff: 32, outage: 40_000 },
  },
];

function outageScenario(options: Required<SampleOptions>): PlannedScenario {
  const points = options.cutoffs.flatMap((cutoff) =>
    options.outagesS.flatMap((seconds) =>
      options.variants.flatMap((variant): Point[] => {
        const point = { size: 128, cutoff, outage: seconds * 1_000, variant };
        return options.warps.length === 0 ? [point] : options.warps.map((warp) => ({ ...point, warp }));
      }),
    ),
  );
  return {
    suite: 'synthetic',
    scenario: 'outage',
    description:
      `Synthetic figures. Cuts nodes off at one instant and counts healthy nodes declared dead. ${options.hostile}`.trim(),
    kills: [],
    points: points.map((point) => ({
      point,
      pointId: idOf(point),
      trials: options.trials,
      estimatedMs: 190_000,
    })),
    checks: [
      {
        check: 'measure-bound',
        title: 'no false death',
        kind: 'invariant',
        parameters: { measure: 'falseDeaths', op: '=', value: 0 },
        where: { variant: ['shipped', 'both'] },
        reason: `A healthy node must not be declared dead by healthy nodes. ${options.hostile}`.trim(),
      },
      ...GUARDS,
    ],
    expectations: [
      {
        where: { variant: 'shipped', cutoff: 32, outage: [40_000, 50_000, 65_000, 90_000, 130_000] },
        check: 'no false death',
        outcome: 'fail',
      },
    ],
    published,
    parameters: [
      { name: 'size', type: 'integer' },
      { name: 'cutoff', type: 'integer' },
      { name: 'outage', type: 'duration' },
      { name: 'variant', type: 'choice' },
    ],
    measures: [
      { name: 'falseDeaths', title: 'False deaths', unit: 'deaths' },
      { name: 'victims', title: 'Distinct victims', unit: 'nodes' },
      { name: 'cutVerdicts', title: 'Verdicts at cut-off nodes', unit: 'verdicts' },
    ],
    aggregates: [
      {
        title: 'Leak starts, 8 nodes cut off',
        op: 'onset',
        measure: 'falseDeaths',
        along: 'outage',
        where: { variant: 'shipped', cutoff: 8 },
        unit: 'ms',
        published: ['onset-8'],
      },
      {
        title: 'Sum over all outages, as shipped',
        op: 'sum',
        measure: 'falseDeaths',
        where: { variant: 'shipped' },
        unit: 'deaths',
      },
    ],
    comparisons: [
      {
        title: 'Both fixes against the library as shipped',
        parameter: 'variant',
        baseline: 'shipped',
        candidate: 'both',
        primary: { measure: 'falseDeaths', better: 'lower', margin: 1 },
        secondary: [{ measure: 'victims', better: 'lower', margin: 1 }],
      },
    ],
    plots: [
      {
        title: 'False deaths against outage length',
        kind: 'line',
        x: 'outage',
        y: 'falseDeaths',
        series: 'variant',
        facet: 'cutoff',
        yScale: 'symlog',
      },
      { title: 'One outage', kind: 'timeline', y: 'member.dead' },
    ],
  };
}

function crashScenario(options: Required<SampleOptions>): PlannedScenario {
  const points = [0, 0.3].flatMap((loss) => options.variants.map((variant) => ({ loss, variant })));
  return {
    suite: 'synthetic',
    scenario: 'crash',
    description:
      'Synthetic figures. Kills nodes at one instant and measures when each is first declared dead.',
    kills: [],
    points: points.map((point) => ({
      point,
      pointId: `crash,loss=${point.loss},variant=${safe(point.variant)}`,
      trials: options.trials,
      estimatedMs: 90_000,
    })),
    checks: [
      {
        check: 'measure-bound',
        title: 'half of the crashes are detected within 15 s',
        kind: 'estimate',
        parameters: { measure: 'firstDetectionS', op: '<=', value: 15, statistic: 'median' },
        reason: 'The published medians are 11.9 to 12.9 s.',
      },
      ...GUARDS,
    ],
    expectations: [],
    published: [],
    parameters: [
      { name: 'loss', type: 'ratio' },
      { name: 'variant', type: 'choice' },
    ],
    measures: [{ name: 'firstDetectionS', title: 'First detection', unit: 's' }],
    plots: [
      {
        title: 'Crashes not yet detected',
        kind: 'survival',
        y: 'firstDetectionS',
        series: 'variant',
        facet: 'loss',
      },
    ],
  };
}

const safe = (text: string): string => text.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, 40);
const idOf = (point: Point): string =>
  `outage,cutoff=${point['cutoff']},outage=${Number(point['outage']) / 1_000}s,variant=${safe(String(point['variant']))}${point['warp'] === undefined ? '' : `,warp=${point['warp']}`}`;

interface Sample {
  readonly plan: PlanRecord;
  readonly trials: readonly TrialRecord[];
}

/** A made-up run in memory. */
function drawSample(some: SampleOptions): Sample & { readonly options: Required<SampleOptions> } {
  const options: Required<SampleOptions> = {
    trials: 3,
    variants: ['shipped', 'both'],
    outagesS: [16, 24, 32, 40, 50, 65, 90, 130],
    cutoffs: [1, 8, 32],
    warps: [],
    hostile: '',
    failing: false,
    ...some,
  };
  const scenarios = [outageScenario(options), crashScenario(options)];
  const plan = samplePlan({ scenarios, command: ['run', 'suites/synthetic', '--grid', 'core'] });
  const all: TrialRecord[] = [];
  let clockNs = 1_000_000_000;
  for (const scenario of scenarios) {
    for (const { point, pointId, trials } of scenario.points) {
      const random = stream(plan.seed, pointId);
      const next = (): number => random.next();
      const add = (trial: number, change: (record: TrialRecord) => TrialRecord): void => {
        const record = trialOf(options, scenario, point, pointId, trial, next, clockNs);
        clockNs = record.endNs + 2_000_000_000;
        all.push(change(record));
      };
      for (let trial = 1; trial <= trials; trial += 1) {
        const spoiled = trial === 1 && next() < 0.04;
        add(trial, spoiled ? spoil : (record) => record);
        if (spoiled) add(trials + 1, (record) => record);
      }
    }
  }
  return { plan, trials: all, options };
}

/** A made-up run, judged, as renderers get it; without events and so without timelines. */
export async function sampleInput(some: SampleOptions = {}): Promise<ReportInput> {
  const { plan, trials } = drawSample(some);
  const byPoint = new Map<string, TrialRecord[]>();
  for (const trial of trials) byPoint.set(trial.pointId, [...(byPoint.get(trial.pointId) ?? []), trial]);
  const load: TrialSource = async (_scenario, { pointId }) => ({
    trials: byPoint.get(pointId) ?? [],
    unfinished: [],
    observations: new Map(),
    errors: [],
  });
  const run = await judgePlan(plan, load, { checks: 'recorded' });
  return {
    dir: '',
    plan,
    run,
    trials: trials.map((trial) => digestTrial(trial, '')),
    timelines: [],
    courses: [],
    graphs: [],
  };
}

/** Writes the record of a made-up run under `dir`; the judge and the renderers do the rest. */
export async function sampleRun(dir: string, some: SampleOptions = {}): Promise<void> {
  const { plan, trials, options } = drawSample(some);
  const run = await createRun(dir, { ...plan, runId: basename(dir) });
  for (const trial of trials) await write(run, trial, options);
  await run.finish();
}

function trialOf(
  options: Required<SampleOptions>,
  scenario: PlannedScenario,
  point: Point,
  pointId: string,
  trial: number,
  next: () => number,
  startNs: number,
): TrialRecord {
  const outage = Number(point['outage'] ?? 0);
  const cutNs = startNs + 12e9;
  const releaseNs = cutNs + (scenario.scenario === 'outage' ? outage * 1e6 : 60e9);
  const endNs = releaseNs + 90e9;
  return sampleTrial({
    suite: scenario.suite,
    scenario: scenario.scenario,
    point,
    pointId,
    trial,
    // The sides of a comparison share their seeds.
    seed: `7/${pointId.replace(/,?variant=.*/, '')}/${trial}`,
    startNs,
    endNs,
    startedAt: new Date(Date.parse('2026-01-02T03:04:05.000Z') + startNs / 1e6).toISOString(),
    overheadMs: 800 + 900 * next(),
    bed: { id: 'bed-1', reused: trial > 1, trialOnBed: trial },
    nodes: Array.from({ length: 6 }, (_, index) => ({
      name: `member-${index + 1}${options.hostile}`,
      role: 'member',
      image: 'squall/synthetic',
      imageId: 'sha256:0',
      address: `198.18.0.${index + 2}`,
      containerId: String(index),
    })),
    phases: [
      { name: 'warm-up', startNs, endNs: cutNs },
      { name: 'fault', startNs: cutNs, endNs: releaseNs },
      { name: 'recovery', startNs: releaseNs, endNs },
    ],
    faults: [faultOf(options, scenario, point, cutNs, releaseNs, next)],
    host: hostOf(next),
    measures: measuresOf(options, scenario, point, next),
    checks: scenario.checks,
    expectations: scenario.expectations,
  });
}

function faultOf(
  options: Required<SampleOptions>,
  scenario: PlannedScenario,
  point: Point,
  cutNs: number,
  releaseNs: number,
  next: () => number,
): FaultRecord {
  const outage = scenario.scenario === 'outage';
  return {
    id: outage ? 'cut' : 'crash',
    kind: outage ? 'hold' : 'kill',
    targets: [`member-1${options.hostile}`, 'member-2'],
    selector: outage ? `pick(${point['cutoff']},member)` : 'pick(10,member)',
    settings: outage ? { udp: 'hold', tcp: 'drop', note: options.hostile } : {},
    appliedNs: cutNs,
    liftedNs: releaseNs,
    goneNs: releaseNs + 2e6,
    applySkewNs: 2e6 + 9e6 * next(),
    liftSkewNs: 2e6 + 8e6 * next(),
    witness: {
      source: outage ? 'agent' : 'engine',
      counts: outage
        ? {
            heldIn: Math.round(4_000 + 4_000 * next()),
            heldOut: Math.round(1_500 + 900 * next()),
            droppedTcp: Math.round(900 + 900 * next()),
            overflowed: 0,
          }
        : { exited: 10 },
    },
    bit: true,
    gone: true,
    problems: [],
  };
}

function hostOf(next: () => number): HostRecord {
  const measure = (name: string, unit: string, threshold: number, typical: number) => {
    const value = Number((typical * (0.5 + next())).toPrecision(3));
    return { name, value, unit, threshold, exceeded: value > threshold };
  };
  return {
    verdict: 'quiet',
    measures: [
      measure('canary timer lateness, p99', 'ms', 50, 6),
      measure('agent pass latency, p99', 'ms', 20, 1.2),
      measure('CPU steal', '%', 5, 0.8),
      measure('neighbour entries', 'entries', 32_768, 14_000),
      measure('softnet drops', 'packets', 1, 0),
      measure('UDP receive-buffer errors', 'packets', 1, 0),
    ],
    reasons: [],
  };
}

function measuresOf(
  options: Required<SampleOptions>,
  scenario: PlannedScenario,
  point: Point,
  next: () => number,
): Record<string, MeasureValue> {
  const variant = String(point['variant']);
  if (scenario.scenario === 'crash') {
    const slower = (variant === 'shipped' ? 0 : 0.5) + 6 * Number(point['loss']);
    return {
      firstDetectionS: Array.from({ length: 10 }, () => {
        const seconds = 9.5 + slower + 4 * next() + 3 * next() ** 4 * (1 + slower);
        return next() < 0.01 ? null : Number(seconds.toFixed(2));
      }),
    };
  }
  const seconds = Number(point['outage']) / 1_000;
  const cutoff = Number(point['cutoff']);
  const onset = cutoff === 1 ? 63 : cutoff === 8 ? 24 : 16;
  const leaks: Record<string, number> = {
    shipped: 1,
    grace: seconds > 63 ? 1 : 0.02,
    'health-at-firing': seconds > 80 && cutoff > 8 ? 0.01 : 0,
    'health-at-creation': 0.45,
    both: options.failing ? 0.01 : 0,
    'no-lifeguard': 5,
  };
  const leak = seconds <= onset ? 0 : (leaks[variant] ?? 0.1);
  const deaths = leak === 0 ? 0 : Math.floor((seconds - onset) * cutoff * leak * (0.2 + 1.6 * next()) * 0.6);
  return { falseDeaths: deaths, victims: Math.ceil(deaths / 30), cutVerdicts: Math.ceil(deaths / 3) };
}

function spoil(trial: TrialRecord): TrialRecord {
  const steal = { name: 'CPU steal', value: 31, unit: '%', threshold: 5, exceeded: true };
  return {
    ...trial,
    outcome: 'void',
    reasons: ['CPU steal of 31 % exceeded 5 %'],
    host: {
      verdict: 'spoiled',
      measures: trial.host.measures.map((one) => (one.name === steal.name ? steal : one)),
      reasons: ['CPU steal of 31 % exceeded 5 %'],
    },
  };
}

async function write(
  run: Awaited<ReturnType<typeof createRun>>,
  trial: TrialRecord,
  options: Required<SampleOptions>,
): Promise<void> {
  const random = stream(trial.seed, 'events');
  const next = (): number => random.next();
  const writer = await run.openTrial({ pointId: trial.pointId, trial: trial.trial });
  const [fault] = trial.faults;
  const cutNs = fault?.appliedNs ?? trial.startNs;
  const releaseNs = fault?.liftedNs ?? trial.endNs;
  const event = (name: string, atNs: number, node: string): void => {
    writer.event({
      node: node + options.hostile,
      event: name,
      atNs: Math.round(atNs),
      fields: { note: options.hostile },
    });
  };
  for (let index = 0; index < 6; index += 1)
    event('converged', trial.startNs + 4e9 + 3e9 * next(), `member-${index}`);
  const deaths = typeof trial.measures['falseDeaths'] === 'number' ? trial.measures['falseDeaths'] : 0;
  for (let index = 0; index < Math.min(deaths, 900); index += 1)
    event('member.dead', releaseNs + 0.2e9 + 5e9 * next() ** 3, 'member-4');
  for (let index = 0; index < Math.min(deaths, 700); index += 1)
    event('member.refuted', releaseNs + 1e9 + 9e9 * next() ** 2, 'member-5');
  for (let index = 0; index < 60; index += 1)
    event('member.suspected', cutNs + (releaseNs - cutNs) * next(), 'member-1');
  for (let index = 0; index < 40; index += 1)
    event('health.changed', cutNs + (releaseNs + 8e9 - cutNs) * next(), 'member-2');
  for (let index = 0; index < 12; index += 1) event('timer.fired', releaseNs + 1.5e9 * next(), 'member-1');
  event('fault.applied', cutNs, 'harness');
  event('fault.lifted', releaseNs, 'harness');
  writer.log(`member-1${options.hostile}`).line(`a log line ${options.hostile}`);
  await writer.finish(trial);
}
