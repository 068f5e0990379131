import type { FinishedAttempt } from './fetch-worker.ts';

export interface TrustChange {
  readonly peer: string;
  readonly delta: number;
  readonly score: number;
  readonly reason: 'connection_timeout' | 'connection_failed' | 'bad_chunk';
}

const INITIAL_SCORE = 0.5;
/** Steps of ours: the real network's differ by version, and what is compared is how often, and whom, it meets. */
const REWARD = 0.01;
const PENALTY = 0.05;

/** What a node thinks of its peers, by how their fetches ended. */
export class TrustBook {
  readonly #scores = new Map<string, number>();
  readonly #penalties = new Map<string, number>();

  /** @returns the change, when it is one for the worse */
  judge({ attempt, outcome, reason }: FinishedAttempt): TrustChange | undefined {
    const peer = attempt.source;
    const old = this.#scores.get(peer) ?? INITIAL_SCORE;
    const why = penaltyOf(outcome, reason);
    if (why === undefined) {
      if (outcome === 'ok') this.#scores.set(peer, Math.min(1, old + REWARD));
      return undefined;
    }
    const score = Math.max(0, old - PENALTY);
    this.#scores.set(peer, score);
    this.#penalties.set(peer, (this.#penalties.get(peer) ?? 0) + 1);
    return { peer, delta: score - old, score, reason: why };
  }

  get facts() {
    return {
      scores: Object.fromEntries(this.#scores),
      penalties: Object.fromEntries(this.#penalties),
    };
  }
}

/** A chunk that could not be kept is this node's own trouble, and a holder that says no has answered. */
function penaltyOf(outcome: FinishedAttempt['outcome'], reason: string): TrustChange['reason'] | undefined {
  if (outcome === 'timeout') return 'connection_timeout';
  if (outcome !== 'failed') return undefined;
  if (reason === 'bad chunk') return 'bad_chunk';
  return reason.startsWith('connection: ') ? 'connection_failed' : undefined;
}
