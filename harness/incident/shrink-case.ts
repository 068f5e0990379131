import { SquallError } from '../errors/index.ts';
import { ddmin, lowestShowing } from './ddmin.ts';
import { type Dimension, nodeDimensions, targetDimensions, timeDimensions } from './dimensions.ts';
import { TRIALS_BROKEN } from './trial-port.ts';
import type { IncidentCase } from './types.ts';

/** Values asked about for one number, at most: from 60 s to within 2 s of the lowest. */
const TRIES = 6;

export interface ShrinkOptions {
  /** Whether a case still shows the incident; asked once a case. */
  readonly shows: (one: IncidentCase) => Promise<boolean>;
  /** Whether there is budget left for another question. */
  readonly mayAsk: () => boolean;
  readonly rolesOf: (one: IncidentCase) => Readonly<Record<string, number>>;
  readonly onProgress: (text: string) => void;
}

export interface Shrunk {
  readonly smallest: IncidentCase;
  /** Nothing of it can be taken away any more, as far as was asked; false when the budget ended first. */
  readonly minimal: boolean;
  readonly asked: number;
}

/**
 * The smallest case that still shows the incident: entries are taken away, then nodes, targets, and time, and all of it
 * again until a round changes nothing. Each number is halved towards its lowest, as if more always showed it where less
 * does; the result is a local minimum.
 */
export async function shrinkCase(found: IncidentCase, options: ShrinkOptions): Promise<Shrunk> {
  const shrinker = new Shrinker(found, options);
  return await shrinker.run();
}

class Shrinker {
  readonly #options: ShrinkOptions;
  readonly #known = new Map<string, boolean>();
  #best: IncidentCase;
  #asked = 0;
  #starved = false;

  constructor(found: IncidentCase, options: ShrinkOptions) {
    this.#options = options;
    this.#best = found;
    this.#known.set(keyOf(found), true);
  }

  async run(): Promise<Shrunk> {
    for (;;) {
      const before = keyOf(this.#best);
      await ddmin(this.#best.happenings, (happenings) =>
        this.#try({ ...this.#best, happenings }, 'fewer entries'),
      );
      await this.#lower((one) => nodeDimensions(one, this.#options.rolesOf(one)));
      await this.#lower(targetDimensions);
      await this.#lower(timeDimensions);
      if (this.#starved || keyOf(this.#best) === before) break;
    }
    return { smallest: this.#best, minimal: !this.#starved, asked: this.#asked };
  }

  /** Lowers each number in turn; they are read anew after each, since one may change another. */
  async #lower(dimensionsOf: (one: IncidentCase) => readonly Dimension[]): Promise<void> {
    const count = dimensionsOf(this.#best).length;
    for (let index = 0; index < count; index += 1) {
      const dimension = dimensionsOf(this.#best)[index];
      if (!dimension) return;
      const { lowest, step, value, what } = dimension;
      await lowestShowing({ lowest, from: value, step, tries: TRIES }, (smaller) =>
        this.#try(dimension.with(smaller), `${what}: ${smaller}`),
      );
    }
  }

  async #try(candidate: IncidentCase, what: string): Promise<boolean> {
    const key = keyOf(candidate);
    const known = this.#known.get(key);
    if (known === undefined && !this.#options.mayAsk()) {
      this.#starved = true;
      return false;
    }
    if (known === undefined) this.#asked += 1;
    const shows = known ?? (await this.#ask(candidate, what));
    this.#known.set(key, shows);
    if (shows) this.#best = candidate;
    if (known === undefined)
      this.#options.onProgress(`${what}: ${shows ? 'still shows it' : 'does not show it'}`);
    return shows;
  }

  /** A case so small that its trials break (its warm-up never ends, say) shows nothing. */
  async #ask(candidate: IncidentCase, what: string): Promise<boolean> {
    try {
      return await this.#options.shows(candidate);
    } catch (error) {
      if (!(error instanceof SquallError) || error.code !== TRIALS_BROKEN) throw error;
      this.#options.onProgress(`${what}: its trials broke: ${error.message}`);
      return false;
    }
  }
}

function keyOf({ happenings, watchMs, counts }: IncidentCase): string {
  return JSON.stringify([happenings, watchMs, counts]);
}
