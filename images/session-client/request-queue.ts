import type { Clock, Timer } from '../../harness/clock/index.ts';
import { ERROR } from './errors.ts';
import { type ClientRequest, failure, type OnAnswer } from './request.ts';

interface Queued {
  readonly request: ClientRequest;
  readonly onAnswer: OnAnswer;
  readonly timer: Timer;
  readonly dueMs: number;
}

/** Requests that wait for a way; each fails when its own time is over. */
export class RequestQueue {
  readonly #clock: Clock;
  #queued: Queued[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get length(): number {
    return this.#queued.length;
  }

  add(request: ClientRequest, onAnswer: OnAnswer): void {
    const timer = this.#clock.after(request.timeoutMs, () => {
      this.#queued = this.#queued.filter((one) => one !== queued);
      onAnswer(failure(ERROR.REQUEST_TIMEOUT, 'there was no way in time', { timeout: true }));
    });
    const queued = { request, onAnswer, timer, dueMs: this.#clock.nowMs() + request.timeoutMs };
    this.#queued.push(queued);
  }

  /** What they have waited is taken off their time. */
  takeAll(): readonly { readonly request: ClientRequest; readonly onAnswer: OnAnswer }[] {
    const taken = this.#queued;
    this.#queued = [];
    return taken.map(({ request, onAnswer, timer, dueMs }) => {
      timer.cancel();
      return { request: { ...request, timeoutMs: dueMs - this.#clock.nowMs() }, onAnswer };
    });
  }

  failAll(status: number, message: string): void {
    for (const { onAnswer } of this.takeAll()) onAnswer(failure(status, message));
  }
}
