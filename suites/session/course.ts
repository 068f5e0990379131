/** A row of the suite as data: courses on one network, what is counted in each, and what must hold. */
import type {
  CheckSpec,
  ExpectationSpec,
  FaultStep,
  MeasureSpec,
  PlotSpec,
  Point,
  PublishedValue,
  ScenarioSpec,
  Step,
} from '../../harness/index.ts';
import type { AggregateSpec } from '../../harness/record/index.ts';
import { type ClientMeasure, clientMeasureSpecs } from './client-measures.ts';
import { AGED_MS, Desk } from './desk.ts';
import type { Settings } from './launch-settings.ts';
import { type NoteName, noteMeasureSpecs } from './notes.ts';
import { CLIENT_MUTANTS, MUTANTS, VARIANTS } from './points.ts';

export interface Bound {
  readonly measure: ClientMeasure | NoteName;
  readonly op: '=' | '<=' | '>=';
  readonly value: number;
  readonly reason: string;
  /** Variants before the fix, which must break this bound. */
  readonly brokenBy?: readonly string[];
  /** Variants before the fix, for which it must hold as well. */
  readonly keptBy?: readonly string[];
}

export type CourseCode = (desk: Desk) => Promise<void>;

/** What happens, in order. A fault goes on in the background for its time, or until it is lifted. */
export type CoursePart = CourseCode | { readonly fault: FaultStep } | { readonly lift: string };

export interface Course {
  readonly says: string;
  readonly client?: Settings;
  readonly storage?: Settings;
  /** The network does not stand before the course begins: it says itself when it does. */
  readonly unready?: true;
  /** The pool is as young as it comes; otherwise it is past its first minute. */
  readonly young?: true;
  /** Unwarped seconds that it takes as a rule. */
  readonly takesS?: number;
  readonly run: CourseCode | readonly [CourseCode, ...CoursePart[]];
  readonly bounds: readonly Bound[];
  /** Mutants that break a bound here, each with why. */
  readonly kills?: Readonly<Record<string, string>>;
}

export interface Row {
  readonly name: string;
  readonly description: string;
  readonly topology?: string;
  readonly courses: Readonly<Record<string, Course>>;
  readonly trials?: number;
  readonly aggregates?: readonly AggregateSpec[];
  readonly plots?: readonly PlotSpec[];
  readonly published?: readonly PublishedValue[];
}

const FINAL = 'final';
/** A path that is rotated in the middle of a leap would fetch and strike by itself. */
const STEADY: Settings = {
  route: 'direct',
  pathCount: 1,
  pathRotationMs: 30 * 86_400_000,
  ttlMs: 1_209_600_000,
};

export const courseTitle = (course: string, { measure, op, value }: Bound): string =>
  `${course}: ${titleOf(measure)} ${op} ${value}`;

const specs: readonly MeasureSpec[] = [...clientMeasureSpecs, ...noteMeasureSpecs];
const titleOf = (measure: string): string => specs.find(({ name }) => name === measure)?.title ?? measure;

