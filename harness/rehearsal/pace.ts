/** What a round takes, from those that this call has played: of a rehearsal that is resumed, those before are left out. */
export class Pace {
  readonly #nowMs: () => number;
  readonly #rounds: () => number;
  #began: { readonly atMs: number; readonly rounds: number } | undefined;

  constructor(nowMs: () => number, rounds: () => number) {
    this.#nowMs = nowMs;
    this.#rounds = rounds;
  }

  /** With the first wave of this call. */
  begin(): void {
    this.#began ??= { atMs: this.#nowMs(), rounds: this.#rounds() };
  }

  get facts(): { readonly roundMs?: number } {
    if (!this.#began) return {};
    const played = this.#rounds() - this.#began.rounds;
    return played > 0 ? { roundMs: (this.#nowMs() - this.#began.atMs) / played } : {};
  }
}
