import type { Clock } from '../../../harness/clock/index.ts';
import { TOO_LATE, withinOrLate } from '../../smp-kit/index.ts';
import {
  type OwnQueue,
  type RelaySession,
  type SendRequest,
  type Server,
  type Wire,
  type WireConnection,
  type WireEvents,
  WireFailure,
} from '../wire.ts';

/** How the way from a proxy to a relay behaves. */
export type Path =
  | 'open'
  /** Handshakes pass and then every byte is lost: PRXY succeeds, forwards end with the proxy's timeout. */
  | 'black-hole'
  /** Nothing connects: PRXY fails. */
  | 'closed'
  /** The proxy cannot use such a host. */
  | 'no-host'
  /** The proxy and the relay have no version in common. */
  | 'no-version'
  /** The relay answers what the proxy hands on with an error of its own. */
  | 'refused'
  /** Forwards arrive, and their answers are lost. */
  | 'deaf';

interface FakeQueue {
  readonly recipientId: string;
  readonly senderId: string;
  senderKey: string | undefined;
  readonly waiting: { readonly messageId: string; readonly body: Uint8Array }[];
  subscriber: FakeConnection | undefined;
  /** Delivered, not acknowledged. */
  onTheWay: boolean;
}

/** What a server does with the requests of its clients, in memory. */
export class FakeServer {
  readonly name: string;
  /** `up` takes connections, `down` refuses them, `silent` lets them hang. */
  state: 'up' | 'down' | 'silent' = 'up';
  /** Says this to every SEND, instead of taking it. */
  refusal: string | undefined;
  readonly queues = new Map<string, FakeQueue>();
  readonly connections = new Set<FakeConnection>();
  readonly paths = new Map<string, Path>();
  /** Sessions to relays die with this number. */
  sessionEpoch = 0;
  /** Attempts to connect to it. */
  attempts = 0;
  prxys = 0;
  forwards = 0;
  #ids = 0;
  #held: { readonly what: string; readonly gate: Promise<void>; readonly open: () => void } | undefined;

  constructor(name: string) {
    this.name = name;
  }

  id(): string {
    this.#ids += 1;
    return `${this.name}-${this.#ids}`;
  }

  /** From now on it looks at PRXY or at forwards only once it is released, as things are then. */
  hold(what: 'prxy' | 'forward'): void {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.#held = { what, gate, open };
  }

  release(): void {
    this.#held?.open();
    this.#held = undefined;
  }

  held(what: 'prxy' | 'forward'): Promise<void> | undefined {
    return this.#held?.what === what ? this.#held.gate : undefined;
  }

  /** Cuts every connection. */
  cut(): void {
    for (const connection of [...this.connections]) connection.close();
  }

  take({ senderId, senderKey, body }: SendRequest): string {
    if (this.refusal !== undefined) return this.refusal;
    const queue = [...this.queues.values()].find((one) => one.senderId === senderId);
    if (!queue || (queue.senderKey !== undefined && senderKey === undefined)) return 'AUTH';
    queue.waiting.push({ messageId: this.id(), body });
    this.deliver(queue);
    return 'OK';
  }

  deliver(queue: FakeQueue): void {
    const [next] = queue.waiting;
    if (!next || queue.onTheWay || !queue.subscriber) return;
    queue.onTheWay = true;
    const { subscriber } = queue;
    queueMicrotask(() => subscriber.events.delivered(queue.recipientId, next));
  }
}

