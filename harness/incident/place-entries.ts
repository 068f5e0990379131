import { attempt, type ProblemPath } from '../document/index.ts';
import { type FaultStep, fillTemplate, type ParameterSpec } from '../scenario/index.ts';
import { parseDurationMs } from '../units/index.ts';
import type { TimelineEntry } from './incident-schema.ts';
import { type Moment, parseMoment } from './moment.ts';
import type { Happening, Incident, IncidentAction, IncidentValues, SourcedEntry } from './types.ts';
import { parameterOf } from './unknowns.ts';

/** What an entry can say that happened. */
const VERBS = ['outage', 'restart', 'join', 'fault', 'lift', 'admin', 'exec', 'do'] as const;

/** How far off an instant was, as a share of its error from −1 to 1; `key` is the same for the same time. */
export type Jitter = (key: string) => number;

/** Reports what is wrong with entry `index`, by a path within it. */
export type EntryReport = (index: number, path: ProblemPath, message: string) => void;

interface Placing {
  readonly incident: Incident;
  readonly values: IncidentValues;
  readonly jitter: Jitter;
  readonly report: EntryReport;
}

/**
 * The entries of an incident as happenings on one timeline, with what is not known filled in; remarks are left out. The
 * start is `times.start`, or else the earliest instant; happenings before it are moved to it.
 */
export function placeEntries(
  incident: Incident,
  values: IncidentValues,
  jitter: Jitter,
  report: EntryReport,
): Happening[] {
  const placing: Placing = { incident, values, jitter, report };
  const filled = incident.entries.map((sourced, index) => ({
    sourced,
    index,
    ...fill(placing, sourced, index),
  }));
  const startMs = startOf(placing, filled);
  return filled.flatMap(({ sourced, index, entry, at }) => {
    const action = entry && actionOf(placing, entry, sourced, index, at);
    if (!entry || !at || !action) return [];
    const offMs = at.kind === 'at' ? jitter(`${sourced.origin}/at`) * errorOf(sourced, entry) : 0;
    const atMs = at.kind === 'after' ? at.ms : at.epochMs + offMs - startMs;
    const id = `e${index + 1}`;
    return [{ id, origin: sourced.origin, atMs: Math.max(0, atMs), keep: entry.keep ?? false, action }];
  });
}

function fill(
  { incident, values, report }: Placing,
  { entry, zone }: SourcedEntry,
  index: number,
): { readonly entry?: TimelineEntry; readonly at?: Moment } {
  const filled = attemptIn(report, index, [], () => fillTemplate(entry, parametersOf(incident), values));
  if (!filled) return {};
  const at = attemptIn(report, index, ['at'], () => parseMoment(filled.at, zone));
  return { entry: filled, ...(at && { at }) };
}

/** Unknowns as the parameters of a scenario; what a fix changes stays as it is written. */
function parametersOf(incident: Incident): Record<string, ParameterSpec> {
  return Object.fromEntries(
    Object.entries(incident.unknown).map(([name, spec]) => [name, parameterOf(spec)]),
  );
}

function startOf(
  { incident, report }: Placing,
  entries: readonly { readonly at?: Moment; readonly index: number }[],
): number {
  const instants = entries.flatMap(({ at }) => (at?.kind === 'at' ? [at.epochMs] : []));
  if (incident.start === undefined) {
    const relative = entries.find(({ at }) => at?.kind === 'after');
    if (relative && instants.length > 0) {
      report(relative.index, ['at'], '"+…" counts from times.start, which is missing beside times of day');
    }
    return Math.min(...instants, Number.MAX_SAFE_INTEGER);
  }
  const start = parseMoment(incident.start, incident.entries[0]?.zone ?? 'UTC');
  return start.kind === 'at' ? start.epochMs : 0;
}

function errorOf(sourced: SourcedEntry, entry: TimelineEntry): number {
  return entry.error === undefined ? sourced.errorMs : parseDurationMs(entry.error);
}

function actionOf(
  placing: Placing,
  entry: TimelineEntry,
  sourced: SourcedEntry,
  index: number,
  at: Moment | undefined,
): IncidentAction | undefined {
  const { report } = placing;
  const verbs = VERBS.filter((verb) => entry[verb] !== undefined);
  if (verbs.length === 0) {
    if (entry.note === undefined)
      report(index, [], `nothing happens; expected one of ${VERBS.join(', ')}, or note`);
    return undefined;
  }
  if (verbs.length > 1) report(index, [], `one thing an entry; found ${verbs.join(' and ')}`);
  const forMs = lengthOf(placing, entry, sourced, index, at);
  const verb = verbs[0];
  if (verb === 'lift') return { verb, id: entry.lift as string };
  if (verb === 'join') return { verb, on: entry.join as string };
  if (verb === 'admin' && entry.admin) return { verb, admin: entry.admin };
  if (verb === 'exec' && entry.exec) return { verb, exec: entry.exec };
  if (verb === 'do' && entry.do) return { verb, do: entry.do };
  const { for: _length, ...fault } = faultOf(entry);
  return { verb: 'fault', fault, ...(forMs !== undefined && { forMs }) };
}

function faultOf(entry: TimelineEntry): FaultStep {
  if (entry.outage !== undefined) return { kind: 'drop', on: entry.outage };
  if (entry.restart !== undefined) return { kind: 'restart', on: entry.restart };
  return entry.fault as FaultStep;
}

/** How long it lasted: said once, as "for" or by the time at which it was over. */
function lengthOf(
  { report, jitter }: Placing,
  entry: TimelineEntry,
  sourced: SourcedEntry,
  index: number,
  at: Moment | undefined,
): number | undefined {
  const said = [entry.until, entry.for, entry.fault?.for].filter((one) => one !== undefined);
  if (said.length > 1) report(index, [], 'its length is said twice; expected "for" or "until", once');
  const length = entry.for ?? entry.fault?.for;
  const path = entry.for === undefined ? ['fault', 'for'] : ['for'];
  if (length !== undefined) return attemptIn(report, index, path, () => parseDurationMs(length));
  if (entry.until === undefined || !at) return undefined;
  const { until: written } = entry;
  const until = attemptIn(report, index, ['until'], () => parseMoment(written, sourced.zone));
  if (!until) return undefined;
  if (until.kind !== at.kind) {
    report(index, ['until'], 'expected a time of the same kind as "at": both +12m, or both instants');
    return undefined;
  }
  const exactMs =
    until.kind === 'after'
      ? until.ms - (at as { ms: number }).ms
      : until.epochMs - (at as { epochMs: number }).epochMs;
  if (exactMs <= 0) report(index, ['until'], 'it was over before it began');
  if (until.kind === 'after') return exactMs;
  const errorMs = errorOf(sourced, entry);
  const offMs = (jitter(`${sourced.origin}/until`) - jitter(`${sourced.origin}/at`)) * errorMs;
  return Math.max(1, Math.round(exactMs + offMs));
}

const attemptIn = <T>(report: EntryReport, index: number, path: ProblemPath, work: () => T): T | undefined =>
  attempt((at, message) => report(index, at, message), path, work);
