import { lengthOf } from './scenario-of.ts';
import type { Happening, IncidentAction, IncidentCase } from './types.ts';

/** One number of a case that can be made smaller. */
export interface Dimension {
  /** What it is, for people: `nodes of role member`, `e1: how long`. */
  readonly what: string;
  readonly value: number;
  readonly lowest: number;
  readonly step: number;
  readonly unit: 'nodes' | 'ms';
  with(value: number): IncidentCase;
}

const STEP_MS = 1_000;

/** Nodes of each role: fewer nodes make every later trial cheaper, so they come first. */
export function nodeDimensions(one: IncidentCase, roles: Readonly<Record<string, number>>): Dimension[] {
  return Object.entries(roles).map(([role, count]) => ({
    what: `nodes of role ${role}`,
    value: one.counts[role] ?? count,
    lowest: 1,
    step: 1,
    unit: 'nodes',
    with: (value) => ({ ...one, counts: { ...one.counts, [role]: value } }),
  }));
}

/** How many nodes each happening meets, where its selectors say so: `pick(4,…)`, `member[1..4]`. */
export function targetDimensions(one: IncidentCase): Dimension[] {
  return one.happenings.flatMap((happening) =>
    selectorsOf(happening.action).flatMap(({ key, text }) =>
      numbersIn(text).map(({ value, lowest, write }) => ({
        what: `${happening.id}: nodes of "${text}"`,
        value,
        lowest,
        step: 1,
        unit: 'nodes' as const,
        with: (smaller: number) =>
          replaced(one, { ...happening, action: withSelector(happening.action, key, write(smaller)) }),
      })),
    ),
  );
}

/** How long each fault lasts, the pauses between happenings, and the time that is watched. */
export function timeDimensions(one: IncidentCase): Dimension[] {
  const lengths = one.happenings.flatMap((happening): Dimension[] => {
    const { action } = happening;
    const lengthMs = lengthOf(happening);
    if (action.verb !== 'fault' || lengthMs === undefined) return [];
    return [
      ms(`${happening.id}: how long`, lengthMs, STEP_MS, (value) =>
        replaced(one, { ...happening, action: { ...action, forMs: value } }),
      ),
    ];
  });
  const moments = [...new Set(one.happenings.map(({ atMs }) => atMs))].sort((a, b) => a - b);
  const pauses = moments.map((atMs, index) => {
    const beforeMs = moments[index - 1] ?? 0;
    return ms(`pause before ${atMs} ms`, atMs - beforeMs, 0, (value) => ({
      ...one,
      happenings: one.happenings.map((happening) =>
        happening.atMs < atMs
          ? happening
          : { ...happening, atMs: happening.atMs - (atMs - beforeMs - value) },
      ),
    }));
  });
  const watched = ms('time watched', one.watchMs, STEP_MS, (value) => ({ ...one, watchMs: value }));
  return [...lengths, ...pauses.filter(({ value }) => value > 0), watched];
}

function ms(what: string, value: number, lowest: number, change: Dimension['with']): Dimension {
  return { what, value, lowest, step: STEP_MS, unit: 'ms', with: change };
}

function replaced(one: IncidentCase, changed: Happening): IncidentCase {
  return { ...one, happenings: one.happenings.map((other) => (other.id === changed.id ? changed : other)) };
}

/** Numbers of a selector that say how many nodes are meant. */
function numbersIn(
  text: string,
): { readonly value: number; readonly lowest: number; readonly write: (value: number) => string }[] {
  const found = [...text.matchAll(/pick\((?<pick>\d+)|\[(?<from>\d+)\.\.(?<to>\d+)\]/g)];
  return found.map((match) => {
    const { pick, from, to } = match.groups ?? {};
    const start = match.index;
    const rest = text.slice(start + match[0].length);
    const write = (value: number): string =>
      text.slice(0, start) + (pick === undefined ? `[${from}..${value}]` : `pick(${value}`) + rest;
    return { value: Number(pick ?? to), lowest: pick === undefined ? Number(from) : 1, write };
  });
}

type SelectorKey = 'on' | 'from' | 'to';

function selectorsOf(action: IncidentAction): { readonly key: SelectorKey; readonly text: string }[] {
  const holder = holderOf(action);
  return (['on', 'from', 'to'] as const).flatMap((key) => {
    const text = holder[key];
    return typeof text === 'string' ? [{ key, text }] : [];
  });
}

function holderOf(action: IncidentAction): Readonly<Record<string, unknown>> {
  if (action.verb === 'fault') return action.fault;
  if (action.verb === 'admin') return action.admin;
  if (action.verb === 'exec') return action.exec;
  return action.verb === 'join' ? { on: action.on } : {};
}

function withSelector(action: IncidentAction, key: SelectorKey, text: string): IncidentAction {
  switch (action.verb) {
    case 'fault':
      return { ...action, fault: { ...action.fault, [key]: text } };
    case 'admin':
      return { ...action, admin: { ...action.admin, [key]: text } };
    case 'exec':
      return { ...action, exec: { ...action.exec, [key]: text } };
    case 'join':
      return { ...action, on: text };
    case 'do':
    case 'lift':
      return action;
  }
}
