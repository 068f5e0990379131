import { z } from 'zod';
import type { PlanRecord, RecordedEvent, RunRecord, TrialRecord } from './types.ts';

// Objects are loose: a record may carry fields that a later Squall of the same version added, and is still read.
const object = z.looseObject;
const optional = z.exactOptional;

const parameterValue = z.union([z.string(), z.number(), z.boolean()]);
const point = z.record(z.string(), parameterValue);
const where = z.record(z.string(), z.union([parameterValue, z.array(parameterValue)]));
const numbers = z.record(z.string(), z.number());
const verdict = z.enum(['pass', 'fail', 'inconclusive']);
const expectedOutcome = z.enum(['pass', 'fail']);
const checkKind = z.enum(['invariant', 'estimate', 'guard']);
const measureValue = z.union([z.number(), z.null(), z.array(z.union([z.number(), z.null()])), numbers]);

const event = object({
  node: z.string(),
  event: z.string(),
  atNs: z.number().describe('Nanoseconds on CLOCK_MONOTONIC.'),
  seq: optional(z.number()),
  fields: z.record(z.string(), z.unknown()),
});

const check = object({
  check: z.string().describe('Name in the registry of checks.'),
  title: z.string(),
  kind: checkKind,
  parameters: z.record(z.string(), z.unknown()),
  reason: optional(z.string()),
  where: optional(where),
});

const expectation = object({
  where,
  check: z.string(),
  outcome: expectedOutcome,
  reason: optional(z.string()),
});

const waived = { owner: z.string(), until: z.string(), reason: z.string() };
const waiver = object({ check: z.string(), where: optional(where), ...waived });

const published = object({
  id: z.string(),
  label: z.string(),
  value: z.union([z.number(), z.string()]),
  unit: z.string(),
  where: optional(point),
  measure: optional(z.string()),
  quote: z.string(),
});

export const hostClass = object({
  cpus: z.number(),
  cpuModel: z.string(),
  memoryBytes: z.number(),
  kernel: z.string(),
  engine: z.string(),
  node: z.string(),
});

const node = object({
  name: z.string(),
  role: z.string(),
  image: z.string(),
  imageId: z.string(),
  variant: optional(z.string()),
  address: z.string(),
  containerId: z.string(),
  environment: optional(z.record(z.string(), z.string())),
  startedNs: optional(z.number()),
  readyNs: optional(z.number()),
  exit: optional(
    object({ code: z.number(), oomKilled: z.boolean(), expected: z.boolean(), atNs: z.number() }),
  ),
  log: optional(
    object({
      path: z.string(),
      lines: z.number(),
      bytes: z.number(),
      truncated: z.boolean(),
      lostLines: z.number(),
    }),
  ),
});

const fault = object({
  id: z.string(),
  kind: z.string(),
  targets: z.array(z.string()),
  selector: z.string(),
  settings: z.record(z.string(), z.unknown()),
  appliedNs: optional(z.number()),
  dueNs: optional(z.number()),
  liftedNs: optional(z.number()),
  endedNs: optional(z.number()),
  goneNs: optional(z.number()),
  released: optional(object({ firstNs: z.number(), lastNs: z.number() })),
  applySkewNs: optional(z.number()),
  liftSkewNs: optional(z.number()),
  witness: optional(
    object({ source: z.string(), counts: numbers, perNode: optional(z.record(z.string(), numbers)) }),
  ),
  bit: z.boolean(),
  gone: z.boolean(),
  problems: z.array(z.string()),
});

const host = object({
  verdict: z.enum(['quiet', 'spoiled', 'unknown']),
  measures: z.array(
    object({
      name: z.string(),
      value: z.number().nullable(),
      unit: z.string(),
      threshold: optional(z.number()),
      exceeded: z.boolean(),
    }),
  ),
  reasons: z.array(z.string()),
});

const pcap = object({
  snapBytes: z.number(),
  fileBytes: z.number(),
  fromNs: optional(z.number()),
  toNs: optional(z.number()),
  utcMinusMonotonicUs: optional(z.number().describe('Added to atNs / 1000: UTC of a packet, µs since 1970.')),
  files: z.array(
    object({
      node: z.string(),
      path: z.string(),
      bytes: z.number(),
      packets: optional(z.number()),
      kernelDropped: optional(z.number()),
      unread: optional(z.number()),
      overLimit: optional(z.number()),
      complete: z.boolean(),
    }),
  ),
  problems: z.array(z.string()),
});

