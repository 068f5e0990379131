import { blamedHop, describeFailure, type Failure, type Hop } from './agent-error.ts';

/** A destination that nothing has reached since its first failure. */
export interface Trouble {
  readonly proxy: string;
  readonly sinceMs: number;
  readonly failures: number;
  readonly lastError: string;
  readonly hop: Hop;
}

/** What goes wrong now, by destination, for `/state`: a proxy's successes end the trouble, whoever failed. */
export class DestinationTrouble {
  readonly #nowMs: () => number;
  readonly #troubles = new Map<string, Trouble>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  failed(destination: string, proxy: string, failure: Failure): void {
    const before = this.#troubles.get(destination);
    this.#troubles.set(destination, {
      proxy,
      sinceMs: before?.sinceMs ?? this.#nowMs(),
      failures: (before?.failures ?? 0) + 1,
      lastError: describeFailure(failure),
      hop: blamedHop(failure, destination),
    });
  }

  reached(destination: string): void {
    this.#troubles.delete(destination);
  }

  all(): Readonly<Record<string, Trouble>> {
    return Object.fromEntries(this.#troubles);
  }

  /** Those that have failed for at least so long. */
  stuck(forMs: number): readonly string[] {
    const nowMs = this.#nowMs();
    return [...this.#troubles].flatMap(([destination, { sinceMs }]) =>
      nowMs - sinceMs >= forMs ? [destination] : [],
    );
  }
}
