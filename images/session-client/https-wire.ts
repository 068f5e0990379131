import type { Clock } from '../../harness/clock/index.ts';
import { NodeTransport, PATH, rpcBody, TransportError } from '../session-kit/index.ts';
import type { PoolNode } from './pool-node.ts';
import {
  type Call,
  CLOSE_CODE,
  type Wire,
  type WireAnswer,
  type WireConnection,
  type WireListener,
} from './wire.ts';

export interface HttpsWireOptions {
  readonly clock: Clock;
  readonly handshakeTimeoutMs: number;
  /** The client's own address, so that nodes see as many callers as there are clients. */
  readonly localAddress: string;
}

/**
 * Connections over HTTPS. What is one connection with many streams to the library is here a few TLS connections with one
 * request at a time each; they begin and end together, and a verification is a ping.
 */
export class HttpsWire implements Wire {
  readonly #options: HttpsWireOptions;
  readonly #transports = new Set<NodeTransport>();
  #ended = { received: 0, sent: 0 };

  constructor(options: HttpsWireOptions) {
    this.#options = options;
  }

  connect(node: PoolNode, listener: WireListener): WireConnection {
    const transport = new NodeTransport(this.#options);
    this.#transports.add(transport);
    return new HttpsConnection(node, listener, transport, this.#options.handshakeTimeoutMs, () => {
      this.#transports.delete(transport);
      const { received, sent } = transport.bytes();
      this.#ended = { received: this.#ended.received + received, sent: this.#ended.sent + sent };
    });
  }

  /** Bytes on the wire since the start, TLS included. */
  bytes(): { readonly received: number; readonly sent: number } {
    let { received, sent } = this.#ended;
    for (const transport of this.#transports) {
      const open = transport.bytes();
      received += open.received;
      sent += open.sent;
    }
    return { received, sent };
  }
}

/** Faults that end the connection, and with which code; the others end one request. */
const CODE_OF: Readonly<Partial<Record<TransportError['fault'], number>>> = {
  'not-connected': CLOSE_CODE.REFUSED,
  'hung-up': CLOSE_CODE.ORDERLY,
  'handshake-timeout': CLOSE_CODE.HANDSHAKE_TIMEOUT,
  'wrong-node': CLOSE_CODE.WRONG_KEY,
  disconnected: CLOSE_CODE.LOST,
};

class HttpsConnection implements WireConnection {
  readonly #node: PoolNode;
  readonly #listener: WireListener;
  readonly #transport: NodeTransport;
  readonly #handshakeTimeoutMs: number;
  readonly #onEnd: () => void;
  #ended = false;

  constructor(
    node: PoolNode,
    listener: WireListener,
    transport: NodeTransport,
    handshakeTimeoutMs: number,
    onEnd: () => void,
  ) {
    this.#node = node;
    this.#listener = listener;
    this.#transport = transport;
    this.#handshakeTimeoutMs = handshakeTimeoutMs;
    this.#onEnd = onEnd;
  }

  verify(): void {
    this.#request(PATH.ping, Buffer.alloc(0), this.#handshakeTimeoutMs, () => undefined, true);
  }

  call(call: Call, timeoutMs: number, onAnswer: (answer: WireAnswer) => void): void {
    if (call.kind === 'onion') this.#request(PATH.onion, call.blob, timeoutMs, onAnswer, false);
    else {
      const params = call.params as Readonly<Record<string, unknown>>;
      this.#request(PATH.rpc, rpcBody({ method: call.method, params }), timeoutMs, onAnswer, false);
    }
  }

  close(): void {
    this.#end(CLOSE_CODE.ORDERLY, 'closed by us');
  }

  #request(
    path: string,
    body: Uint8Array,
    timeoutMs: number,
    onAnswer: (answer: WireAnswer) => void,
    verifies: boolean,
  ): void {
    this.#transport.request(this.#node, path, body, { timeoutMs }).then(
      (answer) => {
        if (this.#ended) return;
        this.#listener.opened();
        onAnswer(answer);
      },
      (error: unknown) => {
        if (!(error instanceof TransportError)) throw error;
        // A ping that is not answered in time is a handshake that was not.
        const slow = verifies && error.fault === 'timeout';
        const code = slow ? CLOSE_CODE.HANDSHAKE_TIMEOUT : CODE_OF[error.fault];
        if (code !== undefined) this.#end(code, error.fault);
      },
    );
  }

  #end(code: number, reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#transport.close();
    this.#onEnd();
    this.#listener.closed(code, reason);
  }
}
