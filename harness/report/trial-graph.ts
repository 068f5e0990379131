import type { PlotSpec, Point, RecordedEvent } from '../record/index.ts';

/** Who named whom in one trial, about one thing. */
export interface TrialGraph {
  readonly suite: string;
  readonly scenario: string;
  /** Title of the plot. */
  readonly title: string;
  readonly point: Point;
  readonly trial: number;
  /** What it is of: an account, for example. */
  readonly subject: string;
  /** Events that it was made of. */
  readonly events: number;
  readonly edges: readonly GraphEdge[];
  /** Name → group, of every name that has one. */
  readonly groups: ReadonlyMap<string, string>;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

/** A name is a word of a node's: no more of them than a person can see, and no endless ones. */
const EDGES_MAX = 400;

/** The graph of one trial, of whatever has most events; none where there were none. @param events in order of `atNs` */
export function graphOf(
  plot: PlotSpec,
  trial: Pick<TrialGraph, 'suite' | 'scenario' | 'point' | 'trial'>,
  events: readonly RecordedEvent[],
): TrialGraph[] {
  const { graph } = plot;
  const began = graph && events.findLast(({ event }) => event === graph.since);
  if (!graph || !began) return [];
  const subjects = new Map<string, { events: number; readonly counts: Map<string, GraphEdge> }>();
  const groups = new Map<string, string>();
  for (const { event, atNs, fields } of events) {
    if (event === graph.group?.event) {
      const name = String(fields[graph.group.name]);
      if (!groups.has(name)) groups.set(name, String(fields[graph.group.value]));
    }
    const [from, to, of] = [fields[graph.from], fields[graph.to], fields[graph.of]];
    if (event !== plot.y || atNs < began.atNs || typeof from !== 'string' || typeof of !== 'string') continue;
    const subject = subjects.get(of) ?? { events: 0, counts: new Map<string, GraphEdge>() };
    subjects.set(of, subject);
    subject.events += 1;
    for (const name of new Set(Array.isArray(to) ? to : [to])) {
      const key = JSON.stringify([from, name]);
      const { counts } = subject;
      if (typeof name !== 'string' || (!counts.has(key) && counts.size >= EDGES_MAX)) continue;
      counts.set(key, { from, to: name, count: (counts.get(key)?.count ?? 0) + 1 });
    }
  }
  const most = [...subjects].reduce<[string, { events: number; counts: Map<string, GraphEdge> }] | undefined>(
    (best, one) => (best === undefined || one[1].events > best[1].events ? one : best),
    undefined,
  );
  if (!most) return [];
  const { suite, scenario, point, trial: number } = trial;
  const [subject, { events: count, counts }] = most;
  return [
    {
      suite,
      scenario,
      title: plot.title,
      point,
      trial: number,
      subject,
      events: count,
      edges: [...counts.values()],
      groups,
    },
  ];
}

/** Of each value of the plot's facet the graph of most events, the first of several. */
export function tellingGraphs(plot: PlotSpec, graphs: readonly TrialGraph[]): TrialGraph[] {
  const best = new Map<unknown, TrialGraph>();
  for (const graph of graphs) {
    if (graph.title !== plot.title) continue;
    const facet = plot.facet === undefined ? '' : graph.point[plot.facet];
    const before = best.get(facet);
    if (!before || graph.events > before.events) best.set(facet, graph);
  }
  return [...best.values()];
}
