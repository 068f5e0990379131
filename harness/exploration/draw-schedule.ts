import { SquallError } from '../errors/index.ts';
import type { Happening, IncidentAction, IncidentCase } from '../incident/index.ts';
import { type SeededStream, stream } from '../random/index.ts';
import type { ParameterValue } from '../record/index.ts';
import { type FaultStep, fillTemplate, type ParameterSpec } from '../scenario/index.ts';
import { parseDurationMs } from '../units/index.ts';
import type { FaultTemplate } from './exploration-schema.ts';
import type { Exploration } from './read-exploration.ts';

/** Faults begin and end at whole tenths of a second, as a person would write them. */
const GRAIN_MS = 100;

/** The n-th schedule of a seed: how many faults, which, when, for how long and on whom. The same seed draws the same ones. */
export function drawSchedule(exploration: Exploration, seed: string, number: number): IncidentCase {
  const chance = stream(seed, `schedule/${number}`);
  const { happenings, span } = exploration.schedule;
  const count = happenings.from + chance.integer(happenings.to - happenings.from + 1);
  const spanMs = parseDurationMs(span);
  const drawn = Array.from({ length: count }, (_, index): Happening => {
    const id = `f${index + 1}`;
    const own = chance.derive(id);
    const template = weighed(exploration.faults, own);
    const atMs = grained(own.next() * spanMs);
    const forMs = template.for && Math.max(GRAIN_MS, grained(Number(between('for', template.for, own))));
    const action = actionOf(filled(template, own), id, forMs);
    return { id, origin: `schedule ${number}`, atMs, keep: true, action };
  });
  const first = Math.min(...drawn.map(({ atMs }) => atMs));
  return {
    values: {},
    // Nothing has happened before the first: it begins the timeline.
    happenings: drawn.map((one) => ({ ...one, atMs: one.atMs - first })).sort((a, b) => a.atMs - b.atMs),
    watchMs: exploration.watchMs,
    counts: {},
  };
}

function weighed(templates: readonly FaultTemplate[], chance: SeededStream): FaultTemplate {
  const total = templates.reduce((sum, { weight }) => sum + weight, 0);
  let left = chance.next() * total;
  for (const template of templates) {
    left -= template.weight;
    if (left < 0) return template;
  }
  return templates.at(-1) as FaultTemplate;
}

type Deed = Pick<FaultTemplate, 'fault' | 'do' | 'admin'>;

function actionOf(deed: Deed, id: string, forMs: number | undefined): IncidentAction {
  if (deed.do) return { verb: 'do', do: deed.do };
  if (deed.admin) return { verb: 'admin', admin: deed.admin };
  const fault = deed.fault as FaultStep;
  return {
    verb: 'fault',
    fault: { ...fault, id: `${fault.id ?? fault.kind}-${id}` },
    ...(forMs !== undefined && { forMs }),
  };
}

function filled({ fault, do: action, admin, draw }: FaultTemplate, chance: SeededStream): Deed {
  const values = Object.entries(draw).map(([name, range]) => [name, between(name, range, chance)] as const);
  const parameters = Object.fromEntries(
    values.map(([name, value]): readonly [string, ParameterSpec] => [
      name,
      { type: isDuration(draw[name]?.from) ? 'duration' : 'number', description: '', default: value },
    ]),
  );
  const deed: Deed = { ...(fault && { fault }), ...(action && { do: action }), ...(admin && { admin }) };
  return fillTemplate(deed, parameters, Object.fromEntries(values));
}

/** A value of a range: whole where both its ends are, ms where they are durations. */
export function between(
  name: string,
  { from, to }: { readonly from: ParameterValue; readonly to: ParameterValue },
  chance: SeededStream,
): number {
  const [low, high] = [numberOf(name, from), numberOf(name, to)];
  if (isDuration(from)) return grained(low + chance.next() * (high - low));
  if (Number.isInteger(low) && Number.isInteger(high)) return low + chance.integer(high - low + 1);
  return Number((low + chance.next() * (high - low)).toPrecision(3));
}

/** @throws SquallError `bad-range` (input) */
export function numberOf(name: string, value: ParameterValue): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return parseDurationMs(value);
  throw new SquallError(`${name}: ${String(value)} is no end of a range; expected a number or a duration`, {
    code: 'bad-range',
    blame: 'input',
  });
}

function isDuration(value: ParameterValue | undefined): boolean {
  return typeof value === 'string';
}

function grained(ms: number): number {
  return Math.round(ms / GRAIN_MS) * GRAIN_MS;
}
