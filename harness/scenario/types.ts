/**
 * A scenario is data: the same shape from YAML and from TypeScript (`describeScenario`). TypeScript may also give
 * functions where the YAML has names of registered predicates.
 *
 * Strings may hold `${parameter}`; durations are texts such as `40s` and are divided by the warp when run.
 */

import type { Direction, FaultKind, Protocol } from '../fault/index.ts';
import type {
  AggregateSpec,
  CheckSpec,
  ComparisonSpec,
  EnoughSpec,
  ExpectationSpec,
  MeasureSpec,
  MeasureValue,
  ParameterValue,
  PlotSpec,
  Point,
  PublishedValue,
  RecordedEvent,
  TrialRecord,
} from '../record/index.ts';
import type { TopologyOverrides } from '../topology/index.ts';

export interface ParameterSpec {
  readonly type: 'integer' | 'number' | 'duration' | 'ratio' | 'choice' | 'text' | 'boolean';
  readonly description: string;
  readonly default: ParameterValue;
  readonly choices?: readonly string[];
  /** In the value's own unit: ms for durations, 0..1 for ratios. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** Its values are sides to compare: all get the same seeds, so the same targets. True for `variant` unless said otherwise. */
  readonly side?: boolean;
}

/** Values on each axis; `points` lists further single points (each must name every axis it differs in). */
export interface GridSpec {
  readonly description: string;
  readonly axes: Readonly<Record<string, readonly ParameterValue[]>>;
  readonly points?: readonly Point[];
  readonly trials?: number;
  /** A point whose interval is narrow before needs not all of its trials. */
  readonly enough?: EnoughSpec;
}

/** Something to wait for, seen in the trial's event stream. */
export type Condition =
  | {
      readonly event: string;
      readonly on?: string;
      readonly count?: number | 'all';
      readonly where?: Readonly<Record<string, unknown>>;
    }
  /** A predicate registered by the suite: called with all events so far, cheap and pure. */
  | { readonly predicate: string; readonly parameters?: Readonly<Record<string, unknown>> };

/** Lower bounds by count, or by a sum of counts (docs/faults.md). */
export type MustShow = Readonly<Record<string, number>>;

export interface FaultStep {
  readonly kind: FaultKind;
  readonly id?: string;
  readonly on?: string;
  readonly from?: string;
  readonly to?: string;
  readonly direction?: Direction;
  readonly protocol?: Protocol;
  readonly ports?: readonly number[];
  readonly for?: string;
  /** Lower bounds of the witness in place of the kind's own. TypeScript may give a function of the point; undefined leaves the kind's. */
  readonly mustShow?: MustShow | ((point: Point) => MustShow | undefined);
  /** Settings of the kind. */
  readonly [setting: string]: unknown;
}

/** What a step does; where `when` is given, at points that match it only (parameter → value or list of values). */
export type Step = StepAction & {
  readonly when?: Readonly<Record<string, ParameterValue | readonly ParameterValue[]>>;
};

type StepAction =
  | { readonly name?: string; readonly wait: string }
  | {
      readonly name?: string;
      readonly until: Condition;
      readonly within: string;
      readonly orElse?: 'void' | 'fail' | 'continue';
    }
  /** Applies and, with `for`, waits until it has lifted unless `background`. */
  | { readonly name?: string; readonly fault: FaultStep; readonly background?: boolean }
  /** Several faults on one instant. */
  | { readonly name?: string; readonly faults: readonly FaultStep[]; readonly background?: boolean }
  | { readonly name?: string; readonly lift: string }
  /** A request to the nodes' admin port (`/reset`, `/clock`, `/storm`, or an image's own). */
  | {
      readonly name?: string;
      readonly admin: {
        readonly on: string;
        readonly method: 'GET' | 'POST';
        readonly path: string;
        readonly body?: unknown;
      };
    }
  | { readonly name?: string; readonly exec: { readonly on: string; readonly command: readonly string[] } }
  /** What a suite has registered under a name. */
  | {
      readonly name?: string;
      readonly do: { readonly action: string; readonly parameters?: Readonly<Record<string, unknown>> };
    }
  /** TypeScript only. `takes` says for the plan how long it takes as a rule, unwarped. */
  | {
      readonly name?: string;
      readonly run: (trial: TrialContext) => Promise<void>;
      readonly takes?: (point: Point) => string;
    };

export interface PhaseSpec {
  readonly name: 'warm-up' | 'fault' | 'recovery' | 'settle' | (string & {});
  readonly steps: readonly Step[];
}

