import type { Clock, Timer } from '../../harness/clock/index.ts';
import type { ClientRules } from './client-rules.ts';
import { ERROR } from './errors.ts';
import type { PoolNode } from './pool-node.ts';
import type { Answer } from './request.ts';
import type { Tell } from './tell.ts';
import { type Call, CLOSE_CODE, type Wire, type WireAnswer, type WireConnection } from './wire.ts';

/** @param code why the connection ended; none when nothing speaks against the node */
export type OnVerified = (success: boolean, code?: number) => void;

export type CallResult = { readonly answer: WireAnswer } | Omit<Answer, 'ok'>;

export type OnCalled = (result: CallResult) => void;

export interface TransportPorts {
  readonly rules: ClientRules;
  readonly wire: Wire;
  readonly clock: Clock;
  readonly tell: Tell;
  /** A handshake took too long: the transport's own evidence against a node. */
  readonly onHandshakeTimeout: (node: PoolNode) => void;
}

interface Link {
  readonly node: PoolNode;
  readonly connection: WireConnection;
  open: boolean;
  verifying: boolean;
}

interface Pending {
  readonly node: PoolNode;
  readonly onCalled: OnCalled;
  readonly timer: Timer;
}

/** One connection to each node, shared by all requests; it can be suspended and closed. */
export class Transport {
  readonly #ports: TransportPorts;
  readonly #links = new Map<string, Link>();
  readonly #verifications = new Map<string, OnVerified[]>();
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, Set<() => void>>();
  #lastId = 0;
  #suspended = false;
  /** While connections are being closed there is no endpoint to make new ones at. */
  #closing = false;

  constructor(ports: TransportPorts) {
    this.#ports = ports;
  }

  /** Connects to the node, or uses the connection that stands; answers once. */
  verify(node: PoolNode, onVerified: OnVerified): void {
    if (this.#closing && !this.#ports.rules.reentrantVerifyFails) {
      this.#push(node, onVerified);
      return;
    }
    if (this.#suspended || this.#closing) {
      onVerified(false);
      return;
    }
    if (this.#links.get(node.ed25519)?.open) {
      onVerified(true);
      return;
    }
    this.#push(node, onVerified);
    const link = this.#ensureLink(node);
    if (link.verifying) return;
    link.verifying = true;
    link.connection.verify();
  }