/** Servers in memory, and a wire to them; every wait is on the clock given. */
export class FakeNetwork {
  /** How long a proxy waits for a relay before it says `PROXY BROKER TIMEOUT`. */
  relayTimeoutMs = 30_000;
  /** On the way there and back: what lets a client's wait of the same length be over first. */
  readonly transitMs = 20;
  readonly #clock: Clock;
  readonly #servers = new Map<string, FakeServer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  server(name: string): FakeServer {
    const server = this.#servers.get(name) ?? new FakeServer(name);
    this.#servers.set(name, server);
    return server;
  }

  /** The wire of one agent. */
  wire(): Wire {
    return {
      connect: async ({ name }, events, waitMs) => {
        const server = this.server(name);
        server.attempts += 1;
        if (server.state === 'down') throw new WireFailure('broker', 'NETWORK');
        if (server.state === 'silent') await this.never(waitMs);
        const connection = new FakeConnection(this, server, events);
        server.connections.add(connection);
        return connection;
      },
    };
  }

  /** Nothing comes back. */
  async never(waitMs: number): Promise<never> {
    await this.#clock.sleep(waitMs);
    throw new WireFailure('broker', 'TIMEOUT');
  }

  async within<T>(waitMs: number, work: Promise<T>): Promise<T> {
    const outcome = await withinOrLate({ clock: this.#clock, timeoutMs: waitMs }, work);
    if (outcome === TOO_LATE) throw new WireFailure('broker', 'TIMEOUT');
    return outcome;
  }

  sleep(ms: number): Promise<void> {
    return this.#clock.sleep(ms);
  }
}

interface FakeSession extends RelaySession {
  readonly relay: string;
  readonly epoch: number;
}

class FakeConnection implements WireConnection {
  readonly events: WireEvents;
  readonly #network: FakeNetwork;
  readonly #server: FakeServer;
  #isClosed = false;

  constructor(network: FakeNetwork, server: FakeServer, events: WireEvents) {
    this.#network = network;
    this.#server = server;
    this.events = events;
  }

  facts() {
    return {};
  }

  async createQueue(keys: {
    readonly recipientKey: string;
    readonly deliveryKey: string;
  }): Promise<OwnQueue> {
    this.#alive();
    const queue: FakeQueue = {
      recipientId: this.#server.id(),
      senderId: this.#server.id(),
      senderKey: undefined,
      waiting: [],
      subscriber: this,
      onTheWay: false,
    };
    this.#server.queues.set(queue.recipientId, queue);
    return { ...keys, recipientId: queue.recipientId, senderId: queue.senderId, serverKey: '' };
  }

  async subscribe({ recipientId }: OwnQueue): Promise<void> {
    const queue = this.#queue(recipientId);
    queue.subscriber = this;
    queue.onTheWay = false;
    this.#server.deliver(queue);
  }

  async secure({ recipientId }: OwnQueue, senderPublicKey: string): Promise<void> {
    this.#queue(recipientId).senderKey = senderPublicKey;
  }

  async acknowledge({ recipientId }: OwnQueue, messageId: string): Promise<void> {
    const queue = this.#queue(recipientId);
    if (queue.waiting[0]?.messageId !== messageId) throw new WireFailure('answered', 'NO_MSG');
    queue.waiting.shift();
    queue.onTheWay = false;
    this.#server.deliver(queue);
  }

  async send(request: SendRequest): Promise<void> {
    this.#alive();
    const answer = this.#server.take(request);
    if (answer !== 'OK') throw new WireFailure('answered', answer);
  }

  async openRelay(relay: Server, waitMs: number): Promise<FakeSession> {
    this.#alive();
    this.#server.prxys += 1;
    await this.#held('prxy', waitMs);
    const path = this.#server.paths.get(relay.name) ?? 'open';
    refuseHost(path);
    const isReachable = path !== 'closed' && this.#network.server(relay.name).state === 'up';
    if (!isReachable) {
      await this.#network.within(waitMs, this.#network.sleep(100));
      throw new WireFailure('answered', 'PROXY BROKER NETWORK');
    }
    return { id: this.#server.id(), relay: relay.name, epoch: this.#server.sessionEpoch };
  }

  async forward(session: RelaySession, request: SendRequest, waitMs: number): Promise<string> {
    this.#alive();
    const { relay, epoch } = session as FakeSession;
    this.#server.forwards += 1;
    await this.#held('forward', waitMs);
    if (epoch !== this.#server.sessionEpoch) throw new WireFailure('answered', 'PROXY NO_SESSION');
    const path = this.#server.paths.get(relay) ?? 'open';
    const destination = this.#network.server(relay);
    refuseHost(path);
    if (path === 'refused') throw new WireFailure('answered', 'PROXY PROTOCOL INTERNAL');
    const isLost = path === 'black-hole' || destination.state !== 'up';
    const answer = isLost ? undefined : destination.take(request);
    if (answer !== undefined && path !== 'deaf') return answer;
    return await this.#network.within(waitMs, this.#timedOut());
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#server.connections.delete(this);
    this.events.closed('cut');
  }

  async #held(what: 'prxy' | 'forward', waitMs: number): Promise<void> {
    const held = this.#server.held(what);
    if (held) await this.#network.within(waitMs, held);
  }

  async #timedOut(): Promise<never> {
    await this.#network.sleep(this.#network.relayTimeoutMs + this.#network.transitMs);
    throw new WireFailure('answered', 'PROXY BROKER TIMEOUT');
  }

  #queue(recipientId: string): FakeQueue {
    this.#alive();
    const queue = this.#server.queues.get(recipientId);
    if (!queue) throw new WireFailure('answered', 'AUTH');
    return queue;
  }

  #alive(): void {
    if (this.#isClosed) throw new WireFailure('broker', 'NETWORK');
  }
}

/** What a proxy says of a host that trying again does not help. */
function refuseHost(path: Path): void {
  if (path === 'no-host') throw new WireFailure('answered', 'PROXY BROKER HOST');
  if (path === 'no-version') throw new WireFailure('answered', 'PROXY BROKER TRANSPORT VERSION');
}
