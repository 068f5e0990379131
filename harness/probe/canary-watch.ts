import type { HostSource } from './host-source.ts';

/** Two late nodes in one exchange add up: each may be late by half of the shortest timeout. */
const LATENESS_OF_TIMEOUT = 0.5;
/** What counts as late at all, as a share of the shortest timeout, and how often it may happen. */
const NOTABLE_OF_TIMEOUT = 0.1;
const NOTABLE_RATIO_MAX = 0.02;
/** A ratio of fewer wake-ups says nothing: five seconds' worth. */
const MIN_WAKE_UPS = 500;
/** The canary speaks twice a second; so long without a word, it cannot run. */
const SILENCE_MS = 5_000;

/** What a canary's wake-ups say about one trial. */
export class CanaryWatch {
  readonly #shortestTimeoutMs: number;
  readonly #release: () => void;
  #highestMs: number | undefined;
  #wakeUps = 0;
  #notable = 0;
  #ended: string | undefined;
  /** Called at the canary's next word or end. */
  #onWord: (() => void) | undefined;

  constructor(shortestTimeoutMs: number, release: () => void) {
    this.#shortestTimeoutMs = shortestTimeoutMs;
    this.#release = release;
  }

  add(lateMs: readonly number[]): void {
    for (const late of lateMs) {
      this.#wakeUps += 1;
      this.#highestMs = Math.max(this.#highestMs ?? 0, late);
      if (late > this.#shortestTimeoutMs * NOTABLE_OF_TIMEOUT) this.#notable += 1;
    }
    this.#onWord?.();
  }

  /** The canary is no more. */
  end(why: string): void {
    this.#ended ??= why;
    this.#onWord?.();
  }

  sources(): HostSource[] {
    return [
      {
        name: 'canary lateness',
        unit: 'ms',
        threshold: this.#shortestTimeoutMs * LATENESS_OF_TIMEOUT,
        reason: 'half of the shortest timeout: two late nodes in one exchange add up',
        fold: 'highest',
        read: async () => this.#highestMs,
      },
      {
        name: 'canary often late',
        unit: 'ratio',
        threshold: NOTABLE_RATIO_MAX,
        reason: 'share of wake-ups late by more than a tenth of the shortest timeout',
        fold: 'highest',
        read: async () => (this.#wakeUps < MIN_WAKE_UPS ? undefined : this.#notable / this.#wakeUps),
      },
    ];
  }

  /**
   * Waits for the canary's next word, so that everything up to now is in, and stops collecting.
   * @returns a sentence when there was none
   */
  async settle(): Promise<string | undefined> {
    const heard = this.#ended !== undefined || (await this.#hear());
    this.#release();
    if (this.#ended !== undefined) return `the canary is gone: ${this.#ended}`;
    return heard ? undefined : `the canary said nothing for ${SILENCE_MS} ms`;
  }

  #hear(): Promise<boolean> {
    return new Promise((resolve) => {
      const silence = setTimeout(resolve, SILENCE_MS, false);
      this.#onWord = () => {
        clearTimeout(silence);
        resolve(true);
      };
    });
  }
}
