import { z } from 'zod';
import { KNOWN_FAULT_KINDS } from './fault-kinds.ts';

const value = z.union([z.string(), z.number(), z.boolean()]);
const point = z.record(z.string(), value);
const where = z.record(z.string(), z.union([value, z.array(value)]));
const duration = z
  .string({ error: 'expected a duration such as 40s' })
  .describe('a duration such as 40s or 1m30s');

const parameter = z.strictObject({
  type: z.enum(['integer', 'number', 'duration', 'ratio', 'choice', 'text', 'boolean']),
  description: z.string(),
  default: value,
  choices: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  side: z.boolean().optional().describe('its values are sides to compare and get the same seeds'),
});

const grid = z.strictObject({
  description: z.string().default(''),
  axes: z.record(z.string(), z.array(value)).default({}),
  points: z.array(point).optional(),
  trials: z.int().min(1).optional(),
  enough: z
    .strictObject({
      measure: z.string(),
      from: z.int().min(2).describe('never fewer counted trials than this'),
      halfWidth: z.number().min(0).describe('of the 95 % interval of the mean, in the unit of the measure'),
      halfWidthRatio: z.number().min(0).default(0).describe('or this share of the mean, where that is more'),
    })
    .optional()
    .describe('a point has trials enough once this interval is narrow'),
});

const course = z
  .strictObject({
    since: z.string().describe('event from which time is counted'),
    field: z.string().optional().describe('field that is added up or shown; each event counts 1 without'),
    as: z.enum(['sum', 'level']),
    per: z.enum(['node', 'trial']),
    role: z.string().optional().describe('only what nodes of this role tell'),
    leaps: z.string().optional().describe('event whose leapMs is added to the time of what follows'),
    unit: z.string(),
  })
  .describe('how events become lines over time');

const graph = z
  .strictObject({
    since: z.string().describe('nothing before the last event of this name is shown'),
    of: z.string().describe('field with what the graph is of; the one with most events is shown'),
    from: z.string().describe('field with a name'),
    to: z.string().describe('field with a name or a list of them'),
    group: z
      .strictObject({ event: z.string(), name: z.string(), value: z.string() })
      .optional()
      .describe('what puts names into groups'),
  })
  .describe('how events become a graph');

const reference = z.strictObject({
  label: z.string(),
  places: z.array(z.strictObject({ x: z.number(), y: z.number() })).min(1),
});

const condition = z.union([
  z.strictObject({
    event: z.string(),
    on: z.string().optional(),
    count: z.union([z.int().min(1), z.literal('all'), z.string().regex(/^\$\{.+\}$/)]).optional(),
    where: z.record(z.string(), z.unknown()).optional(),
  }),
  z.strictObject({ predicate: z.string(), parameters: z.record(z.string(), z.unknown()).optional() }),
]);

const fault = z
  .object({
    kind: z.enum(KNOWN_FAULT_KINDS),
    id: z.string().optional(),
    on: z.string().optional().describe('selector of the nodes that feel it'),
    from: z.string().optional(),
    to: z.string().optional(),
    direction: z.enum(['in', 'out', 'both']).optional(),
    protocol: z.enum(['udp', 'tcp', 'all']).optional(),
    ports: z.array(z.int().min(1).max(65_535)).optional(),
    for: duration.optional(),
    mustShow: z.record(z.string(), z.number()).optional(),
  })
  // The settings of the kind; the fault room checks them by name and type.
  .catchall(z.unknown());

const name = z.string().optional();
// One object with optional verbs, so that an unknown key is named as such; that exactly one verb stands is checked after.
const step = z.strictObject({
  name,
  when: where.optional().describe('only at points that match'),
  wait: duration.optional().describe('lets time pass'),
  until: condition.optional().describe('waits for an event or a predicate; needs "within"'),
  within: duration.optional(),
  orElse: z.enum(['void', 'fail', 'continue']).optional(),
  fault: fault.optional().describe('applies a fault and, with "for", waits until it has lifted'),
  faults: z.array(fault).optional().describe('applies several faults at one instant'),
  background: z.boolean().optional(),
  lift: z.string().optional().describe('lifts the fault of this id, or * for all'),
  admin: z
    .strictObject({
      on: z.string(),
      method: z.enum(['GET', 'POST']),
      path: z.string().startsWith('/'),
      body: z.unknown().optional(),
    })
    .optional(),
  exec: z.strictObject({ on: z.string(), command: z.array(z.string()).min(1) }).optional(),
  do: z
    .strictObject({ action: z.string(), parameters: z.record(z.string(), z.unknown()).default({}) })
    .optional()
    .describe('what a suite that is named under "uses" has registered'),
});

const check = z.strictObject({
  check: z.string(),
  title: z.string(),
  kind: z.enum(['invariant', 'estimate', 'guard']),
  parameters: z.record(z.string(), z.unknown()).default({}),
  reason: z.string().optional(),
  where: where.optional(),
});

const overrides = z.strictObject({
  counts: z.record(z.string(), z.union([z.int(), z.string()])).optional(),
  variant: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
  settings: z.record(z.string(), z.record(z.string(), value)).optional(),
  images: z.record(z.string(), z.string()).optional().describe('role → image in place of its own'),
});

const comparedMeasure = z.strictObject({
  measure: z.string(),
  better: z.enum(['lower', 'higher', 'same']).describe('same: the two sides are to agree, either way apart'),
  margin: z
    .number()
    .min(0)
    .describe(
      'worse by less than this, in the unit of the measure, is no worse; with same: apart by less agrees',
    ),
  statistic: z.enum(['mean', 'median']).optional(),
  openAs: z
    .string()
    .optional()
    .describe(
      'measure of how far each trial was watched; what was not seen to happen counts as that much at least',
    ),
  rankBelow: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('with same: sides that the rank test tells apart with a p below this do not agree'),
  reason: z.string().optional(),
});

