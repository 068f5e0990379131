import { type SeededStream, stream } from '../../harness/random/index.ts';

/** A server that can be picked: its name in settings and events, and the host it is reached at. */
export interface Candidate {
  readonly name: string;
  readonly host: string;
}

/**
 * Picks at random among the candidates that are not on the destination's host; among all when there are no others. A
 * proxy to be left out is left out only while another remains. One candidate alone takes no draw.
 */
export function pickProxy<C extends Candidate>(
  chance: SeededStream,
  candidates: readonly C[],
  destination: { readonly host: string },
  leftOut?: string,
): { readonly picked: C; readonly of: number } | undefined {
  const elsewhere = keepOrAll(candidates, ({ host }) => host !== destination.host);
  const left = keepOrAll(elsewhere, ({ name }) => name !== leftOut);
  const picked = left.length > 1 ? left[chance.integer(left.length)] : left[0];
  return picked && { picked, of: left.length };
}

/** The stream that an agent's picks for one destination come from, whatever else it picks meanwhile. */
export function pickStream(chance: SeededStream, destination: string): SeededStream {
  return chance.derive(destination);
}

/**
 * Which proxy an agent tries first for a destination, known before anything runs: suites look for seeds by it.
 * @param proxies names in the order of the agent's settings, none of them on the destination's host
 */
export function firstPick(facts: {
  readonly seed: string;
  readonly agent: string;
  readonly destination: string;
  readonly proxies: readonly string[];
}): string | undefined {
  const chance = pickStream(stream(facts.seed, `${facts.agent}/proxy`), facts.destination);
  const candidates = facts.proxies.map((name) => ({ name, host: name }));
  return pickProxy(chance, candidates, { host: '' })?.picked.name;
}

function keepOrAll<C>(candidates: readonly C[], keep: (candidate: C) => boolean): readonly C[] {
  const kept = candidates.filter(keep);
  return kept.length > 0 ? kept : candidates;
}