const trial = object({
  recordVersion: z.number().int(),
  runId: z.string(),
  suite: z.string(),
  scenario: z.string(),
  point,
  pointId: z.string(),
  trial: z.number().int().positive(),
  seed: z.string(),
  warp: z.number().positive(),
  bed: object({ id: z.string(), reused: z.boolean(), trialOnBed: z.number() }),
  startedAt: z.string(),
  startNs: z.number(),
  endNs: z.number(),
  overheadMs: z.number(),
  outcome: z.enum(['completed', 'void', 'error', 'aborted']),
  hung: optional(z.boolean()),
  reasons: z.array(z.string()),
  nodes: z.array(node),
  phases: z.array(object({ name: z.string(), startNs: z.number(), endNs: z.number() })),
  faults: z.array(fault),
  steps: z.array(
    object({ name: z.string(), startNs: z.number(), endNs: z.number(), detail: optional(z.string()) }),
  ),
  host,
  cleanAfter: z.boolean(),
  measures: z.record(z.string(), measureValue),
  checks: z.array(check),
  expectations: z.array(expectation),
  events: object({
    count: z.number(),
    lost: z.number(),
    truncated: z.boolean(),
    byName: optional(numbers),
  }),
  pcap: optional(pcap),
});

const parameterShape = object({
  name: z.string(),
  type: z.enum(['integer', 'number', 'duration', 'ratio', 'choice', 'text', 'boolean']),
  description: optional(z.string()),
});

const comparedMeasure = object({
  measure: z.string(),
  better: z.enum(['lower', 'higher', 'same']),
  margin: z.number().nonnegative(),
  statistic: optional(z.enum(['mean', 'median'])),
  openAs: optional(z.string()),
  rankBelow: optional(z.number()),
  level: optional(z.number()),
  reason: optional(z.string()),
});

const gateMeasured = {
  defect: z.string(),
  shown: z.number(),
  trials: z.number(),
  source: optional(z.string()),
};

const plannedScenario = object({
  suite: z.string(),
  scenario: z.string(),
  description: z.string(),
  kills: z.array(z.string()),
  mayHang: optional(z.boolean()),
  points: z.array(
    object({
      point,
      pointId: z.string(),
      trials: z.number(),
      enough: optional(
        object({ measure: z.string(), from: z.number(), halfWidth: z.number(), halfWidthRatio: z.number() }),
      ),
      atLeast: optional(z.number()),
      clearEarly: optional(z.boolean()),
      estimatedMs: z.number(),
      warp: optional(z.number()),
      gate: optional(object(gateMeasured)),
    }),
  ),
  checks: z.array(check),
  expectations: z.array(expectation),
  waivers: optional(z.array(waiver)),
  published: z.array(published),
  parameters: optional(z.array(parameterShape)),
  measure: optional(z.array(z.string())),
  aggregates: optional(
    z.array(
      object({
        title: z.string(),
        op: z.enum(['sum', 'max', 'mean', 'ratio', 'onset', 'trials']),
        measure: z.string(),
        of: optional(z.string()),
        along: optional(z.string()),
        where,
        less: optional(where),
        atLeast: optional(object({ trials: optional(z.number()), points: optional(z.number()) })),
        firstTrials: optional(z.number()),
        unit: z.string(),
        published: optional(z.array(z.string())),
      }),
    ),
  ),
  comparisons: optional(
    z.array(
      object({
        title: z.string(),
        parameter: z.string(),
        baseline: parameterValue,
        candidate: parameterValue,
        where: optional(where),
        primary: comparedMeasure,
        noMore: optional(z.array(comparedMeasure)),
        secondary: optional(z.array(comparedMeasure)),
        noLoss: optional(z.array(z.string())),
      }),
    ),
  ),
  measures: z.array(object({ name: z.string(), title: z.string(), unit: z.string() })),
  plots: z.array(
    object({
      title: z.string(),
      kind: z.enum(['line', 'survival', 'timeline', 'course', 'graph']),
      where: optional(where),
      x: optional(z.string()),
      y: z.string(),
      course: optional(
        object({
          since: z.string(),
          field: optional(z.string()),
          as: z.enum(['sum', 'level']),
          per: z.enum(['node', 'trial']),
          role: optional(z.string()),
          leaps: optional(z.string()),
          unit: z.string(),
        }),
      ),
      graph: optional(
        object({
          since: z.string(),
          of: z.string(),
          from: z.string(),
          to: z.string(),
          group: optional(object({ event: z.string(), name: z.string(), value: z.string() })),
        }),
      ),
      reference: optional(
        z.array(object({ label: z.string(), places: z.array(object({ x: z.number(), y: z.number() })) })),
      ),
      series: optional(z.string()),
      facet: optional(z.string()),
      xScale: optional(z.enum(['linear', 'log'])),
      yScale: optional(z.enum(['linear', 'symlog'])),
    }),
  ),
});

const plan = object({
  recordVersion: z.number().int(),
  runId: z.string(),
  squallVersion: z.string(),
  startedAt: z.string(),
  command: z.array(z.string()),
  repeat: optional(z.string()),
  seed: z.string(),
  warp: z.number(),
  host: hostClass,
  scenarios: z.array(plannedScenario),
});

