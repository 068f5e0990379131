import type { PlotSpec, Point, RecordedEvent } from '../record/index.ts';

/** Places of a line that are kept: more cannot be told apart, and a report holds every line of every trial. */
const PLACES = 80;

/** One line over time: of a node, or of all of a trial's together. */
export interface TrialCourse {
  readonly suite: string;
  readonly scenario: string;
  /** Title of the plot. */
  readonly title: string;
  readonly point: Point;
  readonly trial: number;
  /** The node, or empty. */
  readonly node: string;
  /** Unwarped seconds since the plot's beginning, and the value then; rising in time. */
  readonly places: readonly { readonly seconds: number; readonly value: number }[];
}

/**
 * The lines of one trial for one plot; none where its beginning was not seen. A sum stays where it is until the trial's
 * last event, and that of a trial, or of a node of the plot's role, of which nothing of the kind was heard stays at 0. @param events in order of `atNs`
 */
export function coursesOf(
  plot: PlotSpec,
  trial: Pick<TrialCourse, 'suite' | 'scenario' | 'point' | 'trial'> & { readonly warp: number },
  events: readonly RecordedEvent[],
): TrialCourse[] {
  const { course } = plot;
  const began = course && events.find(({ event }) => event === course.since);
  if (!course || !began) return [];
  const secondsAt = (atNs: number): number => ((atNs - began.atNs) / 1e9) * trial.warp;
  const lines = new Map<string, { seconds: number; value: number }[]>();
  let leaptS = 0;
  if (course.as === 'sum') for (const name of linesFromStart(course, events)) lines.set(name, []);
  for (const { event, node, atNs, fields } of events) {
    if (event === course.leaps && node === 'harness' && atNs >= began.atNs)
      leaptS += Number(fields['leapMs']) / 1_000;
    if (event !== plot.y || atNs < began.atNs) continue;
    if (course.role !== undefined && !node.startsWith(`${course.role}-`)) continue;
    const given = course.field === undefined ? 1 : fields[course.field];
    if (typeof given !== 'number' || !Number.isFinite(given)) continue;
    const name = course.per === 'node' ? node : '';
    const line = lines.get(name) ?? [];
    const before = course.as === 'sum' ? (line.at(-1)?.value ?? 0) : 0;
    line.push({ seconds: secondsAt(atNs) + leaptS, value: before + given });
    lines.set(name, line);
  }
  const { suite, scenario, point, trial: number } = trial;
  const endS = secondsAt(events.at(-1)?.atNs ?? began.atNs) + leaptS;
  const whole = (places: readonly { readonly seconds: number; readonly value: number }[]) => [
    { seconds: 0, value: 0 },
    ...places,
    { seconds: endS, value: places.at(-1)?.value ?? 0 },
  ];
  return [...lines].map(([node, places]) => ({
    suite,
    scenario,
    title: plot.title,
    point,
    trial: number,
    node,
    places: thinned(course.as === 'sum' ? whole(places) : places),
  }));
}

/** Lines that there are whether or not anything of the kind is heard. */
function linesFromStart(
  { per, role }: NonNullable<PlotSpec['course']>,
  events: readonly RecordedEvent[],
): ReadonlySet<string> {
  if (per === 'trial') return new Set(['']);
  return new Set(
    role === undefined ? [] : events.map(({ node }) => node).filter((node) => node.startsWith(`${role}-`)),
  );
}

/** Evenly many of the places, the first and the last among them. */
function thinned<T>(places: readonly T[]): readonly T[] {
  if (places.length <= PLACES) return places;
  return Array.from(
    { length: PLACES },
    (_, index) => places[Math.round((index * (places.length - 1)) / (PLACES - 1))] as T,
  );
}
