import type { RecordedEvent } from '../record/index.ts';
import { TrialStory } from './trial-story.ts';
import type { RunView } from './views.ts';

/** Of a bed that is up, what `squall status` says too. */
export interface SeenBed {
  readonly bedId: string;
  readonly topology: string;
  readonly startedAt: string;
  readonly upMs: number;
  readonly nodes: readonly {
    readonly name: string;
    readonly role: string;
    readonly image: string;
    readonly address: string;
    readonly container: string;
    readonly exit?: { readonly code: number; readonly cause: string };
  }[];
  readonly faults: readonly {
    readonly id: string;
    readonly kind: string;
    readonly targets: readonly string[];
    readonly state: string;
    readonly leftMs?: number;
    readonly counts: Readonly<Record<string, number>>;
  }[];
}

const NEWS_LIMIT = 200;

/** Follows a bed that is up by asking its keeper: what changed from one answer to the next becomes events. */
export class BedFollower {
  readonly #ask: () => Promise<SeenBed>;
  readonly #nowNs: () => number;
  readonly #onEvent: ((event: RecordedEvent, trial: TrialStory) => void) | undefined;
  readonly #news: { atNs: number; text: string }[] = [];
  #seen: SeenBed;
  #story: TrialStory;
  #faults = new Set<string>();
  #states = new Map<string, string>();

  private constructor(
    first: SeenBed,
    options: {
      readonly ask: () => Promise<SeenBed>;
      readonly nowNs: () => number;
      readonly onEvent?: (event: RecordedEvent, trial: TrialStory) => void;
    },
  ) {
    this.#ask = options.ask;
    this.#nowNs = options.nowNs;
    this.#onEvent = options.onEvent;
    this.#seen = first;
    this.#story = new TrialStory(
      {
        key: `${first.bedId}#1`,
        scenario: 'a bed that is up',
        pointId: first.bedId,
        trial: 1,
        bedId: first.bedId,
        startNs: options.nowNs() - first.upMs * 1e6,
      },
      {
        topology: first.topology,
        nodes: first.nodes.map(({ name, role, image, address }) => ({ name, role, image, address })),
        links: [],
      },
    );
    this.#compare(first);
  }

  /** @throws what asking throws */
  static async open(options: {
    readonly ask: () => Promise<SeenBed>;
    readonly nowNs: () => number;
    readonly onEvent?: (event: RecordedEvent, trial: TrialStory) => void;
  }): Promise<BedFollower> {
    return new BedFollower(await options.ask(), options);
  }

  get running(): readonly TrialStory[] {
    return [this.#story];
  }

  /** @throws what asking throws: a bed that is gone is not watched on */
  async poll(): Promise<void> {
    this.#seen = await this.#ask();
    this.#compare(this.#seen);
  }

  async trial(key: string): Promise<TrialStory | undefined> {
    return key === this.#story.key ? this.#story : undefined;
  }

  view(): RunView {
    const { bedId, topology, startedAt, upMs } = this.#seen;
    return {
      runId: bedId,
      suites: [topology],
      command: ['up', topology],
      startedAt,
      life: 'running',
      elapsedMs: upMs,
      trials: { planned: 0, counted: 0, voids: 0, broken: 0, running: 1 },
      points: [],
      news: [...this.#news],
      active: [this.#story.key],
      finished: [],
    };
  }

  #compare({ nodes, faults }: SeenBed): void {
    const atNs = this.#nowNs();
    for (const { name, container, exit } of nodes) {
      const state = exit ? `ended ${exit.code} (${exit.cause})` : container;
      if (this.#states.get(name) === state) continue;
      this.#states.set(name, state);
      const lives = !exit && (container === 'running' || container === 'paused');
      this.#take({ node: name, event: lives ? 'node.seen' : 'node.exited', atNs, fields: { state } });
    }
    const inForce = new Map(faults.filter(({ state }) => state === 'in force').map((one) => [one.id, one]));
    for (const [id, { kind, targets, leftMs }] of inForce) {
      if (this.#faults.has(id)) continue;
      const forMs = leftMs === undefined ? {} : { forMs: leftMs };
      this.#take({ node: 'harness', event: 'fault.applied', atNs, fields: { id, kind, targets, ...forMs } });
    }
    for (const id of this.#faults) {
      if (!inForce.has(id))
        this.#take({ node: 'harness', event: 'fault.lifted', atNs, fields: { id, problems: [] } });
    }
    this.#faults = new Set(inForce.keys());
  }

  #take(event: RecordedEvent): void {
    this.#story.take(event);
    const { id, kind, state } = event.fields;
    const what = [event.event, id, kind, state].filter((word) => typeof word === 'string').join(' ');
    this.#news.push({ atNs: event.atNs, text: `${event.node}: ${what}` });
    if (this.#news.length > NEWS_LIMIT) this.#news.shift();
    this.#onEvent?.(event, this.#story);
  }
}
