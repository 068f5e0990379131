import { dirname } from 'node:path';
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
import type { Incident } from '../incident/index.ts';
import type { ParameterValue } from '../record/index.ts';
import { placeholdersIn, type Step } from '../scenario/index.ts';
import { parseDurationMs } from '../units/index.ts';
import { numberOf } from './draw-schedule.ts';
import { EXPLORATION, type ExplorationDocument } from './exploration-schema.ts';

/** An exploration file after validation. */
export interface Exploration extends Omit<ExplorationDocument, 'watch' | 'warmUp' | 'settle'> {
  readonly file: string;
  readonly folder: string;
  readonly warmUp: readonly Step[];
  readonly settle: readonly Step[];
  readonly watchMs: number;
}

/** @throws SquallError `exploration-not-found`, `invalid-document` (input) with every problem, by line and column */
export function readExploration(file: string): Exploration {
  return parseExploration(readDocumentFile('exploration', file), file);
}

/** @throws SquallError `invalid-document` (input) with every problem */
export function parseExploration(text: string, file: string): Exploration {
  const read = readDocument(text, EXPLORATION);
  const { problems, report } = gatherProblems(read);
  if (read.value) check(read.value, report);
  requireNoProblems('exploration', file, problems);
  const { watch, warmUp, settle, ...rest } = read.value as ExplorationDocument;
  return {
    ...rest,
    file,
    folder: dirname(file),
    warmUp: warmUp as readonly Step[],
    settle: settle as readonly Step[],
    watchMs: parseDurationMs(watch),
  };
}

function check(document: ExplorationDocument, report: Report): void {
  if (!/^[a-z][a-z0-9-]*$/.test(document.name)) report(['name'], `"${document.name}" is no kebab-case name`);
  const range = (
    path: ProblemPath,
    one: { readonly from: ParameterValue; readonly to: ParameterValue },
  ): void => {
    if (typeof one.from !== typeof one.to) report(path, 'one end is a number and the other a duration');
    const from = attempt(report, [...path, 'from'], () => numberOf('from', one.from));
    const to = attempt(report, [...path, 'to'], () => numberOf('to', one.to));
    if (from !== undefined && to !== undefined && from > to) report(path, '"from" is above "to"');
  };
  const { happenings, span } = document.schedule;
  if (happenings.from > happenings.to) report(['schedule', 'happenings'], '"from" is above "to"');
  attempt(report, ['schedule', 'span'], () => parseDurationMs(span));
  attempt(report, ['watch'], () => parseDurationMs(document.watch));
  if (document.faults.every(({ weight }) => weight === 0))
    report(['faults'], 'every weight is 0: none would be drawn');
  for (const [index, template] of document.faults.entries()) {
    const path = ['faults', index];
    if (template.for) range([...path, 'for'], template.for);
    const deeds = (['fault', 'do', 'admin'] as const).filter((key) => template[key] !== undefined);
    if (deeds.length !== 1)
      report(path, `one of fault, do and admin; found ${deeds.join(' and ') || 'none'}`);
    if (template.for && !template.fault) report([...path, 'for'], 'only faults last');
    if (template.fault?.for !== undefined)
      report([...path, 'fault', 'for'], 'its length is drawn; expected "for" beside "fault"');
    for (const [name, one] of Object.entries(template.draw)) range([...path, 'draw', name], one);
    const known = Object.keys(template.draw);
    const used = placeholdersIn([template.fault, template.do, template.admin]);
    for (const name of new Set(used)) {
      if (!known.includes(name))
        report([...path, deeds[0] ?? 'fault'], `\${${name}} is not drawn${suggestionFor(name, known)}`);
    }
    for (const name of known)
      if (!used.includes(name)) report([...path, 'draw', name], `\${${name}} stands nowhere`);
  }
}

/** The exploration as an incident whose symptoms are the invariants of these titles: what a schedule becomes a scenario with. */
export function asIncident(exploration: Exploration, name: string, titles?: readonly string[]): Incident {
  const {
    description,
    topology,
    uses,
    overrides,
    measure,
    invariants,
    file,
    folder,
    warmUp,
    settle,
    watchMs,
  } = exploration;
  return {
    name,
    description,
    topology,
    ...(uses && { uses }),
    overrides,
    measure,
    symptoms: titles ? invariants.filter(({ title }) => titles.includes(title)) : invariants,
    held: [],
    unknown: {},
    fix: {},
    file,
    folder,
    warmUp,
    settle,
    entries: [],
    start: undefined,
    idleMs: Number.POSITIVE_INFINITY,
    watchMs,
  };
}
