import type { Clock } from '../../harness/clock/index.ts';
import type { SeededStream } from '../../harness/random/index.ts';
import type { ClientRules } from './client-rules.ts';
import { ClockResync } from './clock-resync.ts';
import { ERROR } from './errors.ts';
import type { PoolNode } from './pool-node.ts';
import { findRejections, hasAnswered, type Rejections, uniformError } from './rejections.ts';
import { type Answer, type ClientRequest, failure, isSuccess, type OnAnswer } from './request.ts';
import type { Router } from './router.ts';
import type { SnodePool } from './snode-pool.ts';
import type { Tell } from './tell.ts';

/** What carries requests; the network only tells it when to stop. */
export interface NetworkTransport {
  suspend(): void;
  resume(): void;
  closeConnections(): void;
}

export interface NetworkPorts {
  readonly rules: ClientRules;
  readonly pool: SnodePool;
  readonly router: Router;
  readonly transport: NetworkTransport;
  readonly clock: Clock;
  readonly chance: SeededStream;
  readonly tell: Tell;
  /** How often a request is sent again after a 421. */
  readonly redirectRetryCount: number;
  readonly resyncNodeCount: number;
  readonly infoTimeoutMs: number;
}

/** What a mutant that never stops asking is stopped at. */
const REENTRIES_MAX = 20;

/** Rejected accounts, and which of them were put right by a redirect. */
interface Taken {
  readonly rejections: Rejections;
  readonly redirected: ReadonlySet<string>;
  /** A refresh was asked for along with a redirect. */
  readonly asked: boolean;
}

/** Sends requests, and does what their answers call for: redirects, retries, refreshes of the pool, the clock. */
export class Network {
  readonly #ports: NetworkPorts;
  readonly #resync: ClockResync;
  #suspended = false;
  #requests = 0;

