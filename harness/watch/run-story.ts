import type { PlanRecord, RecordedEvent, RunRecord, TrialRecord } from '../record/index.ts';
import { type KnownBed, scalars, TrialStory } from './trial-story.ts';
import type { ChecksView, FinishedTrial, PointView, RunView } from './views.ts';

const NEWS_LIMIT = 200;
const FINISHED_LIMIT = 3_000;
const FAILING_LIMIT = 50;

export function trialKey(trial: { readonly pointId: string; readonly trial: number }): string {
  return `${trial.pointId}#${trial.trial}`;
}

interface PointSoFar {
  counted: number;
  voids: number;
  broken: number;
  stopped?: string;
  measures?: PointView['measures'];
}

/** One run as its own timeline tells it, so far. */
export class RunStory {
  readonly plan: PlanRecord;
  readonly #points = new Map<string, PointSoFar>();
  readonly #active = new Map<string, TrialStory>();
  readonly #finished: FinishedTrial[] = [];
  readonly #beds = new Map<string, KnownBed>();
  readonly #news: { atNs: number; text: string }[] = [];
  #doneEstimatedMs = 0;
  #beganNs: number | undefined;
  #lastNs = 0;
  #ended = false;
  #mostAtOnce = 1;
  /** Of the process that runs it, as it named itself. */
  owner: string | undefined;

