import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  attempt,
  gatherProblems,
  type ProblemPath,
  type Report,
  readDocument,
  readDocumentFile,
  requireNoProblems,
  suggestionFor,
} from '../document/index.ts';
import { placeholdersIn, type Step } from '../scenario/index.ts';
import { parseDurationMs } from '../units/index.ts';
import { importEntries } from './import-entries.ts';
import { INCIDENT, type IncidentDocument } from './incident-schema.ts';
import { parseMoment } from './moment.ts';
import { placeEntries } from './place-entries.ts';
import type { Incident, SourcedEntry } from './types.ts';
import { lowestValues, unknownProblems } from './unknowns.ts';
import { isZone } from './zone-time.ts';

/**
 * Reads an incident file and the files that it imports.
 * @throws SquallError `incident-not-found`, `invalid-document` (input) with every problem, by line and column
 */
export function readIncident(file: string): Incident {
  const text = readDocumentFile('incident', file);
  return parseIncident(text, file, (name) => readFileSync(join(dirname(file), name), 'utf8'));
}

/**
 * An incident from YAML.
 * @param readImport the text of a file that it imports, by the name given there; it may throw
 * @throws SquallError `invalid-document` (input) with every problem
 */
export function parseIncident(text: string, file: string, readImport: (name: string) => string): Incident {
  const read = readDocument(text, INCIDENT);
  const { problems, report } = gatherProblems(read);
  // What was left out for not fitting is not said to be wrong a second time.
  if (read.salvaged && read.problems.length === 0) check(read.salvaged, file, readImport, report);
  requireNoProblems('incident', file, problems);
  return toIncident(
    read.value as IncidentDocument,
    file,
    sourced(read.value as IncidentDocument, readImport, report),
  );
}

function check(
  document: IncidentDocument,
  file: string,
  readImport: (name: string) => string,
  report: Report,
): void {
  if (!/^[a-z][a-z0-9-]*$/.test(document.name)) report(['name'], `"${document.name}" is no kebab-case name`);
  const zones = [
    { path: ['times', 'zone'], zone: document.times.zone },
    ...document.import.map(({ zone }, index) => ({ path: ['import', index, 'zone'], zone })),
  ];
  let sound = true;
  for (const { path, zone } of zones) {
    if (zone === undefined || isZone(zone)) continue;
    report(path, `"${zone}" is no zone; expected one such as Europe/Berlin, +02:00 or UTC`);
    sound = false;
  }
  const durations: readonly (readonly [ProblemPath, string | undefined])[] = [
    [['watch'], document.watch],
    [['idle'], document.idle === 'keep' ? undefined : document.idle],
    [['times', 'error'], document.times.error],
    ...document.import.map(({ error }, index) => [['import', index, 'error'], error] as const),
    ...document.timeline.map(({ error }, index) => [['timeline', index, 'error'], error] as const),
  ];
  for (const [path, duration] of durations) {
    if (duration === undefined) continue;
    sound = attempt(report, path, () => parseDurationMs(duration)) !== undefined && sound;
  }
  checkSymptoms(document, report);
  const unknown = unknownProblems(document.unknown);
  for (const { path, message } of unknown) report(path, message);
  checkNames(document, report);
  const { start, zone } = document.times;
  if (sound && start !== undefined && !attempt(report, ['times', 'start'], () => parseMoment(start, zone)))
    return;
  if (!sound || unknown.length > 0) return;
  const entries = sourced(document, readImport, report);
  const incident = toIncident(document, file, entries);
  const happenings = placeEntries(
    incident,
    lowestValues(document.unknown),
    () => 0,
    (index, path, message) => {
      const within = document.timeline[index] ? ['timeline', index, ...path] : ['import'];
      report(within, document.timeline[index] ? message : `${entries[index]?.origin}: ${message}`);
    },
  );
  if (happenings.length === 0)
    report(['timeline'], 'nothing happens in it; expected an entry that is no remark');
}

function checkSymptoms(document: IncidentDocument, report: Report): void {
  if (document.symptoms.length === 0)
    report(['symptoms'], 'no symptom: nothing would tell that it is the same');
  const titles = new Set<string>();
  for (const key of ['symptoms', 'held'] as const) {
    for (const [index, { title }] of document[key].entries()) {
      if (titles.has(title)) report([key, index, 'title'], `"${title}" stands twice`);
      titles.add(title);
    }
  }
}

/** Placeholders name an unknown, or (in the overrides alone) what a fix changes; and nothing is named for no use. */
function checkNames(document: IncidentDocument, report: Report): void {
  const unknown = Object.keys(document.unknown);
  const fix = Object.keys(document.fix);
  const places = [
    ...document.timeline.map((entry, index) => ({
      path: ['timeline', index],
      value: entry as unknown,
      known: unknown,
    })),
    { path: ['overrides'], value: document.overrides as unknown, known: [...unknown, ...fix] },
  ];
  for (const { path, value, known } of places) {
    for (const name of new Set(placeholdersIn(value))) {
      if (!known.includes(name)) report(path, `\${${name}} is not known${suggestionFor(name, known)}`);
    }
  }
  const used = placeholdersIn([document.timeline, document.overrides]);
  if (document.import.length === 0) {
    for (const name of unknown)
      if (!used.includes(name)) report(['unknown', name], `\${${name}} stands nowhere`);
  }
  for (const [name, { before, after }] of Object.entries(document.fix)) {
    if (typeof before !== typeof after)
      report(
        ['fix', name],
        `${typeof before} before and ${typeof after} after; expected the same kind of both`,
      );
    else if (before === after) report(['fix', name], 'is the same before and after; expected what changes');
    if (unknown.includes(name)) report(['fix', name], 'is also unknown; expected one of the two');
    if (!placeholdersIn(document.overrides).includes(name))
      report(['fix', name], `\${${name}} stands nowhere in overrides`);
  }
}

function sourced(
  document: IncidentDocument,
  readImport: (name: string) => string,
  report: Report,
): SourcedEntry[] {
  const { zone, error } = document.times;
  const own = document.timeline.map((entry, index) => ({
    entry,
    origin: `timeline[${index}]`,
    zone,
    errorMs: parseDurationMs(error),
  }));
  const imported = document.import.flatMap((source, index) => {
    let text: string;
    try {
      text = readImport(source.file);
    } catch (cause) {
      report(['import', index, 'file'], `${source.file} cannot be read (${(cause as Error).message})`);
      return [];
    }
    const { entries, problems } = importEntries(source.file, text);
    for (const { line, message } of problems) report(['import', index], `${source.file}:${line}: ${message}`);
    return entries.map(({ entry, line }) => ({
      entry,
      origin: `${source.file}:${line}`,
      zone: source.zone ?? zone,
      errorMs: parseDurationMs(source.error ?? error),
    }));
  });
  return [...own, ...imported];
}

function toIncident(document: IncidentDocument, file: string, entries: readonly SourcedEntry[]): Incident {
  const { timeline: _timeline, import: _import, times, idle, watch, warmUp, settle, ...rest } = document;
  return {
    ...rest,
    file,
    folder: dirname(file),
    warmUp: warmUp as readonly Step[],
    settle: settle as readonly Step[],
    entries,
    start: times.start,
    idleMs: idle === 'keep' ? Number.POSITIVE_INFINITY : parseDurationMs(idle),
    watchMs: parseDurationMs(watch),
  };
}
