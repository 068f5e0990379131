import { type AgentContext, inBackground } from './agent-context.ts';
import { describeFailure, type Failure, failureOf, isHostError, isTemporary } from './agent-error.ts';
import type { ConnectionRecord, OutboxItem } from './connection-record.ts';
import { BACKGROUND } from './request-mode.ts';
import { RetryPauses } from './retry-interval.ts';
import type { SendRequest } from './wire.ts';

/** The content of an item, sealed anew for each attempt. */
export type SealItem = (connection: ConnectionRecord, item: OutboxItem) => SendRequest;

/**
 * What is to be sent in each connection, in order: an item is sent until the relay has taken it, or said that it never
 * will, and only then the next. A repetition of something that had arrived is the receiver's to see.
 */
export class Outbox {
  readonly #context: AgentContext;
  readonly #seal: SealItem;
  readonly #taken: (connection: ConnectionRecord, item: OutboxItem) => void;
  readonly #busy = new Set<string>();

  /** @param taken the relay has taken it; the item is out of the record then */
  constructor(
    context: AgentContext,
    seal: SealItem,
    taken: (connection: ConnectionRecord, item: OutboxItem) => void,
  ) {
    this.#context = context;
    this.#seal = seal;
    this.#taken = taken;
  }

  add(connection: ConnectionRecord, item: Omit<OutboxItem, 'sinceWallMs'>): void {
    connection.outbox.push({ ...item, sinceWallMs: this.#context.clock.wallMs() });
    this.#context.store.save();
    this.run(connection);
  }

  /** Goes on with what the record has. */
  run(connection: ConnectionRecord): void {
    if (this.#busy.has(connection.id)) return;
    this.#busy.add(connection.id);
    inBackground(this.#context, async () => {
      for (let item = connection.outbox[0]; item; item = connection.outbox[0]) {
        const failure = await this.#sent(connection, item);
        connection.outbox.shift();
        if (failure) this.#gaveUp(connection, item, failure);
        else this.#took(connection, item);
        this.#context.store.save();
      }
      this.#busy.delete(connection.id);
    });
  }

  /** @returns why it will never be sent; undefined when it was */
  async #sent(connection: ConnectionRecord, item: OutboxItem): Promise<Failure | undefined> {
    const { clock, rules, signal, book } = this.#context;
    const fast = new RetryPauses(rules.messageRetry);
    const slow = new RetryPauses(rules.quotaRetry);
    for (;;) {
      const { peer } = connection;
      if (!peer)
        throw new Error(`connection ${connection.id}: has something to send and no queue to send it to`);
      try {
        const request = this.#seal(connection, item);
        await this.#context.send(book.named(peer.server), request, BACKGROUND);
        signal.throwIfAborted();
        return undefined;
      } catch (error) {
        signal.throwIfAborted();
        const failure = failureOf(error);
        if (mayHaveArrived(failure)) item.doubtful = true;
        connection.lastError = describeFailure(failure);
        const isFull = failure.kind === 'smp' && failure.error === 'QUOTA';
        const isOld = clock.wallMs() - item.sinceWallMs >= rules.messageExpiryMs;
        if (isOld || !(isFull || isTemporary(failure) || isHostError(failure))) return failure;
        this.#context.store.save();
        await clock.sleep(isFull ? slow.nextMs() : fast.nextMs(), signal);
      }
    }
  }

  #took(connection: ConnectionRecord, item: OutboxItem): void {
    delete connection.lastError;
    if (item.message !== undefined) this.#context.history.ended(item.message, { as: 'ok' });
    this.#taken(connection, item);
  }

  #gaveUp(connection: ConnectionRecord, item: OutboxItem, failure: Failure): void {
    const reason = describeFailure(failure);
    this.#context.emit('send.failed', { connection: connection.id, kind: item.kind, error: reason });
    if (item.message === undefined) return;
    this.#context.history.ended(item.message, { as: item.doubtful ? 'unknown' : 'failed', reason });
  }
}

/** The request went out, and no answer came that says what became of it. */
function mayHaveArrived(failure: Failure): boolean {
  if (failure.kind === 'broker') return true;
  // With a session that there is not, nothing went out.
  return failure.kind === 'proxy' && failure.command === 'PFWD' && failure.error !== 'PROXY NO_SESSION';
}