  constructor(ports: NetworkPorts) {
    this.#ports = ports;
    const { rules, pool, clock, tell, router } = ports;
    this.#resync = new ClockResync({
      rules,
      pool,
      clock,
      tell,
      nodeCount: ports.resyncNodeCount,
      usedNodes: () => router.usedNodes(),
      // Straight to the router: a node that answers this one with 406 too must not make it wait for itself.
      askInfo: (node, onAnswer) =>
        router.send(this.request(node, 'info', {}, [], ports.infoTimeoutMs), onAnswer),
    });
  }

  get suspended(): boolean {
    return this.#suspended;
  }

  get clockOffsetMs(): number {
    return this.#resync.offsetMs;
  }

  request(
    to: PoolNode,
    method: string,
    params: unknown,
    accounts: readonly (string | undefined)[],
    timeoutMs: number,
  ): ClientRequest {
    this.#requests += 1;
    return { id: `r${this.#requests}`, to, method, params, accounts, retries: 0, timeoutMs };
  }

  send(request: ClientRequest, onAnswer: OnAnswer): void {
    const { rules, router } = this.#ports;
    if (this.#suspended && rules.refuseWhileSuspended) {
      // With the guard inverted no flag is set: it is the endpoint, gone with its connections, that refuses.
      onAnswer(
        rules.suspendGuard
          ? failure(ERROR.NETWORK_SUSPENDED, 'the network is suspended')
          : failure(ERROR.UNKNOWN, 'the network is invalid'),
      );
      return;
    }
    router.send(request, (answer) => this.#onAnswer(request, answer, onAnswer));
  }

  /** `count` nodes that nothing uses, or an empty list when there are not as many. */
  getRandomNodes(count: number, onNodes: (nodes: readonly PoolNode[]) => void, entries = 0): void {
    const { rules, pool, router, tell } = this.#ports;
    const nodes = pool.getUnusedNodes(count, router.usedNodes());
    if (nodes.length >= count) {
      onNodes(nodes);
      return;
    }
    pool.refreshIfNeeded(router.usedNodes(), (refreshed) => {
      if (!refreshed) {
        if (rules.randomNodesAnswerEmpty) onNodes([]);
        return;
      }
      if (!rules.randomNodesCheckFirst) {
        if (entries >= REENTRIES_MAX) tell.event('callback.recursed', { caller: 'random-nodes', entries });
        else this.getRandomNodes(count, onNodes, entries + 1);
        return;
      }
      const again = pool.getUnusedNodes(count, router.usedNodes());
      if (again.length < count)
        tell.log('warn', `${count} random nodes cannot be had: the pool has ${again.length}`);
      onNodes(again.length < count ? [] : again);
    });
  }

  suspend(): void {
    this.#suspended = true;
    const { rules, router, transport, pool } = this.#ports;
    // The router first: it lets go of its paths and listeners before the connections that they hang on are closed.
    if (rules.routerSuspendsFirst) router.suspend();
    transport.suspend();
    // What the old client did as well, since its transport's own suspend() did nothing.
    if (!rules.suspendGuard) transport.closeConnections();
    if (!rules.routerSuspendsFirst) router.suspend();
    pool.suspend();
  }

  resume(): void {
    if (!this.#suspended) return;
    this.#suspended = false;
    this.#ports.transport.resume();
    this.#ports.pool.resume();
    this.#ports.router.resume();
  }

  closeConnections(): void {
    const { rules, router, transport } = this.#ports;
    if (rules.routerClosesFirst) router.closeConnections();
    transport.closeConnections();
    if (!rules.routerClosesFirst) router.closeConnections();
  }

  /** For `/state`. */
  state(): Readonly<Record<string, unknown>> {
    const { running, waiting, offsetMs } = this.#resync;
    return { suspended: this.#suspended, clock: { running, waiting, offsetMs } };
  }

  #onAnswer(request: ClientRequest, answer: Answer, onAnswer: OnAnswer): void {
    const { rules, pool } = this.#ports;
    const status = uniformError(answer.body) ?? answer.status;
    // Before anything else happens to the response: a batch can be rejected for some accounts and answered for others,
    // and a request whose retries are spent still says where its account is.
    const reads = rules.recordBeforeAnything || request.retries < this.#ports.redirectRetryCount;
    const heeds = rules.mixedReachHandling || status === 421;
    const taken: Taken =
      reads && heeds
        ? this.#takeRedirects(request, rules.readSubResults ? answer.status : status, answer.body)
        : NOTHING_TAKEN;
    if (status === 406 || status === 425) {
      this.#resync.resync(status, onAnswer);
      return;
    }
    if (status === 421) {
      this.#handleRejection(request, answer, taken, onAnswer);
      return;
    }
    if (this.#mayRetryMixed(request, answer, taken)) {
      this.#handleRejection(request, answer, taken, onAnswer);
      return;
    }
    this.#refreshForUnredirected(taken);
    if (answer.ok && isSuccess(status)) {
      for (const account of new Set(request.accounts)) if (account !== undefined) pool.recordAnswer(account);
    }
    onAnswer({ ...answer, ok: answer.ok && isSuccess(status), status });
  }

  /** Rejected for one account and failed otherwise: nothing was stored, and nobody else's answer would be lost. */
  #mayRetryMixed({ accounts }: ClientRequest, { body }: Answer, { rejections }: Taken): boolean {
    const [rejected, ...others] = rejections.accounts.keys();
    if (rejected === undefined || others.length > 0) return false;
    if (hasAnswered(body)) return !this.#ports.rules.answeredAreNotRetried;
    return !rejections.unattributed && accounts.every((account) => account === rejected);
  }

  #takeRedirects(request: ClientRequest, status: number, body: unknown): Taken {
    const { rules, pool } = this.#ports;
    const rejections = findRejections(rules, status, body, request.accounts);
    const redirected = new Set<string>();
    let asked = false;
    for (const [account, named] of rules.followRedirects ? rejections.accounts : []) {
      if (named.length === 0) continue;
      const outcome = pool.recordRedirect(account, named, request.to.ed25519);
      if (!outcome.followed) continue;
      redirected.add(account);
      if (outcome.asks && (!asked || !rules.oneRefreshPerResponse)) {
        asked = true;
        pool.invalidateSwarm(account);
      }
    }
    return { rejections, redirected, asked };
  }

  /** With no usable redirect only the pool can put it right, and one refresh does so for all accounts. */
  #refreshForUnredirected({ rejections, redirected, asked }: Taken): void {
    if (asked && this.#ports.rules.oneRefreshPerResponse) return;
    for (const account of rejections.accounts.keys()) {
      if (redirected.has(account)) continue;
      this.#ports.pool.invalidateSwarm(account);
      if (this.#ports.rules.oneRefreshPerResponse) return;
    }
  }

  #handleRejection(request: ClientRequest, answer: Answer, taken: Taken, onAnswer: OnAnswer): void {
    const { rules, pool, redirectRetryCount } = this.#ports;
    const { accounts, unattributed } = taken.rejections;
    const fail = (message: string): void => onAnswer(failure(421, message));
    if (request.retries >= redirectRetryCount && rules.retryAtMostOnce) {
      this.#refreshForUnredirected(taken);
      fail('421, and the retries are spent');
      return;
    }
    if (request.retries > REENTRIES_MAX) {
      fail('421 without end');
      return;
    }
    const [account] = accounts.keys();
    if (account === undefined) {
      fail('421 for no account of this request');
      return;
    }
    if ((accounts.size > 1 || unattributed) && rules.severalAreNotRetried) {
      this.#refreshForUnredirected(taken);
      onAnswer(failure(421, '421 for several accounts: not retried as a whole', { body: answer.body }));
      return;
    }
    if (!rules.retrySingleAccount) {
      this.#refreshForUnredirected(taken);
      fail('421');
      return;
    }
    if (taken.redirected.has(account)) this.#retry(request, account, onAnswer);
    else {
      pool.invalidateSwarm(account, (refreshed) => {
        if (refreshed || !rules.failUnresolved) this.#retry(request, account, onAnswer);
        else fail('421, and the swarm could not be resolved anew');
      });
    }
  }

  /** On another node of the account's swarm as it is looked for now. */
  #retry(request: ClientRequest, account: string, onAnswer: OnAnswer): void {
    const { rules, pool, chance, tell } = this.#ports;
    const resolves = rules.retryResolvesAccount ? account : `05${request.to.ed25519}`;
    pool.getSwarm(resolves, ({ nodes }) => {
      const others = nodes.filter(({ ed25519 }) => ed25519 !== request.to.ed25519);
      if (others.length === 0) {
        onAnswer(failure(421, '421, and the swarm has no other node to try'));
        return;
      }
      const [to] = chance.pick(1, others) as [PoolNode];
      tell.event('request.retried', {
        request: request.id,
        account,
        from: request.to.ed25519,
        to: to.ed25519,
      });
      this.send({ ...request, to, retries: request.retries + 1 }, onAnswer);
    });
  }
}

const NOTHING_TAKEN: Taken = {
  rejections: { accounts: new Map(), unattributed: false },
  redirected: new Set(),
  asked: false,
};
