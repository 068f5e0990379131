import type { SeededStream } from '../random/index.ts';
import type { World } from './world.ts';

/** What a run is known to be, whatever is done to it: nothing is wrong in `sound`, and a check must fail in `broken`. */
export type Truth = 'sound' | 'broken';

/** What one torment came to. */
export interface Attempt {
  /** One word for the table: `right`, `inconclusive`, `broken`, `killed`, … */
  readonly outcome: string;
  /** Whether the torment met what it was meant for; a run that was over by then shows nothing. */
  readonly met: boolean;
  /** What must not be: a wrong pass, something left behind. Empty when all is as it should be. */
  readonly problems: readonly string[];
  readonly facts: Readonly<Record<string, unknown>>;
}

/** One kind of torment, to be done many times. */
export interface Part {
  readonly name: string;
  readonly title: string;
  /** How often in the whole, and in the short form that the tests run. */
  readonly times: { readonly whole: number; readonly short: number };
  /** What one takes on the reference machine (2 cores), for the duration that is stated beforehand. */
  readonly secondsEach: number;
  /** On an engine and a network of its own, since it restarts the engine. */
  readonly privateEngine?: boolean;
  /** Why it cannot be done here; undefined when it can. What cannot be done is never counted as passed. */
  readonly whyNot?: () => string | undefined;
  /** @param chance the attempt's own, so that it can be done again */
  attempt(world: World, chance: SeededStream): Promise<Attempt>;
}
