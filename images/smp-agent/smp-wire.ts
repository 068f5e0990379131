import type { Clock } from '../../harness/clock/index.ts';
import {
  type AuthorizationKey,
  boxWith,
  connectSmp,
  errorText,
  failureText,
  formatServerAddress,
  forwardCommand,
  type KeepAlive,
  openDelivered,
  type ProxiedRelay,
  parseServerAddress,
  requestProxiedRelay,
  requireAnswer,
  type ServerMessage,
  SmpClientError,
  type SmpConnection,
} from '../smp-kit/index.ts';
import { boxKey, bytesOf, signingKey, textOf } from './keys.ts';
import type { ReadAddress } from './server-book.ts';
import {
  type OwnQueue,
  type RelaySession,
  type SendRequest,
  type Server,
  type Wire,
  type WireConnection,
  type WireEvents,
  WireFailure,
} from './wire.ts';

export interface SmpWireOptions {
  readonly clock: Clock;
  readonly seed: string;
  /** Address to connect from. */
  readonly localAddress: string | undefined;
  readonly basicAuth: string | undefined;
  readonly keepAlive: Omit<KeepAlive, 'pings'>;
}

/** Addresses as the kit reads them. */
export function readAddress(seed: string): ReadAddress {
  return (text) => {
    const address = parseServerAddress(text, seed);
    return { address: formatServerAddress(address), host: address.hosts[0] ?? '' };
  };
}

/** The agent's port to servers, over the kit's connections. */
export function smpWire(options: SmpWireOptions): Wire {
  return {
    connect: (server, events, waitMs) => asWireFailure(connect(options, server, events, waitMs)),
  };
}

async function connect(
  options: SmpWireOptions,
  server: Server,
  events: WireEvents,
  waitMs: number,
): Promise<WireConnection> {
  const { clock, seed, localAddress, basicAuth, keepAlive } = options;
  // Who a delivery is for; the keys that open it came with the queue.
  const queues = new Map<string, OwnQueue>();
  const connection = await connectSmp({
    address: parseServerAddress(server.address, seed),
    clock,
    timeoutMs: waitMs,
    keepAlive: { ...keepAlive, pings: () => events.subscribed() },
    onEvent: (entityId, message) => deliver(queues, events, entityId, message),
    onClose: (reason) => events.closed(reason),
    ...(localAddress === undefined ? {} : { localAddress }),
  });
  return new SmpWireConnection({ clock, seed, basicAuth, connection, events, queues });
}

interface Parts {
  readonly clock: Clock;
  readonly seed: string;
  readonly basicAuth: string | undefined;
  readonly connection: SmpConnection;
  readonly events: WireEvents;
  readonly queues: Map<string, OwnQueue>;
}

interface SmpRelaySession extends RelaySession {
  readonly relay: ProxiedRelay;
}

class SmpWireConnection implements WireConnection {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  facts() {
    const { clock, connection } = this.#parts;
    return {
      silentMs: clock.nowMs() - connection.lastReceivedMs,
      timeoutsInRow: connection.timeoutsInRow,
      lateAnswers: connection.lateAnswers,
    };
  }

  createQueue(
    keys: { readonly recipientKey: string; readonly deliveryKey: string },
    waitMs: number,
  ): Promise<OwnQueue> {
    const { connection, basicAuth, queues } = this.#parts;
    const key = signingWith(keys.recipientKey);
    return asWireFailure(async () => {
      const answer = await connection.request(
        {
          tag: 'NEW',
          recipientKey: { curve: 'ed25519', bytes: key.key.publicKey },
          recipientDhKey: boxKey(keys.deliveryKey).publicKey,
          basicAuth,
          subscribe: true,
          senderSecures: false,
        },
        { key, timeoutMs: waitMs },
      );
      const { recipientId, senderId, serverDhKey } = requireAnswer(answer, 'IDS');
      const queue: OwnQueue = {
        ...keys,
        recipientId: textOf(recipientId),
        senderId: textOf(senderId),
        serverKey: textOf(serverDhKey),
      };
      queues.set(queue.recipientId, queue);
      return queue;
    });
  }

