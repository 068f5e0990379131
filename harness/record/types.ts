/**
 * The run record: the only thing that the acting side and the judging side share.
 *
 *   reports/<runId>/events.jsonl                    the harness's timeline          (acting)
 *   reports/<runId>/plan.json                       what was going to run           (acting)
 *   reports/<runId>/trials/<point>/<n>/trial.json   one TrialRecord                 (acting)
 *   reports/<runId>/trials/<point>/<n>/events.jsonl RecordedEvent a line            (acting)
 *   reports/<runId>/trials/<point>/<n>/logs/        node logs                       (acting)
 *   reports/<runId>/trials/<point>/<n>/pcap/        packet captures, on request     (acting)
 *   reports/<runId>/run.json index.html junit.xml   RunRecord and its renderings    (judging)
 *
 * Times: `atNs` is nanoseconds on the host's CLOCK_MONOTONIC (one kernel, one clock: events of containers carry the
 * same clock as `monoNs`), as a number (exact below 2^53 ns = 104 days of uptime). Durations end in `Ms`.
 * With a warp of w, recorded times are real; `TrialRecord.warp` says by what to multiply to report unwarped time.
 */

export const RECORD_VERSION = 1;

/** A parameter's value at a grid point. Durations are kept as ms, under a name as declared by the scenario. */
export type ParameterValue = string | number | boolean;
export type Point = Readonly<Record<string, ParameterValue>>;