  constructor(plan: PlanRecord) {
    this.plan = plan;
    for (const { pointId } of this.#planned()) this.#points.set(pointId, { counted: 0, voids: 0, broken: 0 });
  }

  get active(): readonly TrialStory[] {
    return [...this.#active.values()];
  }

  get ended(): boolean {
    return this.#ended;
  }

  bedOf(bedId: string): KnownBed {
    return this.#beds.get(bedId) ?? { topology: '', nodes: [], links: [] };
  }

  estimateOf(pointId: string): number | undefined {
    return this.#planned().find((point) => point.pointId === pointId)?.estimatedMs;
  }

  /** Takes one event of the run's own timeline; a trial that begins by it is returned. */
  take({ event, atNs, fields }: RecordedEvent): TrialStory | undefined {
    this.#lastNs = Math.max(this.#lastNs, atNs);
    this.#beganNs ??= atNs;
    const pointId = textOf(fields['pointId']);
    const trial = Number(fields['trial'] ?? 0);
    const key = trialKey({ pointId, trial });
    const text = textOf(fields['text']);
    if (event === 'run.began') {
      this.owner = textOf(fields['owner']);
      this.#ended = false;
      this.#beganNs = atNs;
      // What was running when the earlier process ended runs no more.
      this.#active.clear();
      return undefined;
    }
    if (event === 'run.ended') {
      this.#ended = true;
      this.#active.clear();
      return undefined;
    }
    if (event === 'bed.described') this.#describe(fields);
    if (event === 'point.stopped') {
      const point = this.#points.get(pointId);
      if (point) point.stopped = text;
    }
    const labelled = pointId === '' ? text : `[${pointId}${trial > 0 ? ` #${trial}` : ''}] ${text}`;
    if (text !== '' && event !== 'trial.finished') this.#tell(atNs, labelled);
    if (event === 'step.began') this.#active.get(key)?.stepped(text, atNs);
    if (event !== 'trial.started') return undefined;
    this.#tell(atNs, `[${pointId} #${trial}] started`);
    const bedId = textOf(fields['bedId']);
    const estimatedMs = this.estimateOf(pointId);
    const scenario = textOf(fields['scenario']);
    const story = new TrialStory(
      {
        key,
        scenario,
        pointId,
        trial,
        bedId,
        startNs: atNs,
        ...(estimatedMs !== undefined && { estimatedMs }),
      },
      this.bedOf(bedId),
    );
    this.#active.set(key, story);
    this.#mostAtOnce = Math.max(this.#mostAtOnce, this.#active.size);
    return story;
  }

  /** A trial's record has come. */
  finish(record: TrialRecord): void {
    const key = trialKey(record);
    this.#active.delete(key);
    this.#finished.push({
      key,
      pointId: record.pointId,
      trial: record.trial,
      outcome: record.outcome,
      tookMs: (record.endNs - record.startNs) / 1e6,
    });
    if (this.#finished.length > FINISHED_LIMIT) this.#finished.shift();
    const point = this.#points.get(record.pointId);
    if (point && record.outcome === 'completed') {
      point.counted += 1;
      point.measures = scalars(record);
    }
    if (point && record.outcome === 'void') point.voids += 1;
    if (point && record.outcome !== 'completed' && record.outcome !== 'void') point.broken += 1;
    if (record.outcome === 'completed') this.#doneEstimatedMs += this.estimateOf(record.pointId) ?? 0;
    const why = record.reasons.length > 0 ? `: ${record.reasons.join('; ').slice(0, 300)}` : '';
    this.#tell(record.endNs, `[${record.pointId} #${record.trial}] ${record.outcome}${why}`);
  }

  view(options: {
    readonly nowNs: number;
    readonly ownerAlive: boolean | undefined;
    readonly run: RunRecord | undefined;
    readonly judged: RunRecord | undefined;
    readonly judgeProblem: string | undefined;
  }): RunView {
    const { nowNs, ownerAlive, run, judged, judgeProblem } = options;
    const life = this.#ended || (run && ownerAlive !== true) ? 'ended' : ownerAlive ? 'running' : 'silent';
    // Of a run that is resumed, run.json tells of what was before.
    const known = life === 'running' ? (judged ?? run) : (run ?? judged);
    const points = this.#pointViews(known);
    const sum = (pick: (point: PointSoFar) => number): number =>
      [...this.#points.values()].reduce((total, point) => total + pick(point), 0);
    const endNs = life === 'running' ? Math.max(nowNs, this.#lastNs) : this.#lastNs;
    const elapsedMs = (endNs - (this.#beganNs ?? endNs)) / 1e6;
    const leftMs = life === 'running' ? this.#leftMs(elapsedMs) : undefined;
    const checks = checksOf(known, judgeProblem);
    return {
      runId: this.plan.runId,
      suites: [...new Set(this.plan.scenarios.map(({ suite }) => suite))],
      command: this.plan.command,
      startedAt: this.plan.startedAt,
      life,
      elapsedMs,
      ...(leftMs !== undefined && { leftMs }),
      trials: {
        planned: this.#planned().reduce((total, point) => total + point.trials, 0),
        counted: sum(({ counted }) => counted),
        voids: sum(({ voids }) => voids),
        broken: sum(({ broken }) => broken),
        running: life === 'running' ? this.#active.size : 0,
      },
      ...(life === 'ended' && run && { verdict: run.verdict }),
      ...(checks && { checks }),
      points,
      news: [...this.#news].sort((a, b) => a.atNs - b.atNs),
      active: life === 'running' ? [...this.#active.keys()] : [],
      finished: [...this.#finished],
    };
  }

  /** From the plan's estimates, corrected by how long the trials so far took against theirs. */
  #leftMs(elapsedMs: number): number {
    const leftEstimatedMs = this.#planned().reduce((total, { pointId, trials, estimatedMs, atLeast }) => {
      const point = this.#points.get(pointId);
      if (!point || point.stopped !== undefined) return total;
      return total + Math.max(0, (atLeast ?? trials) - point.counted) * estimatedMs;
    }, 0);
    const pace = this.#doneEstimatedMs > 0 ? elapsedMs / this.#doneEstimatedMs : 1 / this.#mostAtOnce;
    return leftEstimatedMs * pace;
  }

  #pointViews(judged: RunRecord | undefined): PointView[] {
    const verdicts = new Map(judged?.points.map(({ pointId, verdict }) => [pointId, verdict]));
    return this.plan.scenarios.flatMap(({ scenario, points }) =>
      points.map(({ pointId, trials }): PointView => {
        const { counted = 0, voids = 0, stopped, measures = {} } = this.#points.get(pointId) ?? {};
        const verdict = verdicts.get(pointId);
        return {
          scenario,
          pointId,
          planned: trials,
          counted,
          voids,
          ...(stopped !== undefined && { stopped }),
          ...(verdict !== undefined && { verdict }),
          measures,
        };
      }),
    );
  }

  #planned(): PlanRecord['scenarios'][number]['points'] {
    return this.plan.scenarios.flatMap(({ points }) => points);
  }

  #tell(atNs: number, text: string): void {
    this.#news.push({ atNs, text });
    if (this.#news.length > NEWS_LIMIT) this.#news.shift();
  }

  #describe(fields: RecordedEvent['fields']): void {
    const { bedId, topology, nodes, links } = fields as Partial<KnownBed> & { bedId?: unknown };
    if (typeof bedId !== 'string' || !Array.isArray(nodes)) return;
    this.#beds.set(bedId, {
      topology: typeof topology === 'string' ? topology : '',
      nodes,
      links: Array.isArray(links) ? links : [],
    });
  }
}

function checksOf(judged: RunRecord | undefined, problem: string | undefined): ChecksView | undefined {
  if (!judged) return problem === undefined ? undefined : { pass: 0, fail: 0, open: 0, failing: [], problem };
  const failing = judged.points.flatMap(({ pointId, checks }) =>
    checks
      .filter(({ verdict }) => verdict === 'fail')
      .map(({ title, sentence }) => ({ title, pointId, sentence })),
  );
  const { pass, fail, inconclusive } = judged.counts;
  return {
    pass,
    fail,
    open: inconclusive,
    failing: failing.slice(0, FAILING_LIMIT),
    ...(problem !== undefined && { problem }),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
