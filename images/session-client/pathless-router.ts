import { ERROR } from './errors.ts';
import type { PoolNode } from './pool-node.ts';
import { type ClientRequest, failure, type OnAnswer } from './request.ts';
import { RequestQueue } from './request-queue.ts';
import type { Router } from './router.ts';
import { type RouterPorts, whenPoolIsReady } from './router-ports.ts';

/** A router that builds nothing beforehand: requests wait until the pool is ready, and are refused while it is suspended. */
export abstract class PathlessRouter implements Router {
  protected readonly ports: RouterPorts;
  readonly #queue: RequestQueue;
  #ready = false;
  #suspended = false;

  constructor(ports: RouterPorts) {
    this.ports = ports;
    this.#queue = new RequestQueue(ports.clock);
  }

  start(): void {
    whenPoolIsReady(this.ports, () => {
      this.#ready = true;
      for (const { request, onAnswer } of this.#queue.takeAll()) this.send(request, onAnswer);
    });
  }

  send(request: ClientRequest, onAnswer: OnAnswer): void {
    if (this.#suspended) onAnswer(failure(ERROR.NETWORK_SUSPENDED, 'the router is suspended'));
    else if (this.#ready) this.sendNow(request, onAnswer);
    else this.#queue.add(request, onAnswer);
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
    return { ready: this.#ready, queued: this.#queue.length };
  }

  abstract usedNodes(): readonly PoolNode[];

  /** Answers exactly once. */
  protected abstract sendNow(request: ClientRequest, onAnswer: OnAnswer): void;
}
