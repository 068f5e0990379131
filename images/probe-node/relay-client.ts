import { connect as connectTcp } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Timer } from '../../harness/clock/index.ts';
import type { FleetClient } from '../../harness/fleet/index.ts';
import { identityOf, selfSigned } from '../../harness/identity/index.ts';
import { DefiniteFailure } from '../../harness/workload/index.ts';
import type { NodeContext } from '../node-kit/index.ts';
import { onFrames, writeFrame } from './frames.ts';

interface RelayFacts {
  readonly name: string;
  readonly address: string;
}

interface Pending {
  readonly resolve: (status: number) => void;
  readonly reject: (error: Error) => void;
}

/** One client: keeps a connection to its relay, sends, and hands on what is delivered. */
export class RelayClient {
  readonly own: FleetClient;
  readonly #node: NodeContext;
  readonly #relay: RelayFacts;
  readonly #onMessage: (message: string) => void;
  readonly #pending = new Map<number, Pending>();
  #socket: TLSSocket | undefined;
  #again: Timer | undefined;
  #lastId = 0;

  constructor(node: NodeContext, own: FleetClient, relay: RelayFacts, onMessage: (message: string) => void) {
    this.#node = node;
    this.own = own;
    this.#relay = relay;
    this.#onMessage = onMessage;
  }

  get connected(): boolean {
    return this.#socket?.authorized === true && this.#socket.writable;
  }

  connect(): void {
    const { address, name } = this.own;
    const relay = this.#relay;
    const socket = connect({
      socket: connectTcp({
        host: relay.address,
        port: this.#node.settings.number('port'),
        localAddress: address,
      }),
      // The relay's certificate follows from the run's seed: nobody else's is believed.
      ca: selfSigned(identityOf(this.#node.seed, relay.name)).pem,
      servername: relay.name,
    });
    this.#socket = socket;
    socket.once('secureConnect', () => {
      writeFrame(socket, { kind: 'hello', client: name });
      this.#node.emit('relay.connected', { client: name, from: socket.localAddress });
    });
    onFrames(socket, (frame) => {
      if (frame.kind === 'answer') this.#take(frame.id, (pending) => pending.resolve(frame.status));
      if (frame.kind === 'deliver') this.#onMessage(frame.message);
    });
    socket.on('error', (error) => this.#node.log(`${name}: ${error.message}`));
    socket.once('close', () => this.#reconnect());
  }

  /** Resolves when the relay has taken it. @throws DefiniteFailure when it certainly has not */
  async send(message: string, to: string): Promise<void> {
    const socket = this.#socket;
    if (!socket || !this.connected) throw new DefiniteFailure('not connected');
    const status = await this.#ask(socket, message, to);
    if (status !== 200) throw new DefiniteFailure(`answered ${status}`);
  }

  close(): void {
    this.#again?.cancel();
    this.#socket?.removeAllListeners('close');
    this.#socket?.destroy();
    this.#abandon('the client ended');
  }

  #ask(socket: TLSSocket, message: string, to: string): Promise<number> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const withinMs = this.#node.settings.number('answerWithinMs');
      const tooLate = this.#node.clock.after(withinMs, () => {
        this.#take(id, (pending) => pending.reject(new Error(`no answer within ${withinMs} ms`)));
      });
      this.#pending.set(id, {
        resolve: (status) => {
          tooLate.cancel();
          resolve(status);
        },
        reject: (error) => {
          tooLate.cancel();
          reject(error);
        },
      });
      writeFrame(socket, { kind: 'send', id, message, to });
    });
  }

  #take(id: number, end: (pending: Pending) => void): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending) end(pending);
  }

  #reconnect(): void {
    this.#abandon('the connection was lost');
    this.#again = this.#node.clock.after(this.#node.settings.number('reconnectMs'), () => this.connect());
  }

  #abandon(reason: string): void {
    for (const id of [...this.#pending.keys()])
      this.#take(id, (pending) => pending.reject(new Error(reason)));
  }
}
