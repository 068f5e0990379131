import { describeError, SquallError } from '../errors/index.ts';
import type { RecordedEvent } from '../record/index.ts';
import { formatDurationMs } from '../units/index.ts';
import { nowNs } from './monotonic.ts';

/** A condition over the stream of events, fed one by one; it may count. */
export interface ConditionMatcher {
  /** What is awaited, for people: `event converged from 16 nodes`. */
  readonly what: string;
  /** Called with every event in order; true ends the wait. */
  accepts(event: RecordedEvent): boolean;
  /** How far it got, for the message of a timeout: `14 of 16 (missing member-3, member-9)`. */
  progress?(): string;
}

export type EventListener = (event: RecordedEvent) => void;

/**
 * A bed's events in the order of their arrival: in order for each node, and between nodes only as near as the log
 * streams are (`atNs` is the truth there). Kept in memory from the last `forget`, so that a trial can be measured.
 */
export class EventLog {
  #events: RecordedEvent[] = [];
  #forgotten = 0;
  readonly #listeners = new Set<EventListener>();
  readonly #listenerErrors: unknown[] = [];
  #lastError: { readonly text: string; readonly atNs: number } | undefined;
  #where: string;

  /** @param where - Where a reader finds the logs, for messages. */
  constructor(where: string) {
    this.#where = where;
  }

  set where(text: string) {
    this.#where = text;
  }

  append(event: RecordedEvent): void {
    this.#events.push(event);
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        this.#listenerErrors.push(error);
        this.#listeners.delete(listener);
      }
    }
  }

  /** An event of the harness's own, now. */
  emit(event: string, fields: Readonly<Record<string, unknown>> = {}, node = 'harness'): void {
    this.append({ node, event, atNs: nowNs(), fields });
  }

  /** Remembers the last thing that went wrong, so that a timeout can name it. */
  noteError(text: string): void {
    this.#lastError = { text, atNs: nowNs() };
  }

  /** Errors thrown by listeners: such a listener is dropped, seen here, and stops nobody else. */
  get listenerErrors(): readonly unknown[] {
    return this.#listenerErrors;
  }

  subscribe(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The position of the next event; give it to `since`, `waitFor` and `forget`. */
  mark(): number {
    return this.#forgotten + this.#events.length;
  }

  since(mark = 0): readonly RecordedEvent[] {
    return this.#events.slice(Math.max(0, mark - this.#forgotten));
  }

  get last(): RecordedEvent | undefined {
    return this.#events.at(-1);
  }

  /** Frees what came before the mark. */
  forget(mark: number): void {
    const count = Math.min(this.#events.length, Math.max(0, mark - this.#forgotten));
    this.#events = this.#events.slice(count);
    this.#forgotten += count;
  }

  /**
   * Resolves with the event that fulfils the condition, looking first at what has come since `since` (default: now).
   * @throws SquallError `wait-timed-out` saying what was awaited, how far it got, the last thing seen, the last error
   *   and where the logs are; the signal's reason when aborted.
   */
  async waitFor(
    condition: ConditionMatcher,
    options: { readonly withinMs: number; readonly since?: number; readonly signal?: AbortSignal },
  ): Promise<RecordedEvent> {
    options.signal?.throwIfAborted();
    for (const event of this.since(options.since ?? this.mark())) {
      if (condition.accepts(event)) return event;
    }
    return await new Promise<RecordedEvent>((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        unsubscribe();
        options.signal?.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        settle();
        reject(options.signal?.reason);
      };
      const timer = setTimeout(() => {
        settle();
        reject(this.#timedOut(condition, options.withinMs));
      }, options.withinMs);
      const unsubscribe = this.subscribe((event) => {
        let done: boolean;
        try {
          done = condition.accepts(event);
        } catch (error) {
          settle();
          reject(error);
          return;
        }
        if (!done) return;
        settle();
        resolve(event);
      });
      options.signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  #timedOut(condition: ConditionMatcher, withinMs: number): SquallError {
    const agoMs = (atNs: number): string => formatDurationMs((nowNs() - atNs) / 1e6);
    const last = this.last;
    const progress = condition.progress?.();
    const lastSeen = last ? `${last.event} from ${last.node} ${agoMs(last.atNs)} ago` : 'no event at all';
    const lastError = this.#lastError
      ? `; last error ${agoMs(this.#lastError.atNs)} ago: ${this.#lastError.text}`
      : '';
    return new SquallError(
      `${condition.what}: not seen within ${formatDurationMs(withinMs)}${progress ? `; got ${progress}` : ''}; ` +
        `last seen: ${lastSeen}${lastError}.`,
      {
        code: 'wait-timed-out',
        facts: {
          awaited: condition.what,
          withinMs,
          progress,
          lastEvent: last?.event,
          lastNode: last?.node,
          lastError: this.#lastError?.text,
        },
        hint: `Logs: ${this.#where}.`,
      },
    );
  }
}

/** Describes what a listener or stream threw, short enough for a message. */
export function shortError(error: unknown): string {
  return describeError(error).split('\n')[0]?.slice(0, 300) ?? '';
}