const interval = object({ low: z.number(), high: z.number(), level: z.number(), method: z.string() });
const finding = object({
  subject: z.string(),
  observed: z.string(),
  expected: z.string(),
  atNs: optional(z.number()),
  trial: optional(z.number()),
});

const checkResult = object({
  title: z.string(),
  check: z.string(),
  kind: checkKind,
  verdict,
  rawVerdict: verdict,
  expected: optional(expectedOutcome),
  waived: optional(object(waived)),
  sentence: z.string(),
  reason: optional(z.string()),
  estimate: optional(z.number()),
  interval: optional(interval),
  bound: optional(object({ op: z.enum(['<=', '<', '>=', '>', '=']), value: z.number(), unit: z.string() })),
  excludesRate: optional(z.number()),
  findings: z.array(finding),
});

const measureSummary = object({
  values: z.array(z.number().nullable()),
  mean: optional(z.number()),
  median: optional(z.number()),
  p90: optional(z.number()),
  min: optional(z.number()),
  max: optional(z.number()),
  interval: optional(interval),
  medianInterval: optional(interval),
  unit: optional(z.string()),
});

const aggregateResult = object({
  suite: z.string(),
  scenario: z.string(),
  title: z.string(),
  value: z.number().nullable(),
  unit: z.string(),
  short: optional(z.boolean()),
  points: z.number(),
  trials: z.number(),
  detail: z.string(),
  published: z.array(published),
});

const pointResult = object({
  suite: z.string(),
  scenario: z.string(),
  point,
  pointId: z.string(),
  trials: object({
    planned: z.number(),
    completed: z.number(),
    void: z.number(),
    error: z.number(),
    aborted: z.number(),
    counted: optional(z.number()),
    stoppedEarly: optional(z.boolean()),
    hung: optional(z.number()),
  }),
  measures: z.record(z.string(), measureSummary),
  checks: z.array(checkResult),
  published: z.array(published),
  gate: optional(
    object({ ...gateMeasured, atLeastRate: z.number(), furtherTrials: z.number(), sentence: z.string() }),
  ),
  verdict,
});

const comparisonOutcome = z.enum(['better', 'no worse', 'worse', 'agrees', 'differs', 'unclear']);
const comparison = object({
  suite: z.string(),
  scenario: z.string(),
  title: z.string(),
  baseline: z.string(),
  candidate: z.string(),
  verdict,
  outcome: comparisonOutcome,
  sentence: z.string(),
  metrics: z.array(
    object({
      measure: z.string(),
      role: z.enum(['primary', 'guard', 'secondary']),
      unit: z.string(),
      better: z.enum(['lower', 'higher', 'same']),
      margin: z.number(),
      baselineTrials: z.number(),
      candidateTrials: z.number(),
      baselineOpen: optional(z.number()),
      candidateOpen: optional(z.number()),
      baselineEstimate: optional(z.number()),
      candidateEstimate: optional(z.number()),
      effect: optional(z.number()),
      interval: optional(interval),
      pValue: optional(z.number()),
      adjustedPValue: optional(z.number()),
      outcome: comparisonOutcome,
      sentence: z.string(),
    }),
  ),
  losses: z.array(finding),
  voids: object({ baseline: z.number(), candidate: z.number(), unequal: z.boolean() }),
});

const run = object({
  recordVersion: z.number().int(),
  squallVersion: z.string(),
  runId: z.string(),
  startedAt: z.string(),
  endedAt: z.string(),
  verdict,
  exitCode: z.number().int(),
  partial: z.boolean(),
  seed: z.string(),
  repeat: z.string(),
  host: hostClass,
  points: z.array(pointResult),
  comparisons: optional(z.array(comparison)),
  aggregates: optional(z.array(aggregateResult)),
  errors: z.array(z.string()),
  notes: optional(z.array(z.string())),
  judgedBy: optional(z.enum(['recorded', 'today'])),
  counts: object({ pass: z.number(), fail: z.number(), inconclusive: z.number(), voidTrials: z.number() }),
});

/** The records' schemas, one a file of the run's folder. */
export const SCHEMAS = {
  event: event as unknown as z.ZodType<RecordedEvent>,
  trial: trial as unknown as z.ZodType<TrialRecord>,
  plan: plan as unknown as z.ZodType<PlanRecord>,
  run: run as unknown as z.ZodType<RunRecord>,
} as const;

/** JSON Schema of the whole record: `run.json` at the root, the other files under `$defs`. */
export function recordSchema(): Record<string, unknown> {
  const schemaOf = (schema: z.ZodType): Record<string, unknown> => {
    const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>;
    return rest;
  };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Squall run record',
    description: 'run.json; plan.json, trial.json and a line of events.jsonl are under $defs.',
    ...schemaOf(SCHEMAS.run),
    $defs: {
      plan: schemaOf(SCHEMAS.plan),
      trial: schemaOf(SCHEMAS.trial),
      event: schemaOf(SCHEMAS.event),
    },
  };
}
