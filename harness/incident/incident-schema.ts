import { z } from 'zod';
import { SCENARIO_PARTS } from '../scenario/index.ts';

const { step, fault, value, duration, overrides } = SCENARIO_PARTS;

const time = z
  .string({ error: 'expected a time such as +12m, 2026-03-14T02:23:10+01:00 or 2026-03-14 02:23:10' })
  .describe('+12m after the start, or an instant: with its offset, or on the clocks of the zone');
const selector = z.string().describe('selector of the nodes');

const entry = z
  .strictObject({
    at: time,
    error: duration.optional().describe('the time may be wrong by this much, either way'),
    until: time.optional().describe('when it was over; or say "for"'),
    for: duration.optional(),
    keep: z.boolean().optional().describe('the pause before it matters and is not shortened'),
    note: z.string().optional(),
    outage: selector.optional().describe('nodes that lost their network: a drop, both ways'),
    restart: selector.optional().describe('nodes that restarted'),
    join: selector.optional().describe('nodes that were absent until then'),
    fault: fault.optional().describe('any other fault, as in a scenario'),
    lift: z.string().optional().describe('id of the fault that ended'),
    admin: step.shape.admin,
    exec: step.shape.exec,
    do: step.shape.do,
  })
  .describe('One thing that happened; with "note" alone it is a remark.');

const source = z.strictObject({
  file: z.string().describe('*.csv, or JSON lines; columns are the keys of an entry, others are settings'),
  zone: z.string().optional(),
  error: duration.optional(),
});

const symptom = z.strictObject({
  title: z.string().describe('what ought to have held'),
  check: z.string().describe('a check that fails where the symptom shows'),
  parameters: z.record(z.string(), z.unknown()).default({}),
  reason: z.string().optional(),
});

const unknown = z.strictObject({
  type: z.enum(['integer', 'number', 'duration', 'ratio', 'choice', 'boolean']),
  description: z.string().default(''),
  from: value.optional().describe('lowest it can have been'),
  to: value.optional().describe('highest it can have been'),
  choices: z.array(z.string()).min(1).optional(),
});

const fixed = z.union([z.string(), z.number(), z.boolean()]);

/** The shape of a `*.incident.yaml`. */
export const INCIDENT = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    source: z.string().optional().describe('where it was reported'),
    topology: z.string().describe('topology file relative to this one, or its name under topologies/'),
    uses: z.array(z.string()).optional().describe('suites whose measures, checks and predicates it names'),
    overrides: overrides.default({}),
    warmUp: z.array(step).default([]).describe('steps until the bed is as it was before anything happened'),
    times: z
      .strictObject({
        start: time.optional().describe('what +12m counts from; the earliest instant by default'),
        zone: z.string().default('UTC').describe('of times without an offset: Europe/Berlin, +02:00, UTC'),
        error: duration.default('0').describe('how wrong instants may be, either way'),
      })
      .default({ zone: 'UTC', error: '0' }),
    timeline: z.array(entry).default([]),
    import: z.array(source).default([]).describe('files with further entries'),
    idle: z
      .union([duration, z.literal('keep')])
      .default('30s')
      .describe('longer pauses are shortened to this; keep: none is'),
    watch: duration.default('60s').describe('how long is watched after the last entry'),
    settle: z.array(step).default([]).describe('steps after that, such as asking what is held where'),
    measure: z.array(z.string()).default([]).describe('registered measures that symptoms name'),
    symptoms: z.array(symptom).describe('what was seen: all of them must show in one trial'),
    held: z.array(symptom).default([]).describe('what did hold, and must hold where it is the same incident'),
    unknown: z.record(z.string(), unknown).default({}).describe('what is not known, as ranges and choices'),
    fix: z
      .record(z.string(), z.strictObject({ before: fixed, after: fixed }))
      .default({})
      .describe(
        'what is known to cure it, a variant, a setting, a count or an image: NAME stands as ${NAME} in overrides',
      ),
  })
  .describe('A Squall field incident');

export type IncidentDocument = z.output<typeof INCIDENT>;
export type TimelineEntry = IncidentDocument['timeline'][number];
export type UnknownSpec = IncidentDocument['unknown'][string];
export type SymptomSpec = IncidentDocument['symptoms'][number];

/** One row of an imported file, before its times are read. */
export const ENTRY = entry;

/** JSON Schema of incident files, for editors and for `squall schema incident`. */
export function incidentSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(INCIDENT, { io: 'input' });
}
