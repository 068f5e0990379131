import { SquallError } from '../../harness/errors/index.ts';
import { ERROR } from './errors.ts';
import { readAnswer } from './read-answer.ts';
import { type Answer, type ClientRequest, failure, type OnAnswer } from './request.ts';
import { RequestQueue } from './request-queue.ts';
import type { Router } from './router.ts';
import { type RouterPorts, whenPoolIsReady } from './router-ports.ts';
import { authenticated } from './unauthenticated.ts';
import type { WireAnswer } from './wire.ts';

/** Sends requests to the node itself, whose certificate says that it is the one. */
export class DirectRouter implements Router {
  readonly #ports: RouterPorts;
  readonly #route: 'direct' | 'tunnel';
  readonly #queue: RequestQueue;
  #ready = false;
  #suspended = false;

  /** @param route `tunnel`: what a tunnel of the session router ends in is such a connection too */
  constructor(ports: RouterPorts, route: 'direct' | 'tunnel') {
    this.#ports = ports;
    this.#route = route;
    this.#queue = new RequestQueue(ports.clock);
  }

  start(): void {
    whenPoolIsReady(this.#ports, () => {
      this.#ready = true;
      for (const { request, onAnswer } of this.#queue.takeAll()) this.send(request, onAnswer);
    });
  }

  send(request: ClientRequest, onAnswer: OnAnswer): void {
    if (this.#suspended) {
      onAnswer(failure(ERROR.NETWORK_SUSPENDED, 'the router is suspended'));
      return;
    }
    if (!this.#ready) {
      this.#queue.add(request, onAnswer);
      return;
    }
    const { to, method, params, timeoutMs } = request;
    const { transport, rules, readBody } = this.#ports;
    transport.call(to, { kind: 'rpc', method, params }, timeoutMs, (result) => {
      if ('answer' in result) {
        onAnswer(authenticated(rules, readResult(readBody, result.answer), this.#route));
        return;
      }
      if (result.unreached?.struck === false) this.#ports.pool.strikes.strike(to.ed25519, 'unreached');
      onAnswer(failure(result.status, result.message, result));
    });
  }

  usedNodes(): readonly [] {
    return [];
  }

  suspend(): void {
    this.#suspended = true;
    this.#queue.failAll(ERROR.NETWORK_SUSPENDED, 'the router was suspended');
  }

  resume(): void {
    this.#suspended = false;
  }

  closeConnections(): void {
    this.#queue.failAll(ERROR.CONNECTION_CLOSED, 'the connections were closed');
  }

  state(): Readonly<Record<string, unknown>> {
    return { route: this.#route, ready: this.#ready, queued: this.#queue.length };
  }
}

function readResult(readBody: RouterPorts['readBody'], answer: WireAnswer): Answer {
  try {
    return readAnswer(answer.status, readBody(answer));
  } catch (error) {
    if (!(error instanceof SquallError)) throw error;
    return failure(ERROR.FAILED_TO_PARSE, `${error.code}: ${error.message}`);
  }
}
