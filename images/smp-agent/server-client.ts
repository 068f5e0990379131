import { AgentError } from './agent-error.ts';
import { type RelaySession, type Server, type WireConnection, WireFailure } from './wire.ts';

/** One PRXY and what it comes to; shared by all who want a session to the same relay. */
export interface SessionAttempt {
  readonly outcome: Promise<{ readonly session: RelaySession } | { readonly error: AgentError }>;
}

/** The one connection to a server, used for the agent's own queues there and for what it forwards. */
export class ServerClient {
  readonly server: Server;
  readonly connection: WireConnection;
  /** Sessions to relays through this server, by the relay's name. */
  readonly sessions = new Map<string, SessionAttempt>();
  /** Own queues that are subscribed here, by their recipient's id. */
  readonly subscribed = new Set<string>();

  constructor(server: Server, connection: WireConnection) {
    this.server = server;
    this.connection = connection;
  }

  /** @throws AgentError `smp` for an error of the server, `broker` for everything else */
  async ask<T>(request: (connection: WireConnection) => Promise<T>): Promise<T> {
    try {
      return await request(this.connection);
    } catch (cause) {
      if (!(cause instanceof WireFailure)) throw cause;
      const kind = cause.kind === 'answered' ? 'smp' : 'broker';
      throw new AgentError({ kind, server: this.server.name, error: cause.text }, { cause });
    }
  }
}
