import { SquallError } from '../errors/index.ts';
import type { Point } from '../record/index.ts';
import { clopperPearson, excludedRate } from '../stats/index.ts';
import { type DrawnCase, drawCases } from './draw-cases.ts';
import { isClear, type Oracle, oracleFor } from './oracle.ts';
import { checkOf, scenarioOf } from './scenario-of.ts';
import { type Shrunk, shrinkCase } from './shrink-case.ts';
import type { TrialPort, Tried, Trying } from './trial-port.ts';
import type { Incident, IncidentCase, IncidentValues } from './types.ts';

export interface ReproduceOptions {
  readonly incident: Incident;
  readonly port: TrialPort;
  readonly seed: string;
  /** Ways to try, one trial each. */
  readonly attempts: number;
  /** Attempts that are tried before looking whether one has shown it. */
  readonly batch: number;
  /** Fresh trials that measure how often a case shows it. */
  readonly confirm: number;
  /** In place of the one that follows how often it showed. */
  readonly oracle?: Oracle;
  /** Trials that shrinking may spend; 0: the case is left as it was found. */
  readonly shrinkTrials: number;
  readonly onProgress: (text: string) => void;
  readonly signal: AbortSignal;
}

/** How often something showed, with its exact interval at 95 %. */
export interface Frequency {
  readonly shown: number;
  readonly counted: number;
  readonly low: number;
  readonly high: number;
}

export interface Attempt {
  readonly values: IncidentValues;
  readonly outcome: 'shown' | 'hidden' | 'void' | 'refused';
  readonly reason?: string;
  readonly dir?: string;
}

/** A case that a regression test cannot be made of. */
export interface NotKept {
  readonly because: 'chance' | 'fix-does-not-help';
  readonly text: string;
}

export interface Reproduction {
  readonly seed: string;
  readonly attempts: readonly Attempt[];
  /** Over what is not known: share of the attempts that showed it. */
  readonly overUnknowns?: Frequency;
  /** Nothing showed it: a share of ways above this one would have, at 95 %. */
  readonly excludes?: number;
  readonly found?: {
    readonly drawn: DrawnCase;
    /** In fresh trials, since the one that found it was chosen for showing it. */
    readonly frequency?: Frequency;
    readonly oracle: Oracle;
  };
  readonly shrunk?: Shrunk;
  /** The case that is worth keeping: the smallest, or the one found. */
  readonly kept?: IncidentCase;
  /** Why what was found is not worth keeping. */
  readonly notKept?: NotKept;
  readonly keptFrequency?: Frequency;
  /** The same case with the fix. */
  readonly withFix?: Frequency;
}

/**
 * Makes an incident happen again: tries ways in which it may have been until one shows it, measures how often that one
 * does, shrinks it, and measures again, with the fix beside it where one is known. Interrupted while it shrinks, it comes to
 * what it had by then.
 * @throws SquallError what the port throws, and `no-attempt` (void) when no trial proved anything
 */
export async function reproduce(options: ReproduceOptions): Promise<Reproduction> {
  return await new Reproducer(options).run();
}

class Reproducer {
  readonly #options: ReproduceOptions;
  readonly #before: Point;
  readonly #after: Point;
  #rounds = 0;

  constructor(options: ReproduceOptions) {
    this.#options = options;
    const fixes = Object.entries(options.incident.fix);
    this.#before = Object.fromEntries(fixes.map(([name, { before }]) => [name, before]));
    this.#after = Object.fromEntries(fixes.map(([name, { after }]) => [name, after]));
  }

