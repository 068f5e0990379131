import {
  checkOf,
  type Frequency,
  type IncidentCase,
  isClear,
  type Oracle,
  oracleFor,
  type Shrunk,
  scenarioOf,
  shrinkCase,
  type TrialPort,
  type Tried,
} from '../incident/index.ts';
import { clopperPearson } from '../stats/index.ts';
import { drawSchedule } from './draw-schedule.ts';
import { asIncident, type Exploration } from './read-exploration.ts';

/** A way to break an invariant. Ways that break the same ones are taken for the same. */
export interface Finding {
  /** Titles of the invariants, in order. */
  readonly broken: readonly string[];
  /** Number of the schedule that broke them first. */
  readonly schedule: number;
  readonly found: IncidentCase;
  readonly smallest: IncidentCase;
  readonly minimal: boolean;
  readonly frequency?: Frequency;
}

export interface ExploreOptions {
  readonly exploration: Exploration;
  readonly port: TrialPort;
  readonly seed: string;
  /** Schedules of the seed that earlier runs have tried: it goes on after them. */
  readonly from: number;
  /** What earlier runs have found; it is counted and not shrunk again. */
  readonly known: readonly (readonly string[])[];
  /** Schedules tried in one run before looking at them. */
  readonly batch: number;
  readonly confirm: number;
  /** Trials that shrinking one finding may take. */
  readonly shrinkTrials: number;
  /** Whether there is time for another batch, or for another question while shrinking. */
  readonly hasTime: () => boolean;
  /** Told of each finding as soon as it is complete, so that none is lost when a later one is interrupted. */
  readonly onFinding: (finding: Finding) => Promise<void>;
  readonly onProgress: (text: string) => void;
  readonly signal: AbortSignal;
}

export interface Unconfirmed {
  readonly broken: readonly string[];
  readonly schedule: number;
  /** Fresh trials, none of which broke it. */
  readonly counted: number;
}

export interface Explored {
  readonly seed: string;
  /** The next schedule to try. */
  readonly next: number;
  readonly counted: number;
  readonly voids: number;
  readonly findings: readonly Finding[];
  /** Broken once and in no fresh trial: rare, or chance. What is known does not grow by it, so that it can still be found. */
  readonly unconfirmed: readonly Unconfirmed[];
  /** Schedules that broke what was known already. */
  readonly again: Readonly<Record<string, number>>;
}

/**
 * Tries random schedules of faults against the invariants while there is time. What breaks one is measured, shrunk with a
 * "K of N" oracle, and reported once for each set of invariants that it breaks.
 */
export async function explore(options: ExploreOptions): Promise<Explored> {
  const { exploration, port, seed, batch, hasTime, onProgress, signal } = options;
  const incident = asIncident(exploration, exploration.name);
  const checks = { symptoms: incident.symptoms.map(checkOf), held: [], need: 'any' as const };
  const known = new Set(options.known.map(keyOf));
  const again: Record<string, number> = {};
  const findings: Finding[] = [];
  const unconfirmed: Unconfirmed[] = [];
  let next = options.from;
  let [counted, voids] = [0, 0];
  while (hasTime() && !signal.aborted) {
    const numbers = Array.from({ length: batch }, (_, index) => next + index);
    const cases = numbers.map((number) => drawSchedule(exploration, seed, number));
    const tried = await port.tryAll(
      cases.map((one, index) => ({
        spec: scenarioOf(incident, one, { name: `${incident.name}-${numbers[index]}` }),
        point: {},
        trials: 1,
      })),
      { checks, seed: `${seed}.${next}`, signal },
    );
    next += batch;
    for (const [index, one] of tried.entries()) {
      counted += one.counted;
      voids += one.voids;
      if (one.shown === 0) continue;
      const broken = [...(one.failed ?? [])].sort();
      const key = keyOf(broken);
      if (known.has(key)) {
        again[key] = (again[key] ?? 0) + 1;
        continue;
      }
      const number = numbers[index] ?? 0;
      onProgress(`schedule ${number} breaks: ${key}`);
      const finding = await investigate(options, cases[index] as IncidentCase, number, broken);
      if (!('smallest' in finding)) {
        unconfirmed.push(finding);
        continue;
      }
      known.add(key);
      findings.push(finding);
      await options.onFinding(finding);
    }
    onProgress(`${counted} schedules tried, ${findings.length} ways to break an invariant`);
  }
  return { seed, next, counted, voids, findings, unconfirmed, again };
}

async function investigate(
  options: ExploreOptions,
  found: IncidentCase,
  schedule: number,
  broken: readonly string[],
): Promise<Finding | Unconfirmed> {
  const { exploration, port, seed, confirm, shrinkTrials, hasTime, onProgress, signal } = options;
  const incident = asIncident(exploration, `${exploration.name}-${schedule}`, broken);
  const checks = { symptoms: incident.symptoms.map(checkOf), held: [] };
  let round = 0;
  const tryCase = async (one: IncidentCase, trials: number, oracle?: Oracle): Promise<Tried> => {
    round += 1;
    const spec = scenarioOf(incident, one, { name: `${incident.name}-smaller` });
    const enough = oracle && ((shown: number, counted: number) => isClear(oracle, shown, counted));
    const how = { checks, seed: `${seed}.${schedule}.${round}`, signal };
    const [tried] = await port.tryAll([{ spec, point: {}, trials, ...(enough && { enough }) }], how);
    return tried ?? { shown: 0, counted: 0, voids: 0 };
  };
  const first = await tryCase(found, confirm);
  onProgress(`schedule ${schedule}: broken again in ${first.shown} of ${first.counted} fresh trials`);
  if (first.shown === 0 && first.counted > 0) return { broken, schedule, counted: first.counted };
  if (first.counted === 0) return finish(found, { smallest: found, minimal: false, asked: 0 }, first);
  const oracle = oracleFor(first);
  let spent = 0;
  const shrunk = await shrinkCase(found, {
    mayAsk: () => spent + oracle.of <= shrinkTrials && hasTime() && !signal.aborted,
    rolesOf: (one) => port.rolesOf(scenarioOf(incident, one, { name: incident.name }), {}),
    onProgress: (text) =>
      onProgress(`schedule ${schedule}, ${spent} of at most ${shrinkTrials} trials: ${text}`),
    shows: async (one) => {
      const tried = await tryCase(one, oracle.of, oracle);
      spent += tried.counted + tried.voids;
      return tried.shown >= oracle.need;
    },
  });
  return finish(found, shrunk, await tryCase(shrunk.smallest, confirm));

  function finish(from: IncidentCase, { smallest, minimal }: Shrunk, measured: Tried): Finding {
    const { shown, counted } = measured;
    const { low, high } = counted > 0 ? clopperPearson(shown, counted) : { low: 0, high: 1 };
    return {
      broken,
      schedule,
      found: from,
      smallest,
      minimal,
      ...(counted > 0 && { frequency: { shown, counted, low, high } }),
    };
  }
}

/** What tells findings apart. */
export function keyOf(broken: readonly string[]): string {
  return [...broken].sort().join(' · ');
}
