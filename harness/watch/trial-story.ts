import type { RecordedEvent, TrialRecord } from '../record/index.ts';
import type { FaultView, LinkView, NodeView, ShownEvent, TrialView } from './views.ts';

/** Events of one trial in memory; older ones go, and their counts stay. */
const EVENTS_LIMIT = 50_000;
/** A day: what lies beyond is no trial that anybody watches by the second. */
const SECONDS_LIMIT = 86_400;
const NAMES_LIMIT = 500;
const NODES_LIMIT = 5_000;

export interface TrialBeginning {
  readonly key: string;
  readonly scenario: string;
  readonly pointId: string;
  readonly trial: number;
  readonly bedId: string;
  readonly startNs: number;
  readonly estimatedMs?: number;
}

/** What a bed is made of, as far as it is known. */
export interface KnownBed {
  readonly topology: string;
  readonly nodes: readonly Pick<NodeView, 'name' | 'role' | 'image' | 'address'>[];
  readonly links: readonly LinkView[];
}

/** One trial as its events tell it, so far. Names and fields are a node's to choose: all of them are kept bounded. */
export class TrialStory {
  readonly #beginning: TrialBeginning;
  readonly #bed: KnownBed;
  readonly #nodes = new Map<string, { state: NodeView['state']; changes: NodeView['changes'][number][] }>();
  readonly #faults = new Map<string, FaultView>();
  readonly #phases: { name: string; startNs: number; endNs?: number }[] = [];
  readonly #counts = new Map<string, number>();
  readonly #perSecond: number[] = [];
  #events: ShownEvent[] = [];
  #taken = 0;
  #startNs: number;
  #lastNs: number;
  #step: { text: string; sinceNs: number } | undefined;
  #record: TrialRecord | undefined;

  constructor(beginning: TrialBeginning, bed: KnownBed) {
    this.#beginning = beginning;
    this.#bed = bed;
    this.#startNs = beginning.startNs;
    this.#lastNs = beginning.startNs;
  }

  get key(): string {
    return this.#beginning.key;
  }

  get ended(): boolean {
    return this.#record !== undefined;
  }

  /** Number of the next event; give it to `eventsSince`. */
  get position(): number {
    return this.#taken;
  }

  /** Events from a position on, as far as they are still in memory, at most `limit`. */
  eventsSince(position: number, limit: number): readonly ShownEvent[] {
    const first = this.#taken - this.#events.length;
    const from = Math.max(0, position - first);
    return this.#events.slice(from, from + limit);
  }

  /** The last events up to an instant, of one node when given, in the order of time. */
  eventsUpTo(atNs: number, limit: number, node?: string): readonly ShownEvent[] {
    return this.#events
      .filter((event) => event.atNs <= atNs && (node === undefined || event.node === node))
      .sort((a, b) => a.atNs - b.atNs)
      .slice(-limit);
  }