/** The scenario of a row. */
export function courseRow(row: Row): ScenarioSpec {
  const courses = Object.entries(row.courses);
  const names = courses.map(([name]) => name);
  const measures = new Set(courses.flatMap(([, { bounds }]) => bounds.map(({ measure }) => measure)));
  return {
    name: row.name,
    description: row.description,
    topology: row.topology ?? 'session-15',
    parameters: {
      course: {
        type: 'choice',
        description: 'what happens',
        default: names[0] ?? '',
        choices: names,
      },
      variant: {
        type: 'choice',
        description:
          'the client before, on the way and in its final form, or with one rule off; or the nodes with one off',
        default: FINAL,
        choices: [...VARIANTS, ...MUTANTS],
      },
    },
    overrides: (point) => overridesOf(row.courses[String(point['course'])], point),
    grids: {
      quick: {
        description:
          'each course with the final client, and with those before it that must fail or hold there',
        axes: { course: names, variant: [FINAL] },
        points: courses.flatMap(([course, { bounds }]) =>
          earlierOf(bounds).map((variant) => ({ course, variant })),
        ),
      },
      final: { description: 'each course with the final client', axes: { course: names, variant: [FINAL] } },
    },
    defaultGrid: 'quick',
    trials: row.trials ?? 2,
    bed: 'reuse',
    phases: [
      { name: 'begin', steps: [{ name: 'the nodes have begun anew', wait: '10ms' }] },
      { name: 'settle', steps: courses.flatMap(([name, course]) => courseSteps(name, course)) },
    ],
    measure: ['session.client', 'session.notes'],
    measures: specs.filter(({ name }) => measures.has(name as ClientMeasure)),
    checks: [...courses.flatMap(([course, one]) => checksOf(course, one)), ...GUARDS],
    expect: courses.flatMap(([course, one]) => expectationsOf(course, one)),
    kills: courses.flatMap(([course, { kills = {} }]) =>
      Object.entries(kills).map(([mutant, reason]) => ({
        mutant,
        point: { course, variant: FINAL },
        trials: 2,
        reason,
      })),
    ),
    ...(row.aggregates && { aggregates: row.aggregates }),
    ...(row.plots && { plots: row.plots }),
    ...(row.published && { published: row.published }),
    timeBudget: '5m',
    // Of a handshake; whatever is shorter is a pause and no verdict.
    shortestTimeout: '3s',
  };
}

const GUARDS: readonly CheckSpec[] = [
  { check: 'bed-clean', title: 'the bed was clean afterwards', kind: 'guard', parameters: {} },
  { check: 'logs-complete', title: 'no event was lost', kind: 'guard', parameters: {} },
];

/** A mutant of the nodes has the place of their variant; the client is then in its final form. */
function overridesOf(course: Course | undefined, point: Point) {
  const variant = String(point['variant']);
  const ofClient = CLIENT_MUTANTS.includes(variant) || VARIANTS.includes(variant);
  return {
    variant: ofClient ? { client: variant } : { client: FINAL, storage: variant },
    settings: {
      client: { ...STEADY, ...course?.client },
      ...(course?.storage && { storage: course.storage }),
    },
  };
}

/** The steps of one course; at the points of others they are left out. */
function courseSteps(name: string, course: Course): Step[] {
  const parts = typeof course.run === 'function' ? [course.run] : course.run;
  const code = parts.filter((part) => typeof part === 'function');
  const takesS = (course.takesS ?? 5) / code.length;
  const when = { course: name };
  return parts.map((part): Step => {
    // Ids are the scenario's, and courses have faults that are called the same.
    if (typeof part !== 'function') {
      if ('lift' in part) return { lift: `${name}-${part.lift}`, when };
      return { fault: { ...part.fault, id: `${name}-${part.fault.id}` }, background: true, when };
    }
    return {
      name: 'the course',
      when,
      takes: () => `${takesS}s`,
      run: async (trial) => {
        const desk = Desk.at(trial);
        if (part === parts[0]) await open(course, desk);
        await part(desk);
      },
    };
  });
}

async function open({ unready, young }: Course, desk: Desk): Promise<void> {
  if (unready) return;
  await desk.stands();
  if (!young) await desk.leap(AGED_MS);
  desk.begin();
}

const earlierOf = (bounds: readonly Bound[]): string[] => [
  ...new Set(bounds.flatMap(({ brokenBy = [], keptBy = [] }) => [...brokenBy, ...keptBy])),
];

function checksOf(course: string, { bounds, kills = {} }: Course): CheckSpec[] {
  return bounds.map((bound) => ({
    check: 'measure-bound',
    title: courseTitle(course, bound),
    kind: 'invariant',
    parameters: { measure: bound.measure, op: bound.op, value: bound.value },
    where: {
      course,
      variant: [FINAL, ...Object.keys(kills), ...(bound.brokenBy ?? []), ...(bound.keptBy ?? [])],
    },
    reason: bound.reason,
  }));
}

function expectationsOf(course: string, { bounds }: Course): ExpectationSpec[] {
  return bounds.flatMap((bound) =>
    (bound.brokenBy ?? []).map((variant) => ({
      where: { course, variant },
      check: courseTitle(course, bound),
      outcome: 'fail' as const,
      reason: bound.reason,
    })),
  );
}
