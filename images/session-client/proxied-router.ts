import { ERROR } from './errors.ts';
import { blameFor } from './path-errors.ts';
import { PathlessRouter } from './pathless-router.ts';
import type { PoolNode } from './pool-node.ts';
import { type ClientRequest, failure, type OnAnswer } from './request.ts';
import { REENTRIES_MAX } from './router-ports.ts';
import { sendSealed } from './send-sealed.ts';

/** Sends requests through one node of its own choice, which forwards what only the destination can read. */
export class ProxiedRouter extends PathlessRouter {
  #proxy: PoolNode | undefined;

  protected sendNow(request: ClientRequest, onAnswer: OnAnswer): void {
    this.#chooseProxy(request, onAnswer, 0);
  }

  usedNodes(): readonly PoolNode[] {
    return this.#proxy ? [this.#proxy] : [];
  }

  override suspend(): void {
    this.#proxy = undefined;
    super.suspend();
  }

  override closeConnections(): void {
    this.#proxy = undefined;
    super.closeConnections();
  }

  override state(): Readonly<Record<string, unknown>> {
    return { route: 'proxied', ...super.state(), proxy: this.#proxy?.ed25519 ?? null };
  }

  #chooseProxy(request: ClientRequest, onAnswer: OnAnswer, entries: number): void {
    const { pool, rules, tell } = this.ports;
    const proxy = this.#proxyFor(request.to);
    if (proxy) {
      this.#sendThrough(proxy, request, onAnswer);
      return;
    }
    pool.refreshIfNeeded([request.to], (refreshed) => {
      if (!refreshed) {
        const status = rules.namedInsufficientProxyFailed ? ERROR.INSUFFICIENT_NODES : ERROR.UNKNOWN;
        onAnswer(failure(status, 'no proxy: the pool could not be refreshed'));
        return;
      }
      if (!rules.proxyChecksFirst) {
        if (entries >= REENTRIES_MAX) tell.event('callback.recursed', { caller: 'proxy', entries });
        else this.#chooseProxy(request, onAnswer, entries + 1);
        return;
      }
      const again = this.#proxyFor(request.to);
      if (again) this.#sendThrough(again, request, onAnswer);
      else {
        const status = rules.namedInsufficientProxyEmpty ? ERROR.INSUFFICIENT_NODES : ERROR.UNKNOWN;
        onAnswer(failure(status, 'no proxy: the pool has no node for it'));
      }
    });
  }

  /** The one in use, unless it is out or the destination itself. */
  #proxyFor(to: PoolNode): PoolNode | undefined {
    const { pool } = this.ports;
    const standing = this.#proxy;
    if (standing && !pool.isOut(standing, 'unused') && standing.ed25519 !== to.ed25519) return standing;
    return pool.getUnusedNodes(1, [to])[0];
  }

  #sendThrough(proxy: PoolNode, request: ClientRequest, onAnswer: OnAnswer): void {
    const { rules, pool } = this.ports;
    this.#proxy = proxy;
    sendSealed(this.ports, { route: 'proxied', relays: [proxy], via: proxy }, request, (answer) => {
      const blame = blameFor(rules, answer, request.to.ed25519);
      const failed = !answer.ok && (blame.path || blame.edge || answer.unreached);
      if (failed && !answer.unreached?.struck) pool.strikes.strike(proxy.ed25519, 'proxy');
      if (failed && this.#proxy === proxy) this.#proxy = undefined;
      if (!answer.ok && blame.named)
        pool.strikes.strike(blame.named.node, 'named-by-relay', blame.named.permanent);
      if (!answer.ok && blame.destination)
        pool.strikes.strike(request.to.ed25519, 'destination', blame.destination.permanent);
      onAnswer(answer);
    });
  }
}