/** What a step written in code can do. */
export interface TrialContext {
  readonly point: Point;
  readonly seed: string;
  readonly warp: number;
  readonly signal: AbortSignal;
  readonly events: readonly RecordedEvent[];
  nodes(
    selector: string,
  ): readonly { readonly name: string; readonly role: string; readonly address: string }[];
  admin(
    node: string,
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: string }>;
  /** Runs a node's process anew, as it is now but for these variables, and waits until it is ready; what it had in files it finds again. */
  relaunch(node: string, env?: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Puts another version in a node's place and waits until it is ready: a new container of that image, of the topology's own when
   * absent, with the files that the image says it keeps.
   */
  replace(node: string, image?: string): Promise<void>;
  emit(event: string, fields: Readonly<Record<string, unknown>>): void;
  /**
   * Where containers of the suite's own may stand, such as testcontainers': with this network and these labels they reach the
   * nodes and are removed with the bed. Points testcontainers at the bed's engine, so import it after this was called.
   */
  guestPlace(): { readonly networkId: string; readonly labels: Readonly<Record<string, string>> };
  wait(duration: string): Promise<void>;
  until(condition: Condition, within: string): Promise<void>;
}

/** A pure function over a finished trial (events in order of `atNs`), run when the trial ends and again by recheck. */
export type MeasurePredicate = (
  trial: Omit<TrialRecord, 'measures'>,
  events: readonly RecordedEvent[],
) => Readonly<Record<string, MeasureValue>>;

/** What a scenario asks of the seeds of its trials. */
export interface SeedCondition {
  /** What holds, as the end of a sentence: `the first pick is proxy-1`. */
  readonly says: string;
  /** Pure. It is not told the sides of the point (`variant`), so that all sides draw the same seeds. */
  readonly holds: (seed: string, point: Point) => boolean;
}

/** Trials of one point run on a bed that is reset between them, or each on one of its own. */
export type BedUse = 'reuse' | 'fresh';

export interface ScenarioSpec {
  readonly name: string;
  readonly description: string;
  /** Topology file relative to the suite, or its name under `topologies/`. */
  readonly topology: string;
  /** Suites whose measures, checks and predicates it names: loaded with it, their scenarios left out. */
  readonly uses?: readonly string[];
  readonly parameters: Readonly<Record<string, ParameterSpec>>;
  /** Parameters → overrides of the topology (counts, variant, settings). TypeScript may give a function. */
  readonly overrides?: TopologyOverrides | ((point: Point) => TopologyOverrides);
  readonly grids: Readonly<Record<string, GridSpec>>;
  /** Grid that runs when none is named. */
  readonly defaultGrid: string;
  readonly trials: number;
  /** Left out of a run of the whole suite; runs when `--scenario` or `--grid` names it, or when it is run by file. */
  readonly onlyWhenNamed?: boolean;
  /**
   * Trials are drawn only from seeds for which this holds, so that what chance must have done (a first pick, a target)
   * is known before the trial runs; a check ought to assert it afterwards. TypeScript only.
   */
  readonly seedWhere?: SeedCondition;
  /** Beds of its plan are played one at a time, unless the call says otherwise: two of them would take the host from each other. */
  readonly oneBedAtATime?: boolean;
  /** Trials of one point may run on a bed that is reset, or each needs a fresh one. */
  readonly bed: BedUse | `\${${string}}`;
  readonly phases: readonly PhaseSpec[];
  /** Names of registered measure predicates. */
  readonly measure: readonly string[];
  readonly measures: readonly MeasureSpec[];
  readonly plots?: readonly PlotSpec[];
  readonly checks: readonly CheckSpec[];
  readonly expect?: readonly ExpectationSpec[];
  readonly published?: readonly PublishedValue[];
  /** Figures over many points. */
  readonly aggregates?: readonly AggregateSpec[];
  /** Two sides to compare, once their points are judged. */
  readonly comparisons?: readonly ComparisonSpec[];
  /** Mutants that this scenario is designated to kill; the point at which (its `variant` is the one with the fix on). */
  readonly kills?: readonly {
    readonly mutant: string;
    readonly point?: Point;
    readonly trials?: number;
    /** Share of trials in which the mutant's fault was measured to show at that point. */
    readonly showRate?: number;
    readonly reason?: string;
  }[];
  /** Highest warp allowed, and the scenario or grid that is its control at warp 1. */
  readonly warp?: { readonly ceiling: number; readonly control: string };
  /** Share of the trial's time budget: a trial that takes longer is an error that says which step hung. */
  readonly timeBudget?: string;
  /** Shortest timeout of the system under test: the host guard's thresholds follow it. */
  readonly shortestTimeout?: string;
  /** The point at which a gate must fail, and how often it was measured to: at real speed, with the defaults of the rest. */
  readonly gate?: {
    readonly point: Point;
    /** What must show there, as the subject of a sentence: `the leak`. */
    readonly defect: string;
    /** Trials that showed it, of those that were made there. */
    readonly power: {
      readonly shown: number;
      readonly trials: number;
      /** The runs that they were counted in, with their seeds, as the end of a sentence. */
      readonly source?: string;
    };
  };
}

export interface SuiteSpec {
  readonly name: string;
  readonly description: string;
  readonly scenarios: readonly ScenarioSpec[];
  /** Folder of the suite, against which topologies are found; absent for a suite built in code. */
  readonly folder?: string;
}
