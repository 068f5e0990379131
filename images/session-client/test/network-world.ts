import { stream } from '../../../harness/random/index.ts';
import { Network } from '../network.ts';
import type { PoolNode } from '../pool-node.ts';
import { type Answer, type ClientRequest, isSuccess, type OnAnswer } from '../request.ts';
import { account, MINUTE_MS, PoolWorld } from './pool-world.ts';
import type { Variant } from './rule-test.ts';

export interface Sent {
  readonly request: ClientRequest;
  readonly onAnswer: OnAnswer;
}

/** A status, its body and its text as a router gives them. */
export function answer(status: number, body: unknown = {}, message = ''): Answer {
  return { ok: isSuccess(status), timeout: false, status, body, message };
}

/** Body of a 421 that names these nodes. */
export function swarmOf(nodes: readonly PoolNode[], echo?: string): Readonly<Record<string, unknown>> {
  const snodes = nodes.map(({ ed25519, ip, httpsPort }) => ({
    pubkey_ed25519: ed25519,
    ip,
    port_https: httpsPort,
  }));
  return { snodes, swarm: '1', ...(echo === undefined ? {} : { pubkey: echo }) };
}

export function batchOf(...results: readonly (readonly [number, unknown?])[]): Answer {
  return answer(200, { results: results.map(([code, body]) => ({ code, body: body ?? {} })) });
}

/** A network over a router that a test plays: it sees what is sent and answers it. */
export class NetworkWorld extends PoolWorld {
  readonly sent: Sent[] = [];
  /** Answers at once what is sent, when it says something. */
  respond: (request: ClientRequest) => Answer | undefined = () => undefined;
  readonly order: string[] = [];
  readonly network: Network;
  #answered = 0;

  constructor(one: Variant, options: ConstructorParameters<typeof PoolWorld>[1] = {}) {
    super(one, options);
    const note = (what: string) => (): void => {
      this.order.push(what);
    };
    this.network = new Network({
      rules: one.rules,
      pool: this.pool,
      router: {
        send: (request, onAnswer) => {
          this.sent.push({ request, onAnswer });
          const now = this.respond(request);
          if (now) onAnswer(now);
        },
        usedNodes: () => [],
        suspend: note('router.suspend'),
        resume: note('router.resume'),
        closeConnections: note('router.close'),
        state: () => ({}),
      },
      transport: {
        suspend: note('transport.suspend'),
        resume: note('transport.resume'),
        closeConnections: note('transport.close'),
      },
      clock: this.clock,
      chance: stream('7', 'network'),
      tell: this.tell,
      redirectRetryCount: 1,
      resyncNodeCount: 3,
      infoTimeoutMs: 10_000,
    });
  }

  /** A pool that is old enough for a rejection to refresh it, and too young to be refreshed for its age. */
  static async aged(one: Variant): Promise<NetworkWorld> {
    const w = new NetworkWorld(one);
    await w.clock.leap(10 * MINUTE_MS);
    return w;
  }

  /** Sends a request for the accounts to the first node of the first one's swarm; collects its answers. */
  send(
    accounts: readonly (number | undefined)[],
    method = accounts.length > 1 ? 'batch' : 'retrieve',
  ): Answer[] {
    const got: Answer[] = [];
    const names = accounts.map((one) => (one === undefined ? undefined : account(one)));
    this.pool.getSwarm(account(accounts[0] ?? 1), ({ nodes }) => {
      const to = nodes[0] as PoolNode;
      this.network.send(this.network.request(to, method, {}, names, 10_000), (one) => got.push(one));
    });
    return got;
  }

  /** Answers the next request that is not answered yet. */
  reply(one: Answer): void {
    this.sent[this.#answered]?.onAnswer(one);
    this.#answered += 1;
  }
}
