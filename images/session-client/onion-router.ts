import { ERROR } from './errors.ts';
import { edgeOf, type OnionPath } from './onion-path.ts';
import { OnionPaths } from './onion-paths.ts';
import { blameFor } from './path-errors.ts';
import type { PoolNode } from './pool-node.ts';
import { uniformError } from './rejections.ts';
import { type Answer, type ClientRequest, failure, isSuccess, type OnAnswer } from './request.ts';
import { RequestQueue } from './request-queue.ts';
import type { Router } from './router.ts';
import { type RouterPorts, whenPoolIsReady } from './router-ports.ts';
import { sendSealed } from './send-sealed.ts';

/** Sends requests over paths of relays, each of which sees only the next hop. */
export class OnionRouter implements Router {
  readonly #ports: RouterPorts;
  readonly #queue: RequestQueue;
  readonly paths: OnionPaths;
  #ready = false;
  #suspended = false;

  constructor(ports: RouterPorts) {
    this.#ports = ports;
    this.#queue = new RequestQueue(ports.clock);
    this.paths = new OnionPaths(ports, {
      onPath: () => this.#sendQueued(),
      onNoPath: (status, message) => this.#queue.failAll(status, message),
      verifyPath: (path, to, onVerified) => this.#verifyPath(path, to, onVerified),
    });
  }

  start(): void {
    whenPoolIsReady(this.#ports, () => {
      this.#ready = true;
      this.paths.prebuild();
      this.#sendQueued();
    });
  }

  send(request: ClientRequest, onAnswer: OnAnswer): void {
    if (this.#suspended) {
      onAnswer(failure(ERROR.NETWORK_SUSPENDED, 'the router is suspended'));
      return;
    }
    const path = this.#ready ? this.paths.find(request.to.ed25519) : undefined;
    if (path) {
      this.#sendOn(path, request, onAnswer);
      return;
    }
    this.#queue.add(request, onAnswer);
    if (this.#ready) this.paths.buildForRequest(request.to);
  }

  usedNodes(): readonly PoolNode[] {
    return this.paths.usedNodes();
  }

  suspend(): void {
    this.#suspended = true;
    this.paths.suspend();
    this.#queue.failAll(ERROR.NETWORK_SUSPENDED, 'the router was suspended');
  }

  resume(): void {
    this.#suspended = false;
    this.paths.resume();
  }

  closeConnections(): void {
    this.paths.close();
    this.#queue.failAll(ERROR.CONNECTION_CLOSED, 'the connections were closed');
  }

  state(): Readonly<Record<string, unknown>> {
    return { route: 'onion', ready: this.#ready, queued: this.#queue.length, ...this.paths.state() };
  }

  #sendQueued(): void {
    for (const { request, onAnswer } of this.#queue.takeAll()) this.send(request, onAnswer);
  }

  #sendOn(path: OnionPath, request: ClientRequest, onAnswer: OnAnswer): void {
    path.active += 1;
    sendSealed(this.#ports, { route: 'onion', relays: path.nodes, via: edgeOf(path) }, request, (answer) => {
      path.active -= 1;
      this.#blame(path, request, answer);
      onAnswer(answer);
    });
  }

  #blame(path: OnionPath, request: ClientRequest, answer: Answer): void {
    // What we ended ourselves says nothing about anybody; an edge whose connection broke is heard of from the transport.
    if (answer.status === ERROR.NETWORK_SUSPENDED || answer.status === ERROR.CONNECTION_CLOSED) return;
    const status = uniformError(answer.body) ?? answer.status;
    if (answer.ok && isSuccess(status)) return;
    const blame = blameFor(this.#ports.rules, { ...answer, status }, request.to.ed25519);
    this.paths.blame(path, request.to, blame);
  }

  #verifyPath(path: OnionPath, to: PoolNode, onVerified: (success: boolean) => void): void {
    const { infoTimeoutMs } = this.#ports.limits;
    const info = { id: `verify-${path.id}`, to, method: 'info', params: {}, accounts: [], retries: 0 };
    this.#sendOn(path, { ...info, timeoutMs: infoTimeoutMs }, ({ ok }) => onVerified(ok));
  }
}
