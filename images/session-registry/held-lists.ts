import type { HttpAnswer } from '../session-kit/index.ts';

interface Waiter {
  readonly connection: number;
  readonly make: () => HttpAnswer;
  readonly answer: (answer: HttpAnswer) => void;
}

/**
 * Requests for a list that the asker has already: they are answered when there is another one. So a change reaches every node
 * at once, and nobody's clock has to tick for it.
 */
export class HeldLists {
  readonly #waiting = new Set<Waiter>();

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves with what `make` gives once there is a new list, or with `cut` when the asker has gone. */
  hold(connection: number, make: () => HttpAnswer): Promise<HttpAnswer> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        connection,
        make,
        answer: (answer) => {
          this.#waiting.delete(waiter);
          resolve(answer);
        },
      };
      this.#waiting.add(waiter);
    });
  }

  release(): void {
    for (const waiter of [...this.#waiting]) waiter.answer(waiter.make());
  }

  forget(connection: number): void {
    for (const waiter of [...this.#waiting]) if (waiter.connection === connection) waiter.answer('cut');
  }
}