  async run(): Promise<Reproduction> {
    const { seed, shrinkTrials, onProgress } = this.#options;
    const { attempts, drawn } = await this.#search();
    const counted = attempts.filter(({ outcome }) => outcome === 'shown' || outcome === 'hidden').length;
    const shown = attempts.filter(({ outcome }) => outcome === 'shown').length;
    if (counted === 0) throw nothingCounted(attempts);
    const overUnknowns = frequency({ shown, counted });
    if (!drawn) return { seed, attempts, overUnknowns, excludes: excludedRate(0, counted) };
    const first = await this.#measure(drawn, 'the case found');
    const oracle = this.#options.oracle ?? oracleFor(first.before);
    const found = { drawn, ...asFrequency(first.before), oracle };
    const notKept = whyNotKept(first);
    if (notKept) {
      onProgress(`${notKept.text}: not shrunk`);
      return { seed, attempts, overUnknowns, found, notKept, ...this.#kept(first) };
    }
    if (shrinkTrials === 0) return { seed, attempts, overUnknowns, found, kept: drawn, ...this.#kept(first) };
    const shrunk = await this.#shrink(drawn, oracle);
    if (this.#options.signal.aborted) {
      return { seed, attempts, overUnknowns, found, shrunk, kept: shrunk.smallest };
    }
    const last = await this.#measure(shrunk.smallest, 'the smallest case');
    const tooSmall = whyNotKept(last);
    if (tooSmall) {
      onProgress(`${tooSmall.text}: the one found is kept in place of the smallest`);
      return { seed, attempts, overUnknowns, found, shrunk, kept: drawn, ...this.#kept(first) };
    }
    return { seed, attempts, overUnknowns, found, shrunk, kept: shrunk.smallest, ...this.#kept(last) };
  }

  async #search(): Promise<{ readonly attempts: readonly Attempt[]; readonly drawn?: DrawnCase }> {
    const { incident, attempts: wanted, batch, seed, onProgress } = this.#options;
    const cases = drawCases(incident, wanted, seed);
    const attempts: Attempt[] = [];
    for (let from = 0; from < cases.length; from += batch) {
      const now = cases.slice(from, from + batch);
      const tried = await this.#tryAll(
        now.map((one, index) => this.#trying(one, `${incident.name}-${from + index + 1}`, 1)),
      );
      attempts.push(...now.map((one, index) => attemptOf(one, tried[index] as Tried)));
      const hit = attempts.findIndex(({ outcome }) => outcome === 'shown');
      onProgress(
        `attempts 1 to ${attempts.length} of ${wanted}: ${hit < 0 ? 'not shown yet' : `shown by attempt ${hit + 1}`}`,
      );
      const drawn = cases[hit];
      if (drawn) return { attempts, drawn };
    }
    return { attempts };
  }

  async #measure(
    one: IncidentCase,
    what: string,
  ): Promise<{ readonly before: Tried; readonly after?: Tried }> {
    const { confirm, incident, onProgress } = this.#options;
    const name = `${incident.name}-measured`;
    if (confirm === 0) return { before: { shown: 0, counted: 0, voids: 0 } };
    const points = this.#hasFix ? [this.#before, this.#after] : [this.#before];
    const trying = this.#trying(one, name, confirm);
    const [before, after] = await this.#tryAll(points.map((point) => ({ ...trying, point })));
    if (!before) throw new SquallError(`${what}: was not tried`, { code: 'nothing-tried' });
    const fixed = after ? `, with the fix in ${after.shown} of ${after.counted}` : '';
    onProgress(`${what} showed it in ${before.shown} of ${before.counted} fresh trials${fixed}`);
    return { before, ...(after && { after }) };
  }

  async #shrink(drawn: DrawnCase, oracle: Oracle): Promise<Shrunk> {
    const { incident, port, shrinkTrials, onProgress, signal } = this.#options;
    let spent = 0;
    return await shrinkCase(drawn, {
      // A question that is answered with yes is asked of the fix as well.
      mayAsk: () => spent + oracle.of * (this.#hasFix ? 2 : 1) <= shrinkTrials && !signal.aborted,
      rolesOf: (one) => port.rolesOf(scenarioOf(incident, one, { name: incident.name }), this.#before),
      onProgress: (text) => onProgress(`shrinking (${spent} of at most ${shrinkTrials} trials): ${text}`),
      shows: async (one) => {
        const trying = this.#trying(one, `${incident.name}-smaller`, oracle.of);
        const ask = async (more: Partial<Trying>): Promise<Tried> => {
          const [tried] = await this.#tryAll([{ ...trying, ...more }]).catch((error: unknown) => {
            // An interrupt ends the shrinking, and what it has come to is kept.
            if (signal.aborted) return [];
            throw error;
          });
          spent += (tried?.counted ?? 0) + (tried?.voids ?? 0);
          return tried ?? { shown: 0, counted: 0, voids: 0 };
        };
        const before = await ask({ enough: (shown, counted) => isClear(oracle, shown, counted) });
        if (before.shown < oracle.need || !this.#hasFix) return before.shown >= oracle.need;
        // Where the fix does not help any more, what is left is another incident.
        const after = await ask({ point: this.#after, enough: (shown) => shown > 0 });
        return after.shown === 0 && after.counted > 0;
      },
    });
  }

  get #hasFix(): boolean {
    return Object.keys(this.#options.incident.fix).length > 0;
  }

  #trying(one: IncidentCase, name: string, trials: number): Trying {
    return { spec: scenarioOf(this.#options.incident, one, { name }), point: this.#before, trials };
  }

  /** Each round draws its own seeds, so that no trial repeats the one that found it. */
  async #tryAll(tryings: readonly Trying[]): Promise<readonly Tried[]> {
    const { incident, port, seed, signal } = this.#options;
    signal.throwIfAborted();
    this.#rounds += 1;
    const checks = { symptoms: incident.symptoms.map(checkOf), held: incident.held.map(checkOf) };
    return await port.tryAll(tryings, { checks, seed: `${seed}.${this.#rounds}`, signal });
  }

  #kept({ before, after }: { readonly before: Tried; readonly after?: Tried }) {
    const kept = asFrequency(before).frequency;
    const fixed = after && asFrequency(after).frequency;
    return { ...(kept && { keptFrequency: kept }), ...(fixed && { withFix: fixed }) };
  }
}

/** As a regression test, a case must fail before the fix and pass after it. */
function whyNotKept({
  before,
  after,
}: {
  readonly before: Tried;
  readonly after?: Tried;
}): NotKept | undefined {
  if (before.shown === 0 && before.counted > 0) {
    return { because: 'chance', text: `it showed in none of ${before.counted} fresh trials` };
  }
  if (after && after.shown > 0) {
    return {
      because: 'fix-does-not-help',
      text: `it shows with the fix too, in ${after.shown} of ${after.counted}`,
    };
  }
  return undefined;
}

function attemptOf({ values }: IncidentCase, { shown, counted, refused, dir }: Tried): Attempt {
  const outcome = refused !== undefined ? 'refused' : counted === 0 ? 'void' : shown > 0 ? 'shown' : 'hidden';
  return {
    values,
    outcome,
    ...(refused !== undefined && { reason: refused }),
    ...(dir !== undefined && { dir }),
  };
}

function asFrequency({ shown, counted }: Tried): { readonly frequency?: Frequency } {
  return counted === 0 ? {} : { frequency: frequency({ shown, counted }) };
}

function frequency({ shown, counted }: { readonly shown: number; readonly counted: number }): Frequency {
  const { low, high } = clopperPearson(shown, counted);
  return { shown, counted, low, high };
}

function nothingCounted(attempts: readonly Attempt[]): SquallError {
  const refused = attempts.find(({ outcome }) => outcome === 'refused');
  if (refused && attempts.every(({ outcome }) => outcome === 'refused')) {
    return new SquallError(`incident: no attempt could be made; ${refused.reason}`, {
      code: 'no-attempt',
      blame: 'input',
    });
  }
  return new SquallError(`incident: none of ${attempts.length} attempts proves anything; all were void.`, {
    code: 'no-attempt',
    blame: 'void',
    hint: 'The trials say why, under reports/.',
  });
}