const comparison = z.strictObject({
  title: z.string(),
  parameter: z
    .string()
    .describe('the parameter whose values are the two sides; warp: speeds, where a run has both'),
  baseline: value,
  candidate: value,
  where: where
    .optional()
    .describe('over these points only, and left out, with a note, where a run has not both sides there'),
  primary: comparedMeasure.describe('the measure that decides'),
  noMore: z
    .array(comparedMeasure)
    .optional()
    .describe('measures of which a candidate must not have more than its baseline: worse fails it'),
  secondary: z.array(comparedMeasure).optional(),
  noLoss: z.array(z.string()).optional().describe('measures that must be 0 in every trial of the candidate'),
});

const aggregate = z.strictObject({
  title: z.string(),
  op: z.enum(['sum', 'max', 'mean', 'ratio', 'onset', 'trials']),
  measure: z.string(),
  of: z.string().optional().describe('for ratio: the measure to divide by'),
  along: z.string().optional().describe('for onset: the parameter along which the measure leaves 0'),
  where: where.default({}),
  less: where
    .optional()
    .describe('a difference: the same figure at the same place but for these values is taken off'),
  atLeast: z
    .strictObject({ trials: z.int().min(1).optional(), points: z.int().min(1).optional() })
    .optional()
    .describe('of fewer there is no figure'),
  firstTrials: z
    .int()
    .min(1)
    .optional()
    .describe('over the first so many counted trials of each point; of measures with one value a trial'),
  unit: z.string(),
  published: z.array(z.string()).optional(),
});

/** The shape of a `*.scenario.yaml`, and of what `describeScenario` takes but for functions. */
export const SCENARIO = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    topology: z.string().describe('topology file relative to the suite, or its name under topologies/'),
    uses: z
      .array(z.string())
      .optional()
      .describe('suites whose measures, checks and predicates it names, relative to this file or by name'),
    parameters: z.record(z.string(), parameter).default({}),
    overrides: overrides.optional(),
    grids: z.record(z.string(), grid).default({ default: { description: '', axes: {} } }),
    defaultGrid: z.string().default('default'),
    trials: z.int().min(1).default(1),
    onlyWhenNamed: z.boolean().optional(),
    oneBedAtATime: z.boolean().optional(),
    bed: z
      .union([z.enum(['reuse', 'fresh']), z.string().regex(/^\$\{[^}]+\}$/)])
      .default('reuse')
      .describe('one bed, reset between trials, or one for each; a parameter may say which'),
    phases: z.array(z.strictObject({ name: z.string(), steps: z.array(step) })),
    measure: z.array(z.string()).default([]),
    measures: z.array(z.strictObject({ name: z.string(), title: z.string(), unit: z.string() })).default([]),
    plots: z
      .array(
        z.strictObject({
          title: z.string(),
          kind: z.enum(['line', 'survival', 'timeline', 'course', 'graph']),
          where: where.optional().describe('only these points'),
          x: z.string().optional(),
          y: z.string().describe('a measure; of a timeline, course or graph an event'),
          course: course.optional(),
          graph: graph.optional(),
          reference: z.array(reference).optional().describe('what is reckoned and not measured'),
          series: z.string().optional(),
          facet: z.string().optional(),
          xScale: z.enum(['linear', 'log']).optional(),
          yScale: z.enum(['linear', 'symlog']).optional(),
        }),
      )
      .optional(),
    checks: z.array(check),
    expect: z
      .array(
        z.strictObject({
          where,
          check: z.string(),
          outcome: z.enum(['pass', 'fail']),
          reason: z.string().optional(),
        }),
      )
      .optional(),
    published: z
      .array(
        z.strictObject({
          id: z.string(),
          label: z.string(),
          value: z.union([z.number(), z.string()]),
          unit: z.string(),
          where: point.optional(),
          measure: z.string().optional(),
          quote: z.string(),
        }),
      )
      .optional(),
    aggregates: z.array(aggregate).optional().describe('figures over many points'),
    comparisons: z.array(comparison).optional().describe('two sides, interleaved on the same seeds'),
    kills: z
      .array(
        z.strictObject({
          mutant: z.string(),
          point: point.optional(),
          trials: z.int().min(1).optional(),
          showRate: z.number().min(0).max(1).optional(),
          reason: z.string().optional(),
        }),
      )
      .optional(),
    warp: z.strictObject({ ceiling: z.number().min(1), control: z.string() }).optional(),
    timeBudget: duration.optional(),
    shortestTimeout: duration.optional(),
    gate: z
      .strictObject({
        point,
        defect: z.string().describe('what must show there, as the subject of a sentence: the leak'),
        power: z.strictObject({
          shown: z.int().min(0),
          trials: z.int().min(1),
          source: z.string().optional().describe('the runs that they were counted in, with their seeds'),
        }),
      })
      .optional()
      .describe('the point at which a gate must fail, and in how many trials it was measured to'),
  })
  .describe('A Squall scenario');

/** Shapes that other documents share with scenarios: steps, faults, and values of parameters. */
export const SCENARIO_PARTS = { step, fault, value, duration, overrides } as const;

/** JSON Schema of scenario files, for editors and for `squall schema scenario`. */
export function scenarioSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(SCENARIO, { io: 'input' });
}
