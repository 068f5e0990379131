import { z } from 'zod';
import { SCENARIO_PARTS } from '../scenario/index.ts';

const { step, fault, value, duration, overrides } = SCENARIO_PARTS;

const range = z
  .strictObject({ from: value, to: value })
  .describe('from the one to the other, drawn evenly: numbers, or durations such as 5s');

const template = z
  .strictObject({
    fault: fault.optional().describe('as in a scenario; ${NAME} stands for what is drawn'),
    do: step.shape.do.describe('in place of a fault: an action that a suite has registered'),
    admin: step.shape.admin.describe('in place of a fault: a request to admin ports'),
    for: range.optional().describe('how long; until the end of the schedule when left out'),
    draw: z.record(z.string(), range).default({}).describe('what ${NAME} is drawn from, anew each time'),
    weight: z.number().min(0).default(1).describe('how often it is drawn, beside the others'),
  })
  .describe('A disturbance that schedules are made of: a fault, an action or a request.');

const invariant = z.strictObject({
  title: z.string(),
  check: z.string(),
  parameters: z.record(z.string(), z.unknown()).default({}),
  reason: z.string().optional(),
});

/** The shape of a `*.explore.yaml`. */
export const EXPLORATION = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    topology: z.string().describe('topology file relative to this one, or its name under topologies/'),
    uses: z.array(z.string()).optional(),
    overrides: overrides.default({}),
    warmUp: z.array(step).default([]),
    faults: z.array(template).min(1),
    schedule: z
      .strictObject({
        happenings: z
          .strictObject({ from: z.int().min(1), to: z.int().min(1).max(50) })
          .default({ from: 1, to: 4 }),
        span: duration.default('60s').describe('faults begin within it'),
      })
      .default({ happenings: { from: 1, to: 4 }, span: '60s' }),
    watch: duration.default('60s').describe('how long is watched after the last fault'),
    settle: z.array(step).default([]).describe('steps after that, such as asking what is held where'),
    measure: z.array(z.string()).default([]),
    invariants: z.array(invariant).min(1).describe('what must hold in every trial, whatever happens'),
  })
  .describe('A Squall exploration: random fault schedules against invariants');

export type ExplorationDocument = z.output<typeof EXPLORATION>;
export type FaultTemplate = ExplorationDocument['faults'][number];

/** JSON Schema of exploration files, for `squall schema exploration`. */
export function explorationSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(EXPLORATION, { io: 'input' });
}
