import type { Point } from '../record/index.ts';
import type { ScenarioSpec } from '../scenario/index.ts';
import type { IncidentChecks } from './judge-symptoms.ts';

/** A scenario to be tried: so many counted trials, or fewer once `enough` says that the answer is clear. */
export interface Trying {
  readonly spec: ScenarioSpec;
  /** Values of its parameters; the defaults of the rest. */
  readonly point: Point;
  readonly trials: number;
  readonly enough?: (shown: number, counted: number) => boolean;
}

/** What trying it showed. */
export interface Tried {
  readonly shown: number;
  /** Trials that prove something, shown or not. */
  readonly counted: number;
  readonly voids: number;
  /** Titles of the symptoms that showed in some trial, each by itself. */
  readonly failed?: readonly string[];
  /** Why nothing was tried: the scenario makes no sense (too few nodes for its selectors). */
  readonly refused?: string;
  /** The run's folder. */
  readonly dir?: string;
}

/** Code of the error that no trial of a case came to its end. */
export const TRIALS_BROKEN = 'trials-broken';

/** The run machinery as searching and shrinking see it. */
export interface TrialPort {
  /**
   * Tries several scenarios, side by side where there is room; a name belongs to one spec.
   * @throws SquallError `trials-broken` when no trial of any came to its end
   */
  tryAll(
    tryings: readonly Trying[],
    how: { readonly checks: IncidentChecks; readonly seed: string; readonly signal: AbortSignal },
  ): Promise<readonly Tried[]>;
  /** Nodes of each role. @throws SquallError (input) when its topology cannot be resolved */
  rolesOf(spec: ScenarioSpec, point: Point): Readonly<Record<string, number>>;
}