  /** Answers once: with what the node answered, or with an error of our own. */
  call(node: PoolNode, call: Call, timeoutMs: number, onCalled: OnCalled): void {
    if (this.#suspended) {
      onCalled({ status: ERROR.NETWORK_SUSPENDED, timeout: false, message: 'the transport is suspended' });
      return;
    }
    if (this.#closing) {
      onCalled({ status: ERROR.CONNECTION_CLOSED, timeout: false, message: 'connections are being closed' });
      return;
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const timer = this.#ports.clock.after(timeoutMs, () => {
      const message = `no answer within ${timeoutMs} ms`;
      const unreached = { struck: false };
      this.#take(id)?.onCalled({ status: ERROR.REQUEST_TIMEOUT, timeout: true, message, unreached });
    });
    this.#pending.set(id, { node, onCalled, timer });
    this.#ensureLink(node).connection.call(call, timeoutMs, (answer) => this.#take(id)?.onCalled({ answer }));
  }

  /** Called when the connection to the node ends, other than by `closeConnections` of ours that took it out before. */
  onFailure(node: PoolNode, listener: () => void): () => void {
    const listeners = this.#listeners.get(node.ed25519) ?? new Set();
    this.#listeners.set(node.ed25519, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  suspend(): void {
    const isDone = this.#ports.rules.suspendGuard ? this.#suspended : !this.#suspended;
    if (isDone) return;
    this.#suspended = true;
    this.#close();
  }

  resume(): void {
    this.#suspended = false;
  }

  closeConnections(): void {
    this.#close();
  }

  /** For `/state`. */
  state(): Readonly<Record<string, unknown>> {
    return {
      suspended: this.#suspended,
      connections: [...this.#links.values()].filter(({ open }) => open).length,
      verifications: [...this.#verifications.values()].flat().length,
      pending: this.#pending.size,
    };
  }

  #push(node: PoolNode, onVerified: OnVerified): void {
    const waiting = this.#verifications.get(node.ed25519) ?? [];
    this.#verifications.set(node.ed25519, [...waiting, onVerified]);
  }

  #ensureLink(node: PoolNode): Link {
    const standing = this.#links.get(node.ed25519);
    if (standing) return standing;
    const connection = this.#ports.wire.connect(node, {
      opened: () => this.#onOpened(link),
      closed: (code, reason) => this.#onClosed(link, code, reason),
    });
    const link: Link = { node, connection, open: false, verifying: false };
    this.#links.set(node.ed25519, link);
    return link;
  }

  #onOpened(link: Link): void {
    if (this.#links.get(link.node.ed25519) !== link || link.open) return;
    link.open = true;
    for (const onVerified of this.#takeVerifications(link.node.ed25519)) onVerified(true);
  }

  /** Everything that hangs on the connection fails with it. */
  #onClosed(link: Link, code: number, reason: string): void {
    const key = link.node.ed25519;
    if (this.#links.get(key) !== link) return;
    this.#links.delete(key);
    if (code === CLOSE_CODE.HANDSHAKE_TIMEOUT) this.#ports.onHandshakeTimeout(link.node);
    for (const onVerified of this.#takeVerifications(key)) onVerified(false, code);
    const message = `the connection to ${key.slice(0, 8)} ended: ${reason}`;
    const result: CallResult = this.#closing
      ? { status: ERROR.NETWORK_SUSPENDED, timeout: false, message }
      : {
          status: ERROR.UNKNOWN,
          timeout: false,
          message,
          unreached: { struck: code === CLOSE_CODE.HANDSHAKE_TIMEOUT },
        };
    for (const [id, { node }] of [...this.#pending]) {
      if (node.ed25519 === key) this.#take(id)?.onCalled(result);
    }
    for (const listener of [...(this.#listeners.get(key) ?? [])]) listener();
  }

  /**
   * Whatever waits is taken out before the connections are closed, so that their closing finds nothing to fail, and is
   * answered from copies afterwards: somebody who is answered may come back at once.
   */
  #close(): void {
    const { rules } = this.#ports;
    this.#closing = true;
    const verifications: OnVerified[] = [];
    const requests: Pending[] = [];
    if (rules.takePendingFirst) {
      for (const key of [...this.#verifications.keys()]) verifications.push(...this.#takeVerifications(key));
      for (const id of [...this.#pending.keys()]) requests.push(this.#take(id) as Pending);
    }
    for (const { connection } of [...this.#links.values()]) connection.close();
    // Our own close is no evidence against a node.
    for (const onVerified of verifications) {
      if (rules.closeIsNoEvidence) onVerified(false);
      else onVerified(false, CLOSE_CODE.ORDERLY);
    }
    const saysSuspended = this.#suspended ? rules.suspendedIsNotClosed : !rules.closedIsNotSuspended;
    const status = saysSuspended ? ERROR.NETWORK_SUSPENDED : ERROR.CONNECTION_CLOSED;
    const message = saysSuspended ? 'the transport was suspended' : 'the connection was closed';
    for (const { onCalled } of requests) onCalled({ status, timeout: false, message });
    this.#closing = false;
    this.#ports.tell.event('connections.closed', {
      suspended: this.#suspended,
      verifications: verifications.length,
      requests: requests.length,
    });
  }

  #takeVerifications(key: string): readonly OnVerified[] {
    const taken = this.#verifications.get(key) ?? [];
    this.#verifications.delete(key);
    return taken;
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.timer.cancel();
    return pending;
  }
}
