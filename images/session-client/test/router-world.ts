import { stream } from '../../../harness/random/index.ts';
import { DirectRouter } from '../direct-router.ts';
import type { EdgeNode } from '../edge-nodes.ts';
import { OnionRouter } from '../onion-router.ts';
import type { PoolNode } from '../pool-node.ts';
import { ProxiedRouter } from '../proxied-router.ts';
import type { Answer } from '../request.ts';
import type { PathLimits, RouterPorts } from '../router-ports.ts';
import { Transport } from '../transport.ts';
import type { Call, WireAnswer, WireListener } from '../wire.ts';
import { node, PoolWorld } from './pool-world.ts';
import type { Variant } from './rule-test.ts';

/** A connection of the played wire. */
export interface PlayedConnection {
  readonly to: PoolNode;
  readonly listener: WireListener;
  readonly calls: { readonly call: Call; readonly onAnswer: (answer: WireAnswer) => void }[];
  verified: boolean;
  closed: boolean;
}

const LIMITS: PathLimits = {
  pathLength: 3,
  pathCount: 2,
  pathStrikeThreshold: 3,
  pathBuildRetries: 10,
  pathRotationMs: 600_000,
  edgeDurationMs: 864_000_000,
  retryDelayMs: 200,
  retryDelayMaxMs: 5_000,
  infoTimeoutMs: 10_000,
};

/**
 * Routers and transport over a wire that a test plays. A sealed request is its JSON; an answer opens when it is one that
 * `sealed` made.
 */
export class RouterWorld extends PoolWorld {
  readonly connections: PlayedConnection[] = [];
  lastCall: Call | undefined;
  readonly transport: Transport;
  readonly ports: RouterPorts;
  /** Answers every verification at once. */
  reachable: ((to: PoolNode) => boolean) | undefined = () => true;
  edges: readonly EdgeNode[];
  /** Handshake timeouts that the transport struck for. */
  readonly struckByTransport: string[] = [];

  constructor(
    one: Variant,
    options: ConstructorParameters<typeof PoolWorld>[1] & {
      readonly limits?: Partial<PathLimits>;
      readonly edges?: readonly EdgeNode[];
    } = {},
  ) {
    super(one, options);
    this.edges = options.edges ?? [];
    this.transport = new Transport({
      rules: one.rules,
      clock: this.clock,
      tell: this.tell,
      onHandshakeTimeout: ({ ed25519 }) => {
        this.struckByTransport.push(ed25519);
        this.pool.strikes.strike(ed25519, 'handshake');
      },
      wire: { connect: (to, listener) => this.#connect(to, listener) },
    });
    this.ports = {
      rules: one.rules,
      pool: this.pool,
      transport: this.transport,
      clock: this.clock,
      chance: stream('7', 'router'),
      tell: this.tell,
      seal: (relays, to, method, params) => ({
        blob: Buffer.from(
          JSON.stringify({ relays: relays.map(({ ed25519 }) => ed25519), to: to.ed25519, method, params }),
        ),
        open: ({ body }) => {
          const text = Buffer.from(body).toString();
          if (!text.startsWith('sealed ')) return { authentic: false, reason: 'it does not decrypt' };
          return { authentic: true, ...(JSON.parse(text.slice(7)) as { status: number; body: unknown }) };
        },
      }),
      readBody: ({ body }) => JSON.parse(Buffer.from(body).toString()),
      edges: {
        load: () => this.edges,
        save: (edges) => {
          this.edges = edges;
        },
      },
      limits: { ...LIMITS, ...options.limits },
    };
  }

  onion(): OnionRouter {
    const router = new OnionRouter(this.ports);
    router.start();
    return router;
  }

  proxied(): ProxiedRouter {
    const router = new ProxiedRouter(this.ports);
    router.start();
    return router;
  }

  direct(route: 'direct' | 'tunnel' = 'direct'): DirectRouter {
    const router = new DirectRouter(this.ports, route);
    router.start();
    return router;
  }

  /** Sends a request for node `to`; collects its answers. */
  send(router: OnionRouter | ProxiedRouter | DirectRouter, to: PoolNode = node(24, 4)): Answer[] {
    const got: Answer[] = [];
    const request = {
      id: 'r',
      to,
      method: 'retrieve',
      params: {},
      accounts: [],
      retries: 0,
      timeoutMs: 10_000,
    };
    router.send(request, (answer) => got.push(answer));
    return got;
  }

  /** The oldest call that is not answered yet is answered. */
  reply(status: number, text: string): void {
    for (const { calls, closed } of this.connections) {
      const call = closed ? undefined : calls.shift();
      if (!call) continue;
      call.onAnswer({ status, type: 'text/plain', body: Buffer.from(text) });
      return;
    }
    throw new Error('nothing waits for an answer');
  }

  to(to: PoolNode): PlayedConnection | undefined {
    return this.connections.filter((one) => one.to.ed25519 === to.ed25519).at(-1);
  }

  end(connection: PlayedConnection | undefined, code: number): void {
    if (!connection || connection.closed) return;
    connection.closed = true;
    connection.listener.closed(code, 'test');
  }

  #connect(to: PoolNode, listener: WireListener) {
    const connection: PlayedConnection = { to, listener, calls: [], verified: false, closed: false };
    this.connections.push(connection);
    return {
      verify: () => {
        connection.verified = true;
        if (this.reachable === undefined) return;
        if (this.reachable(to)) listener.opened();
        else this.end(connection, 1);
      },
      call: (call: Call, _: number, onAnswer: (answer: WireAnswer) => void) => {
        this.lastCall = call;
        connection.calls.push({ call, onAnswer });
      },
      close: () => this.end(connection, 0),
    };
  }
}

/** What only the destination could have written. */
export function sealed(status: number, body: unknown = {}): string {
  return `sealed ${JSON.stringify({ status, body })}`;
}