/** One thing that happened in a trial, from a node or from the harness (`node` is then `harness`). */
export interface RecordedEvent {
  readonly node: string;
  /** Past tense, dotted: `member.dead`, `fault.applied`, `node.exited`. */
  readonly event: string;
  readonly atNs: number;
  /** The emitter's own count; a gap is a lost line. */
  readonly seq?: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface PhaseRecord {
  readonly name: string;
  readonly startNs: number;
  readonly endNs: number;
}

/** What the bed itself says that a fault did (never our own memory of asking for it). */
export interface WitnessRecord {
  /** Where the counts were read: `agent`, `engine`, `toxiproxy`, `node`. */
  readonly source: string;
  /** Totals over all targets, e.g. heldIn, heldOut, droppedTcp, passed, overflowed. */
  readonly counts: Readonly<Record<string, number>>;
  readonly perNode?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface FaultRecord {
  readonly id: string;
  readonly kind: string;
  /** Node names, resolved; the selector that chose them beside it. */
  readonly targets: readonly string[];
  readonly selector: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly appliedNs?: number;
  /** When it was to end: its length over, or the step that lifts it due. Absent where neither is, and in earlier records. */
  readonly dueNs?: number;
  /** When the fault began to lift (release began), on the applier's clock. */
  readonly liftedNs?: number;
  /** When its undo had returned; of processes that start again, when that began. Absent of packet faults, and in earlier records. */
  readonly endedNs?: number;
  /** When the lift was complete and verified. */
  readonly goneNs?: number;
  /**
   * What was held is let go: `firstNs` when the first batch of any target had been sent, `lastNs` when all targets had drained, which
   * is the last packet's instant or shortly after it. Absent where none was held, and in records from before it was kept.
   */
  readonly released?: { readonly firstNs: number; readonly lastNs: number };
  readonly applySkewNs?: number;
  readonly liftSkewNs?: number;
  readonly witness?: WitnessRecord;
  /** The witness's lower bound held: the fault was seen to act. */
  readonly bit: boolean;
  /** It was verified to be gone. */
  readonly gone: boolean;
  readonly problems: readonly string[];
}

export interface NodeRecord {
  readonly name: string;
  readonly role: string;
  readonly image: string;
  readonly imageId: string;
  readonly variant?: string;
  readonly address: string;
  readonly containerId: string;
  /** As the node got it; secrets are redacted when the trial is written. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly startedNs?: number;
  readonly readyNs?: number;
  readonly exit?: {
    readonly code: number;
    readonly oomKilled: boolean;
    readonly expected: boolean;
    readonly atNs: number;
  };
  readonly log?: {
    readonly path: string;
    readonly lines: number;
    readonly bytes: number;
    readonly truncated: boolean;
    readonly lostLines: number;
  };
}

/** What a trial's packet captures are, and what is not in them. No verdict depends on one. */
export interface PcapRecord {
  /** Most of each packet that is kept. */
  readonly snapBytes: number;
  /** Most of each file. */
  readonly fileBytes: number;
  /** When capturing began and ended; absent when it did not. */
  readonly fromNs?: number;
  readonly toNs?: number;
  /** An event's `atNs / 1000` plus this is the time of a packet, µs since 1970 in UTC. */
  readonly utcMinusMonotonicUs?: number;
  readonly files: readonly PcapFileRecord[];
  /** Why there are no files, or not whole ones. */
  readonly problems: readonly string[];
}

export interface PcapFileRecord {
  readonly node: string;
  /** Relative to the trial's folder. */
  readonly path: string;
  readonly bytes: number;
  /** Absent when the agent did not say, like the counts below. */
  readonly packets?: number;
  /** Packets that are not in the file: the kernel had no room for them; the agent had none; the file was full. */
  readonly kernelDropped?: number;
  readonly unread?: number;
  readonly overLimit?: number;
  /** Every packet from `fromNs` to `toNs` is in it. */
  readonly complete: boolean;
}

/** One host measure with the threshold that was fixed before the outcome was read. */
export interface HostMeasure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly threshold?: number;
  readonly exceeded: boolean;
}

export interface HostRecord {
  readonly verdict: 'quiet' | 'spoiled' | 'unknown';
  readonly measures: readonly HostMeasure[];
  readonly reasons: readonly string[];
}

export type TrialOutcome =
  /** Ran to its end; checks may judge it. */
  | 'completed'
  /** The host, the agent or Toxiproxy spoiled it: not counted, shown, repeated within a limit. */
  | 'void'
  /** The harness or the bed broke. */
  | 'error'
  /** Interrupted by the user or a budget. */
  | 'aborted';

export interface TrialRecord {
  readonly recordVersion: number;
  readonly runId: string;
  readonly suite: string;
  readonly scenario: string;
  readonly point: Point;
  /** Directory-safe name of the point, e.g. `cutoff=8,outage=40s,variant=shipped`. */
  readonly pointId: string;
  /** 1-based within the point, voids included. */
  readonly trial: number;
  readonly seed: string;
  readonly warp: number;
  readonly bed: { readonly id: string; readonly reused: boolean; readonly trialOnBed: number };
  readonly startedAt: string;
  readonly startNs: number;
  readonly endNs: number;
  /** Time spent on getting the bed ready, never counted into a bound. */
  readonly overheadMs: number;
  readonly outcome: TrialOutcome;
  /** It was ended because it went beyond its time budget. */
  readonly hung?: boolean;
  readonly reasons: readonly string[];
  readonly nodes: readonly NodeRecord[];
  readonly phases: readonly PhaseRecord[];
  readonly faults: readonly FaultRecord[];
  /** The timeline of steps as executed, for the replay. */
  readonly steps: readonly {
    readonly name: string;
    readonly startNs: number;
    readonly endNs: number;
    readonly detail?: string;
  }[];
  readonly host: HostRecord;
  /** Bed verified clean after the trial (no fault left, every node back or accounted for). */
  readonly cleanAfter: boolean;
  /** Measures computed by the scenario's registered predicates at the end of the trial. */
  readonly measures: Readonly<Record<string, MeasureValue>>;
  /** Checks as they stood when the trial ran; `recheck` uses these. */
  readonly checks: readonly CheckSpec[];
  readonly expectations: readonly ExpectationSpec[];
  readonly events: {
    readonly count: number;
    readonly lost: number;
    readonly truncated: boolean;
    /** Count of each event by name, so that counting checks need not read the stream; absent in hand-made records. */
    readonly byName?: Readonly<Record<string, number>>;
  };
  /** Only where captures were asked for. */
  readonly pcap?: PcapRecord;
}

/** A scalar, a sample (for a distribution), or a table of named scalars. `null`: not observed (censored). */
export type MeasureValue = number | null | readonly (number | null)[] | Readonly<Record<string, number>>;

/** A registered check's name with its parameters: data, so that it can be stored and judged again. */
export interface CheckSpec {
  /** Name in the registry, e.g. `measure-bound`, `no-event`, `faults-bit`, `bed-clean`. */
  readonly check: string;
  /** Title for reports, unique within a scenario. */
  readonly title: string;
  readonly kind: 'invariant' | 'estimate' | 'guard';
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Why the bound is what it is. */
  readonly reason?: string;
  /** Only judged at points that match (parameter → value or list of values). */
  readonly where?: Readonly<Record<string, ParameterValue | readonly ParameterValue[]>>;
}

/** "The old code must fail here": at matching points the check's outcome must be this one. */
export interface ExpectationSpec {
  readonly where: Readonly<Record<string, ParameterValue | readonly ParameterValue[]>>;
  readonly check: string;
  readonly outcome: 'pass' | 'fail';
  readonly reason?: string;
}

/** A failure that somebody answers for until a day. Only those in force when the run was planned are kept. */
export interface WaiverSpec {
  /** Title of the check. */
  readonly check: string;
  readonly where?: Readonly<Record<string, ParameterValue | readonly ParameterValue[]>>;
  readonly owner: string;
  /** Last day, `2026-12-31`. */
  readonly until: string;
  readonly reason: string;
}

export type Verdict = 'pass' | 'fail' | 'inconclusive';

export interface Finding {
  readonly subject: string;
  readonly observed: string;
  readonly expected: string;
  readonly atNs?: number;
  readonly trial?: number;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
  readonly level: number;
  readonly method: string;
}

/** One check at one grid point, over all its counted trials. */
export interface CheckResult {
  readonly title: string;
  readonly check: string;
  readonly kind: CheckSpec['kind'];
  readonly verdict: Verdict;
  /** The verdict before an expectation turned it round. */
  readonly rawVerdict: Verdict;
  readonly expected?: 'pass' | 'fail';
  /** It fails, and somebody answers for that: the verdict is then `pass`. */
  readonly waived?: Pick<WaiverSpec, 'owner' | 'until' | 'reason'>;
  readonly sentence: string;
  readonly reason?: string;
  readonly estimate?: number;
  readonly interval?: Interval;
  readonly bound?: {
    readonly op: '<=' | '<' | '>=' | '>' | '=';
    readonly value: number;
    readonly unit: string;
  };
  /** For an invariant that passed: the rate that its trials exclude, one-sided 95 %. */
  readonly excludesRate?: number;
  readonly findings: readonly Finding[];
}

/** A figure of a source document that stands beside ours. */
export interface PublishedValue {
  readonly id: string;
  readonly label: string;
  readonly value: number | string;
  readonly unit: string;
  readonly where?: Point;
  readonly measure?: string;
  /** The words of the source that carry it, short, to be found in its text. */
  readonly quote: string;
}

export interface PointResult {
  readonly suite: string;
  readonly scenario: string;
  readonly point: Point;
  readonly pointId: string;
  readonly trials: {
    readonly planned: number;
    readonly completed: number;
    readonly void: number;
    readonly error: number;
    readonly aborted: number;
    /** Completed ones whose faults were seen to act and to be gone: what the checks judged. */
    readonly counted?: number;
    /** The answer was clear before all planned trials had run. */
    readonly stoppedEarly?: boolean;
    /** Of those with an error: ended because they went beyond their time budget. */
    readonly hung?: number;
  };
  /** Each measure over the counted trials. */
  readonly measures: Readonly<Record<string, MeasureSummary>>;
  readonly checks: readonly CheckResult[];
  readonly published: readonly PublishedValue[];
  /** Only at the point at which a gate must fail. */
  readonly gate?: GateVision;
  readonly verdict: Verdict;
}

export interface MeasureSummary {
  /** One value a trial (or the pooled sample), in trial order; null is censored. */
  readonly values: readonly (number | null)[];
  readonly mean?: number;
  readonly median?: number;
  readonly p90?: number;
  readonly min?: number;
  readonly max?: number;
  /** Of the mean. */
  readonly interval?: Interval;
  /** Of the median, where there are values enough for one. */
  readonly medianInterval?: Interval;
  readonly unit?: string;
}

export interface RunRecord {
  readonly recordVersion: number;
  readonly squallVersion: string;
  readonly runId: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly verdict: Verdict;
  readonly exitCode: number;
  /** True while or when the run did not reach its plan's end. */
  readonly partial: boolean;
  readonly seed: string;
  /** The exact command that repeats the run. */
  readonly repeat: string;
  readonly host: HostClass;
  readonly points: readonly PointResult[];
  readonly comparisons?: readonly ComparisonResult[];
  /** One figure over many points, beside what a document says. */
  readonly aggregates?: readonly AggregateResult[];
  readonly errors: readonly string[];
  /** Things a reader should know that change no verdict. */
  readonly notes?: readonly string[];
  /** Which checks were judged: those stored when the trials ran, or today's of the suite. */
  readonly judgedBy?: 'recorded' | 'today';
  readonly counts: {
    readonly pass: number;
    readonly fail: number;
    readonly inconclusive: number;
    readonly voidTrials: number;
  };
}

export interface HostClass {
  readonly cpus: number;
  readonly cpuModel: string;
  readonly memoryBytes: number;
  readonly kernel: string;
  readonly engine: string;
  readonly node: string;
}

/** plan.json: what a run intends, enough to resume it and to render a report of a run that was killed. */
export interface PlanRecord {
  readonly recordVersion: number;
  readonly runId: string;
  readonly squallVersion: string;
  readonly startedAt: string;
  /** Arguments after `squall`, e.g. `['run', 'suites/memberlist', '--cutoff', '8']`; secrets are redacted when written. */
  readonly command: readonly string[];
  /** The exact command that repeats the run, when it is not simply `command` with the seed. */
  readonly repeat?: string;
  readonly seed: string;
  /** Times faster than real time: the highest of the points. */
  readonly warp: number;
  readonly host: HostClass;
  readonly scenarios: readonly PlannedScenario[];
}

/**
 * When a point has trials enough although more are planned: from `from` counted trials on, once the 95 % interval of the
 * mean of `measure` reaches no further from it than `halfWidth` or `halfWidthRatio` of it, whichever is more.
 */
export interface EnoughSpec {
  readonly measure: string;
  readonly from: number;
  /** In the measure's unit. */
  readonly halfWidth: number;
  readonly halfWidthRatio: number;
}

/** In how many trials a defect was seen to show at a gate's point, of those that were made there to measure it. */
export interface GateMeasured {
  readonly defect: string;
  readonly shown: number;
  readonly trials: number;
  /** The runs that they were counted in, with their seeds. */
  readonly source?: string;
}

/** What a gate's point can see of a defect. */
export interface GateVision extends GateMeasured {
  /** It shows in at least this share of trials, 0..1: exact binomial, one-sided 95 %. */
  readonly atLeastRate: number;
  /** Trials, none of them a miss, that would raise it to what a point that must fail needs; 0 where it is there. */
  readonly furtherTrials: number;
  readonly sentence: string;
}

export interface PlannedScenario {
  readonly suite: string;
  readonly scenario: string;
  readonly description: string;
  readonly kills: readonly string[];
  /** That a trial goes beyond its time budget is an answer here, not a fault of ours: of a mutant, which its fix would not. */
  readonly mayHang?: boolean;
  readonly points: readonly {
    readonly point: Point;
    readonly pointId: string;
    readonly trials: number;
    readonly enough?: EnoughSpec;
    /** Counted trials from which on the point is whole: a comparison decides how many more there are to be. */
    readonly atLeast?: number;
    /** Its answer was clear with fewer trials than planned, as when a mutant's first failure killed it. */
    readonly clearEarly?: boolean;
    readonly estimatedMs: number;
    /** Times faster than real time; the plan's when absent. */
    readonly warp?: number;
    /** This is the point at which a gate must fail, and how often it was measured to. */
    readonly gate?: GateMeasured;
  }[];
  readonly checks: readonly CheckSpec[];
  readonly expectations: readonly ExpectationSpec[];
  readonly waivers?: readonly WaiverSpec[];
  readonly published: readonly PublishedValue[];
  /** The scenario's parameters, so that a point can be read: `outage` 40000 is a duration, 40 s. */
  readonly parameters?: readonly ParameterShape[];
  /** Names of the registered measure predicates, so that a record can be measured again. */
  readonly measure?: readonly string[];
  /** Two sides to compare, once their points are judged. */
  readonly comparisons?: readonly ComparisonSpec[];
  readonly aggregates?: readonly AggregateSpec[];
  /** How measures are to be shown: unit, title, and plots that the report draws. */
  readonly measures: readonly MeasureSpec[];
  readonly plots: readonly PlotSpec[];
}

/**
 * One figure over many points of a scenario, such as a sum over a grid, shown beside what the document says of it.
 * `sum`, `max`, `mean` of a measure over all counted trials; `ratio`: sum of `measure` over sum of `of`; `onset`: the
 * smallest value of the parameter `along` at which a trial had the measure above 0; `trials`: the counted trials.
 * With `less` it is a difference: the same figure at the same place but for these values is taken off.
 */
export interface AggregateSpec {
  readonly title: string;
  /** `ratio` in the unit % is told in percent. */
  readonly op: 'sum' | 'max' | 'mean' | 'ratio' | 'onset' | 'trials';
  readonly measure: string;
  readonly of?: string;
  readonly along?: string;
  readonly where: Readonly<Record<string, ParameterValue | readonly ParameterValue[]>>;
  readonly less?: Readonly<Record<string, ParameterValue | readonly ParameterValue[]>>;
  /** Of fewer there is no figure, since it could not stand beside the published one: that is over so many. */
  readonly atLeast?: { readonly trials?: number; readonly points?: number };
  /** Over so many of each point's counted trials only, the first ones: as many as a published figure is over. For measures of one value a trial. */
  readonly firstTrials?: number;
  readonly unit: string;
  /** Ids of published values that say the same thing. */
  readonly published?: readonly string[];
}

export interface AggregateResult {
  readonly suite: string;
  readonly scenario: string;
  readonly title: string;
  /** `null`: no counted trial, fewer than `atLeast`, or (onset) never above 0. */
  readonly value: number | null;
  readonly unit: string;
  /** There is no value because there is too little of what it would be over. */
  readonly short?: boolean;
  readonly points: number;
  readonly trials: number;
  /** What the value covers, for people: `54 trials over 18 points`, `374 of 374`. */
  readonly detail: string;
  readonly published: readonly PublishedValue[];
}

/** How a parameter of a scenario is to be read and shown. */
export interface ParameterShape {
  readonly name: string;
  /** `duration` values are ms, `ratio` values 0..1. */
  readonly type: 'integer' | 'number' | 'duration' | 'ratio' | 'choice' | 'text' | 'boolean';
  readonly description?: string;
}

/** Which points are the two sides, what is compared, and what counts as no worse. */
export interface ComparisonSpec {
  readonly title: string;
  /** Parameter whose values are the sides, e.g. `variant`; `warp` compares the speeds of a run that has several. */
  readonly parameter: string;
  readonly baseline: ParameterValue;
  readonly candidate: ParameterValue;
  /** Over these points only. A comparison with such a place, or of speeds, is left out, with a note, where a run was not planned to have both sides. */
  readonly where?: Readonly<Record<string, ParameterValue | readonly ParameterValue[]>>;
  /** The measure that decides the exit, besides `noMore` and `noLoss`. */
  readonly primary: ComparedMeasure;
  /**
   * Measures of which a candidate must not have more than its baseline does: one that is worse fails the comparison, and one whose
   * interval leaves that open withholds the answer while its effect is beyond the margin.
   */
  readonly noMore?: readonly ComparedMeasure[];
  /** Adjusted for their number after Holm: better, worse and differs are said only below the adjusted p. Never deciding. */
  readonly secondary?: readonly ComparedMeasure[];
  /** Measures that must be zero in every trial of the candidate: one loss decides. */
  readonly noLoss?: readonly string[];
}

export interface ComparedMeasure {
  readonly measure: string;
  /** `same`: neither way is good, and the sides are to agree, as a stand-in with what it stands for. */
  readonly better: 'lower' | 'higher' | 'same';
  /** In the measure's unit: a candidate worse by less than this is "no worse"; with `same`, apart by less agrees. */
  readonly margin: number;
  readonly statistic?: 'mean' | 'median';
  /**
   * Measure in the same unit of how far each trial was watched. All values count up to there: one that was not seen to happen is
   * ranked last, as that much at least. Without it such a trial leaves the whole comparison unclear.
   */
  readonly openAs?: string;
  /** With `same`: sides that the rank test tells apart with a p below this do not agree, however near their means. */
  readonly rankBelow?: number;
  /** Of the interval, 0.95 when absent; more where the comparison is looked at several times while it runs. */
  readonly level?: number;
  readonly reason?: string;
}

/** `agrees` and `differs` are said of measures that are to be the same. */
export type ComparisonOutcome = 'better' | 'no worse' | 'worse' | 'agrees' | 'differs' | 'unclear';

/** What comparing two sides said, over the points that both have. */
export interface ComparisonResult {
  readonly suite: string;
  readonly scenario: string;
  readonly title: string;
  readonly baseline: string;
  readonly candidate: string;
  readonly verdict: Verdict;
  readonly outcome: ComparisonOutcome;
  readonly sentence: string;
  readonly metrics: readonly ComparedMetric[];
  readonly losses: readonly Finding[];
  readonly voids: { readonly baseline: number; readonly candidate: number; readonly unequal: boolean };
}

export interface ComparedMetric {
  readonly measure: string;
  readonly role: 'primary' | 'guard' | 'secondary';
  readonly unit: string;
  readonly better: ComparedMeasure['better'];
  readonly margin: number;
  readonly baselineTrials: number;
  readonly candidateTrials: number;
  /** Trials, of these, that did not see it happen, counted as what they were watched. */
  readonly baselineOpen?: number;
  readonly candidateOpen?: number;
  readonly baselineEstimate?: number;
  readonly candidateEstimate?: number;
  /** Candidate minus baseline. */
  readonly effect?: number;
  readonly interval?: Interval;
  readonly pValue?: number;
  readonly adjustedPValue?: number;
  readonly outcome: ComparisonOutcome;
  readonly sentence: string;
}

export interface MeasureSpec {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
}

export interface PlotSpec {
  readonly title: string;
  /**
   * `course`: one line a node (or a trial) over the time since an event; `graph`: who names whom, in one trial a facet. Both
   * from the events of the trials themselves.
   */
  readonly kind: 'line' | 'survival' | 'timeline' | 'course' | 'graph';
  /** Only these points. */
  readonly where?: Readonly<Record<string, ParameterValue | readonly ParameterValue[]>>;
  /** Parameter on the x axis (line), or absent. */
  readonly x?: string;
  /** A measure; of timelines, courses and graphs an event. */
  readonly y: string;
  /** Of a course. */
  readonly course?: CourseSpec;
  /** Of a graph. */
  readonly graph?: GraphSpec;
  /** Of a line: what is reckoned and not measured, drawn dashed. */
  readonly reference?: readonly ReferenceLine[];
  /** Parameter that makes the series, and the one that makes the facets. */
  readonly series?: string;
  readonly facet?: string;
  readonly xScale?: 'linear' | 'log';
  readonly yScale?: 'linear' | 'symlog';
}

export interface ReferenceLine {
  readonly label: string;
  /** In the units of the axes. */
  readonly places: readonly { readonly x: number; readonly y: number }[];
}

/** How events become a graph. */
export interface GraphSpec {
  /** Nothing before the last event of this name is shown. */
  readonly since: string;
  /** Field with what the graph is of; the one with most events is shown. */
  readonly of: string;
  /** Field with a name. */
  readonly from: string;
  /** Field with a name or a list of them. */
  readonly to: string;
  /** What puts names into groups: an event, its field with the name and its field with the group. The first of each counts. */
  readonly group?: { readonly event: string; readonly name: string; readonly value: string };
}

/** How events become lines over time. */
export interface CourseSpec {
  /** Event from which time is counted, its first in the trial. */
  readonly since: string;
  /** Field that is added up or shown; each event counts 1 when absent. */
  readonly field?: string;
  /** `sum`: what has come together so far; `level`: the value as it stood. */
  readonly as: 'sum' | 'level';
  readonly per: 'node' | 'trial';
  /** Only what nodes of this role tell. */
  readonly role?: string;
  /** Event of the harness by whose `leapMs` all clocks were advanced: added to the time of what follows. */
  readonly leaps?: string;
  readonly unit: string;
}