  take(event: RecordedEvent): void {
    this.#taken += 1;
    const { node, event: name, atNs, fields } = event;
    this.#events.push({ node, event: name, atNs, fields });
    if (this.#events.length > EVENTS_LIMIT * 1.2) this.#events = this.#events.slice(-EVENTS_LIMIT);
    this.#lastNs = Math.max(this.#lastNs, atNs);
    if (node === 'harness') this.#takeHarness(name, atNs, fields);
    else this.#takeNode(node, name, atNs);
  }

  stepped(text: string, atNs: number): void {
    this.#step = { text, sinceNs: atNs };
  }

  /** What stands in the record is what holds; until then, what was told. */
  end(record: TrialRecord): void {
    this.#record = record;
    this.#startNs = record.startNs;
    this.#lastNs = record.endNs;
    this.#phases.splice(0, Number.POSITIVE_INFINITY, ...record.phases);
    for (const fault of record.faults) {
      const told = this.#faults.get(fault.id);
      this.#faults.set(fault.id, {
        id: fault.id,
        kind: fault.kind,
        targets: fault.targets,
        peers: told?.peers ?? [],
        ...(fault.appliedNs !== undefined && { appliedNs: fault.appliedNs }),
        ...(fault.liftedNs !== undefined && { liftedNs: fault.liftedNs }),
        bit: fault.bit,
        gone: fault.gone,
        problems: fault.problems,
      });
    }
  }

  view(nowNs: number): TrialView {
    const { key, scenario, pointId, trial, bedId, estimatedMs } = this.#beginning;
    const record = this.#record;
    return {
      key,
      scenario,
      pointId,
      trial,
      bedId,
      topology: this.#bed.topology,
      startNs: this.#startNs,
      lastNs: record ? record.endNs : Math.max(this.#lastNs, nowNs),
      ...(estimatedMs !== undefined && { estimatedMs }),
      ...(record && { outcome: record.outcome }),
      reasons: record?.reasons ?? [],
      nodes: this.#nodeViews(),
      links: this.#bed.links,
      phases: this.#phases,
      ...(this.#step && !record && { step: this.#step }),
      faults: [...this.#faults.values()],
      counts: [...this.#counts]
        .sort((a, b) => b[1] - a[1])
        .slice(0, 40)
        .map(([event, count]) => ({ event, count })),
      perSecond: this.#perSecond,
      measures: scalars(record),
    };
  }

  #nodeViews(): NodeView[] {
    const recorded = this.#record?.nodes ?? [];
    const known = recorded.length > 0 ? recorded : this.#bed.nodes;
    const names = new Set(known.map(({ name }) => name));
    const others = [...this.#nodes.keys()].filter((name) => !names.has(name));
    return [...known, ...others.map((name) => ({ name, role: name.replace(/-\d+$/, '') }))].map((node) => {
      const { name, role, image, address } = node as KnownBed['nodes'][number];
      const seen = this.#nodes.get(name);
      return {
        name,
        role,
        ...(image !== undefined && { image }),
        ...(address !== undefined && { address }),
        state: seen?.state ?? 'unheard',
        changes: seen?.changes ?? [],
      };
    });
  }

  #takeNode(node: string, name: string, atNs: number): void {
    const known = this.#counts.has(name) || this.#counts.size < NAMES_LIMIT ? name : '(other)';
    this.#counts.set(known, (this.#counts.get(known) ?? 0) + 1);
    const second = Math.floor((atNs - this.#startNs) / 1e9);
    if (second >= 0 && second < SECONDS_LIMIT) {
      while (this.#perSecond.length <= second) this.#perSecond.push(0);
      this.#perSecond[second] = (this.#perSecond[second] ?? 0) + 1;
    }
    this.#nodeIs(node, name === 'node.exited' ? 'ended' : 'up', atNs);
  }

  #nodeIs(node: string, state: 'up' | 'ended', atNs: number): void {
    if (!this.#nodes.has(node) && this.#nodes.size >= NODES_LIMIT) return;
    const seen = this.#nodes.get(node) ?? { state: 'unheard' as const, changes: [] };
    if (seen.state !== state && seen.changes.length < 200) seen.changes.push({ atNs, state });
    this.#nodes.set(node, { ...seen, state });
  }

  #takeHarness(name: string, atNs: number, fields: RecordedEvent['fields']): void {
    if (name === 'phase.began') {
      const last = this.#phases.at(-1);
      if (last && last.endNs === undefined) last.endNs = atNs;
      this.#phases.push({ name: textOf(fields['phase']), startNs: atNs });
    } else if (name === 'fault.applied') {
      const { id, kind, targets, peers, forMs } = fields;
      this.#faults.set(textOf(id), {
        id: textOf(id),
        kind: textOf(kind),
        targets: textsOf(targets),
        peers: textsOf(peers),
        appliedNs: atNs,
        ...(typeof forMs === 'number' && { forMs }),
        problems: [],
      });
    } else if (name === 'fault.lifted') {
      const told = this.#faults.get(textOf(fields['id']));
      if (!told) return;
      const { bit, gone, problems } = fields;
      this.#faults.set(told.id, {
        ...told,
        liftedNs: atNs,
        ...(typeof bit === 'boolean' && { bit }),
        ...(typeof gone === 'boolean' && { gone }),
        problems: textsOf(problems),
      });
    }
  }
}

/** Measures that are one figure a trial. */
export function scalars(record: TrialRecord | undefined): Record<string, number | null> {
  return Object.fromEntries(
    Object.entries(record?.measures ?? {}).flatMap(([name, value]) =>
      typeof value === 'number' || value === null ? [[name, value]] : [],
    ),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
