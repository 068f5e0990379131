/**
 * The port through which the agent reaches servers: what it asks of them, without how that is written. Ids and keys are
 * base64url. Every request is given its time, and rejects with a WireFailure.
 */
export interface Server {
  /** Short, and unique within the agent; what settings and events say. */
  readonly name: string;
  /** `smp://FINGERPRINT@host:port` */
  readonly address: string;
  readonly host: string;
}

/** How a request to a server ended other than well. */
export class WireFailure extends Error {
  /** `answered`: the server said `ERR text`. `broker`: there was no answer to use, or no connection. */
  readonly kind: 'answered' | 'broker';
  /** In the protocol's grammar: `AUTH`, `PROXY NO_SESSION`; or `TIMEOUT`, `NETWORK`, `HOST`, `TRANSPORT …`. */
  readonly text: string;

  constructor(kind: WireFailure['kind'], text: string, options?: ErrorOptions) {
    super(`${kind}: ${text}`, options);
    this.name = 'WireFailure';
    this.kind = kind;
    this.text = text;
  }
}

/** What a recipient keeps of a queue of its own. */
export interface OwnQueue {
  readonly recipientId: string;
  readonly senderId: string;
  /** Private Ed25519 key of the recipient. */
  readonly recipientKey: string;
  /** Private X25519 key, by which the server seals what it delivers, with the server's public one. */
  readonly deliveryKey: string;
  readonly serverKey: string;
}

export interface SendRequest {
  readonly senderId: string;
  /** Private Ed25519 key; absent while the queue is not secured. */
  readonly senderKey?: string | undefined;
  readonly body: Uint8Array;
}

export interface Delivery {
  readonly messageId: string;
  /** Absent in the server's note that the queue had been full. */
  readonly body: Uint8Array | undefined;
}

/** A session that a proxy has to a relay for this client. */
export interface RelaySession {
  readonly id: string;
}

export interface WireConnection {
  /** For `/state`. */
  facts(): Readonly<Record<string, number>>;
  /** Keys are private ones of the recipient: Ed25519 and X25519. */
  createQueue(
    keys: { readonly recipientKey: string; readonly deliveryKey: string },
    waitMs: number,
  ): Promise<OwnQueue>;
  subscribe(queue: OwnQueue, waitMs: number): Promise<void>;
  /** KEY: from now on the queue takes only what is signed with the sender's key. */
  secure(queue: OwnQueue, senderPublicKey: string, waitMs: number): Promise<void>;
  acknowledge(queue: OwnQueue, messageId: string, waitMs: number): Promise<void>;
  send(request: SendRequest, waitMs: number): Promise<void>;
  /** PRXY to PKEY, whose chain has to lead to the relay's fingerprint. */
  openRelay(relay: Server, waitMs: number): Promise<RelaySession>;
  /**
   * SEND inside PFWD. Resolves with `OK` or the relay's own error, which came back inside the response.
   * @throws WireFailure `answered` with what the proxy says
   */
  forward(session: RelaySession, request: SendRequest, waitMs: number): Promise<string>;
  close(): void;
}

/** What a connection tells of its own accord, and asks. */
export interface WireEvents {
  delivered(recipientId: string, delivery: Delivery): void;
  /** Once, whoever ended it. */
  closed(reason: string): void;
  /** Whether anything is subscribed, so that pings are worth sending. */
  subscribed(): boolean;
}

export interface Wire {
  /** @throws WireFailure `broker` */
  connect(server: Server, events: WireEvents, waitMs: number): Promise<WireConnection>;
}