  subscribe(queue: OwnQueue, waitMs: number): Promise<void> {
    // Before the answer is there: the first message may be the answer.
    this.#parts.queues.set(queue.recipientId, queue);
    return this.#own(queue, { tag: 'SUB' }, waitMs);
  }

  secure(queue: OwnQueue, senderPublicKey: string, waitMs: number): Promise<void> {
    const senderKey = { curve: 'ed25519', bytes: bytesOf(senderPublicKey) } as const;
    return this.#own(queue, { tag: 'KEY', senderKey }, waitMs);
  }

  acknowledge(queue: OwnQueue, messageId: string, waitMs: number): Promise<void> {
    return this.#own(queue, { tag: 'ACK', messageId: bytesOf(messageId) }, waitMs);
  }

  send({ senderId, senderKey, body }: SendRequest, waitMs: number): Promise<void> {
    return asWireFailure(async () => {
      const answer = await this.#parts.connection.request(
        { tag: 'SEND', notify: false, message: body },
        {
          entityId: bytesOf(senderId),
          key: senderKey ? signingWith(senderKey) : undefined,
          timeoutMs: waitMs,
        },
      );
      requireAnswer(answer, 'OK');
    });
  }

  openRelay(server: Server, waitMs: number): Promise<SmpRelaySession> {
    const { connection, seed, basicAuth } = this.#parts;
    return asWireFailure(async () => {
      const address = parseServerAddress(server.address, seed);
      const relay = await requestProxiedRelay(connection, address, { timeoutMs: waitMs, basicAuth });
      return { id: textOf(relay.sessionId), relay };
    });
  }

  forward(session: RelaySession, request: SendRequest, waitMs: number): Promise<string> {
    const { relay } = session as SmpRelaySession;
    const { senderId, senderKey, body } = request;
    return asWireFailure(async () => {
      const answer = await forwardCommand(
        this.#parts.connection,
        relay,
        { tag: 'SEND', notify: false, message: body },
        {
          entityId: bytesOf(senderId),
          key: senderKey ? signingWith(senderKey) : undefined,
          timeoutMs: waitMs,
        },
      );
      if (answer.from === 'proxy') throw new WireFailure('answered', failureText(answer.failure));
      return answer.message.tag === 'ERR' ? errorText(answer.message.error) : answer.message.tag;
    });
  }

  close(): void {
    this.#parts.connection.close();
  }

  /** A command for one of the agent's own queues; its answer may be the queue's next message. */
  #own(queue: OwnQueue, command: Parameters<SmpConnection['request']>[0], waitMs: number): Promise<void> {
    const { connection, events, queues } = this.#parts;
    const entityId = bytesOf(queue.recipientId);
    return asWireFailure(async () => {
      const key = signingWith(queue.recipientKey);
      const answer = await connection.request(command, { entityId, key, timeoutMs: waitMs });
      if (requireAnswer(answer, 'OK', 'MSG').tag === 'MSG') deliver(queues, events, entityId, answer);
    });
  }
}

function deliver(
  queues: ReadonlyMap<string, OwnQueue>,
  events: WireEvents,
  entityId: Uint8Array,
  message: ServerMessage,
): void {
  const queue = queues.get(textOf(entityId));
  if (message.tag !== 'MSG' || !queue) return;
  const box = boxWith(boxKey(queue.deliveryKey), bytesOf(queue.serverKey));
  const delivered = box && openDelivered(box, message.messageId, message.sealed);
  if (!delivered) return;
  const body = delivered.kind === 'message' ? Buffer.from(delivered.message) : undefined;
  events.delivered(queue.recipientId, { messageId: textOf(message.messageId), body });
}

function signingWith(privateKey: string): AuthorizationKey & { readonly curve: 'ed25519' } {
  return { curve: 'ed25519', key: signingKey(privateKey) };
}

/** What the kit rejects with, in the words of the port. */
async function asWireFailure<T>(work: Promise<T> | (() => Promise<T>)): Promise<T> {
  try {
    return await (typeof work === 'function' ? work() : work);
  } catch (cause) {
    if (!(cause instanceof SmpClientError)) throw cause;
    const kind = cause.failure.kind === 'protocol' ? 'answered' : 'broker';
    throw new WireFailure(kind, failureText(cause.failure), { cause });
  }
}
