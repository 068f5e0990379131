import { randomBytes } from 'node:crypto';
import type { Clock } from '../../harness/clock/index.ts';
import { type AuthorizationKey, authorize } from './authorization.ts';
import type { BlockStream } from './block-stream.ts';
import type { BoxKey } from './box.ts';
import { unlessTooLong } from './byte-writer.ts';
import { type ClientFailure, SmpClientError } from './client-error.ts';
import { type Command, encodeCommand } from './command.ts';
import { type KeepAlive, keepAlive } from './keep-alive.ts';
import type { ServerAddress } from './server-address.ts';
import { type ProxySession, parseServerMessage, type ServerMessage } from './server-message.ts';
import { SIZE } from './sizes.ts';
import { encodeBlock, encodeSigned, NOTHING, parseBlock, type ReceivedTransmission } from './transmission.ts';
import { within } from './within.ts';

export interface RequestOptions {
  /** The queue or the proxy's session; none by default. */
  readonly entityId?: Uint8Array;
  /** Authorizes the command. */
  readonly key?: AuthorizationKey | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** 24 bytes, when they are a nonce too; drawn otherwise. */
  readonly correlationId?: Uint8Array;
}

/** What a connection has come to with its server. */
export interface SessionFacts {
  readonly address: ServerAddress;
  readonly version: number;
  /** As the server told it: what a proxy hands on in PKEY. */
  readonly session: ProxySession;
  /** The server's X25519 key of the session. */
  readonly serverKey: Uint8Array;
  /** Of a proxy with its relay. */
  readonly proxyBox: BoxKey | undefined;
  readonly localAddress: string;
}

export interface ConnectionListeners {
  /** What the server says of its own accord: MSG, END, DELD, and ERR without a correlation id. */
  readonly onEvent?: ((entityId: Uint8Array, message: ServerMessage) => void) | undefined;
  /** Once. */
  readonly onClose?: ((reason: string) => void) | undefined;
}

interface Pending {
  readonly entityId: Uint8Array;
  readonly subject: string;
  readonly settle: (answer: ServerMessage | ClientFailure) => void;
}

/** A client's connection to a server: one TLS session. Commands may overlap; answers find theirs by correlation id. */
export class SmpConnection {
  readonly facts: SessionFacts;
  /** Resolves with what ended it. */
  readonly closed: Promise<string>;
  readonly #stream: BlockStream;
  readonly #clock: Clock;
  readonly #listeners: ConnectionListeners;
  readonly #pending = new Map<string, Pending>();
  #lastReceivedMs: number;
  #timeoutsInRow = 0;
  #lateAnswers = 0;

  constructor(
    stream: BlockStream,
    facts: SessionFacts,
    clock: Clock,
    listeners: ConnectionListeners,
    alive?: KeepAlive,
  ) {
    this.#stream = stream;
    this.facts = facts;
    this.#clock = clock;
    this.#listeners = listeners;
    this.#lastReceivedMs = clock.nowMs();
    const stopPinging = alive && keepAlive(this, clock, alive);
    this.closed = stream.closed.then((reason) => {
      stopPinging?.();
      listeners.onClose?.(reason);
      return reason;
    });
    void this.#read();
  }

  get isClosed(): boolean {
    return this.#stream.isClosed;
  }

  /** Commands in a row that had no answer in time; any block from the server sets it back. */
  get timeoutsInRow(): number {
    return this.#timeoutsInRow;
  }

  /** On the clock given; when the connection began, if nothing came since. */
  get lastReceivedMs(): number {
    return this.#lastReceivedMs;
  }

  /** Answers that came when nobody waited any more. */
  get lateAnswers(): number {
    return this.#lateAnswers;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /**
   * The server's answer, never an ERR. A request that is under way when the connection ends waits for its timeout all the
   * same, as the real software does; one on a connection that has ended fails at once.
   * @throws SmpClientError, `smp-transport` for a command that fits no block · the signal's reason
   */
  async request(command: Command, options: RequestOptions): Promise<ServerMessage> {
    const subject = `${command.tag} to ${this.facts.address.hosts[0]}`;
    options.signal?.throwIfAborted();
    if (this.isClosed)
      throw new SmpClientError(subject, { kind: 'network', detail: 'the connection has ended' });
    const entityId = options.entityId ?? NOTHING;
    const correlationId = options.correlationId ?? randomBytes(SIZE.correlationId);
    const block = unlessTooLong(() => this.#encode(command, entityId, correlationId, options.key));
    if (!block) throw new SmpClientError(subject, { kind: 'transport', transport: 'LARGE_MSG' });

    const id = Buffer.from(correlationId).toString('latin1');
    const answered = new Promise<ServerMessage | ClientFailure>((settle) => {
      this.#pending.set(id, { entityId, subject, settle });
    });
    this.#stream.send(block, () => this.#pending.has(id));
    try {
      const limits = { clock: this.#clock, timeoutMs: options.timeoutMs, signal: options.signal };
      const answer = await within(limits, answered, () => {
        this.#timeoutsInRow += 1;
        return new SmpClientError(subject, { kind: 'timeout' });
      });
      if ('kind' in answer) throw new SmpClientError(subject, answer);
      return answer;
    } finally {
      this.#pending.delete(id);
    }
  }

  close(reason = 'closed by us'): void {
    this.#stream.close(reason);
  }

  #encode(
    command: Command,
    entityId: Uint8Array,
    correlationId: Uint8Array,
    key: AuthorizationKey | undefined,
  ): Buffer {
    const content = encodeCommand(command);
    const signed = encodeSigned({ correlationId, entityId, content });
    const { sessionId } = this.facts.session;
    const authorization = authorize(key, this.facts.serverKey, { sessionId, correlationId, signed });
    return encodeBlock([{ authorization, correlationId, entityId, content }]);
  }

  async #read(): Promise<void> {
    for (let block = await this.#stream.next(); block; block = await this.#stream.next()) {
      this.#lastReceivedMs = this.#clock.nowMs();
      this.#timeoutsInRow = 0;
      for (const transmission of parseBlock(block) ?? []) {
        if (transmission) this.#hand(transmission);
      }
    }
  }

  #hand({ correlationId, entityId, content }: ReceivedTransmission): void {
    const message = parseServerMessage(content);
    if (correlationId.length === 0) {
      if (typeof message !== 'string') this.#listeners.onEvent?.(entityId, message);
      return;
    }
    const pending = this.#pending.get(Buffer.from(correlationId).toString('latin1'));
    if (!pending) {
      this.#lateAnswers += 1;
      return;
    }
    pending.settle(answerOf(message, Buffer.from(entityId).equals(pending.entityId)));
  }
}

function answerOf(message: ReturnType<typeof parseServerMessage>, isSameEntity: boolean) {
  if (typeof message === 'string') {
    return { kind: 'response', error: { tag: 'CMD', command: message } } as const;
  }
  // Some errors come before the entity has been understood.
  if (message.tag === 'ERR') return { kind: 'protocol', error: message.error } as const;
  return isSameEntity || message.tag === 'IDS'
    ? message
    : ({ kind: 'unexpected', text: message.tag } as const);
}

/**
 * The answer, when it is one of those.
 * @throws SmpClientError `smp-unexpected`
 */
export function requireAnswer<T extends ServerMessage['tag']>(
  message: ServerMessage,
  ...tags: readonly T[]
): ServerMessage & { readonly tag: T } {
  if ((tags as readonly string[]).includes(message.tag))
    return message as ServerMessage & { readonly tag: T };
  throw new SmpClientError(`an answer other than ${tags.join(' or ')}`, {
    kind: 'unexpected',
    text: message.tag,
  });
}
