import type { Clock } from '../../harness/clock/index.ts';
import { TOO_LATE, withinOrLate } from '../smp-kit/index.ts';
import { AgentError } from './agent-error.ts';
import { type RequestMode, type Waits, waitMs } from './request-mode.ts';
import { ServerClient } from './server-client.ts';
import { type Delivery, type Server, type Wire, WireFailure } from './wire.ts';

export interface ConnectionRules {
  readonly connect: Waits;
  /** So long a failed connection is answered with its own error, at once. */
  readonly persistErrorIntervalMs: number;
}

export interface ConnectionListener {
  connected(client: ServerClient): void;
  delivered(client: ServerClient, recipientId: string, delivery: Delivery): void;
  disconnected(client: ServerClient, reason: string): void;
}

type Outcome =
  | { readonly client: ServerClient }
  | { readonly error: AgentError; readonly cachedUntilMs: number };

/** A connection could not be had; `waited` when it was somebody else's and only the own wait for it ended. */
export class NoConnection extends AgentError {
  readonly waited: boolean;

  constructor(error: AgentError, waited: boolean) {
    super(error.failure, { cause: error });
    this.name = 'NoConnection';
    this.waited = waited;
  }
}

/** One connection to each server, made when first wanted and shared by all who want it. */
export class ServerClients {
  readonly #wire: Wire;
  readonly #clock: Clock;
  readonly #rules: ConnectionRules;
  readonly #listener: ConnectionListener;
  readonly #attempts = new Map<string, Promise<Outcome>>();
  readonly #clients = new Map<string, ServerClient>();
  #ended = false;

  constructor(wire: Wire, clock: Clock, rules: ConnectionRules, listener: ConnectionListener) {
    this.#wire = wire;
    this.#clock = clock;
    this.#rules = rules;
    this.#listener = listener;
  }

  /** @throws NoConnection */
  async get(server: Server, mode: RequestMode): Promise<ServerClient> {
    const { name } = server;
    const attempt = this.#attempts.get(name);
    if (!attempt) {
      const own = this.#connect(server, waitMs(this.#rules.connect, mode));
      this.#attempts.set(name, own);
      return clientOf(await own);
    }
    const outcome = await withinOrLate(
      { clock: this.#clock, timeoutMs: waitMs(this.#rules.connect, mode) },
      attempt,
    );
    if (outcome === TOO_LATE) {
      throw new NoConnection(new AgentError({ kind: 'broker', server: name, error: 'TIMEOUT' }), true);
    }
    if ('error' in outcome && outcome.cachedUntilMs <= this.#clock.nowMs()) {
      if (this.#attempts.get(name) === attempt) this.#attempts.delete(name);
      return await this.get(server, mode);
    }
    return clientOf(outcome);
  }

  /** The connection that stands now. */
  find(server: string): ServerClient | undefined {
    return this.#clients.get(server);
  }

  all(): readonly ServerClient[] {
    return [...this.#clients.values()];
  }

  /** Closes everything; later failures say nothing to anybody. */
  end(): void {
    this.#ended = true;
    for (const client of this.#clients.values()) client.connection.close();
    this.#clients.clear();
    this.#attempts.clear();
  }

  async #connect(server: Server, connectMs: number): Promise<Outcome> {
    let client: ServerClient | undefined;
    let lost = false;
    try {
      const events = {
        delivered: (recipientId: string, delivery: Delivery): void => {
          if (client && !this.#ended) this.#listener.delivered(client, recipientId, delivery);
        },
        closed: (reason: string): void => {
          lost = true;
          if (client) this.#lose(client, reason);
        },
        subscribed: () => client !== undefined && client.subscribed.size > 0,
      };
      const connection = await this.#wire.connect(server, events, connectMs);
      if (this.#ended || lost) {
        connection.close();
        return this.#failed(server, 'NETWORK');
      }
      client = new ServerClient(server, connection);
    } catch (cause) {
      if (!(cause instanceof WireFailure)) throw cause;
      return this.#failed(server, cause.text, cause);
    }
    this.#clients.set(server.name, client);
    this.#listener.connected(client);
    return { client };
  }

  #failed({ name }: Server, error: string, cause?: WireFailure): Outcome {
    return {
      error: new AgentError({ kind: 'broker', server: name, error }, { cause }),
      cachedUntilMs: this.#clock.nowMs() + this.#rules.persistErrorIntervalMs,
    };
  }

  #lose(client: ServerClient, reason: string): void {
    const { name } = client.server;
    if (this.#clients.get(name) !== client) return;
    this.#clients.delete(name);
    this.#attempts.delete(name);
    if (!this.#ended) this.#listener.disconnected(client, reason);
  }
}

function clientOf(outcome: Outcome): ServerClient {
  if ('error' in outcome) throw new NoConnection(outcome.error, false);
  return outcome.client;
}
