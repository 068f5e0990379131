import type { Clock } from '../../harness/clock/index.ts';
import { TOO_LATE, withinOrLate } from '../smp-kit/index.ts';
import { AgentError, blamedHop, brokerError, type Failure, failureOf, isHostError } from './agent-error.ts';
import { type ChoiceEventKind, SITE_OF } from './choice-event.ts';
import type { DestinationTrouble } from './destination-trouble.ts';
import type { ProxyChoices } from './proxy-choices.ts';
import type { ProxyExposure } from './proxy-exposure.ts';
import { forwardWaitMs, type RequestMode, type RequestWaits, sessionWaitMs, waitMs } from './request-mode.ts';
import type { ServerClient, SessionAttempt } from './server-client.ts';
import { NoConnection, type ServerClients } from './server-clients.ts';
import type { RelaySession, SendRequest, Server } from './wire.ts';

export interface ForwarderParts {
  readonly clock: Clock;
  readonly waits: RequestWaits;
  readonly clients: ServerClients;
  readonly choices: ProxyChoices;
  readonly exposure: ProxyExposure;
  readonly trouble: DestinationTrouble;
  /** The proxy of that name, which the choices have named. */
  readonly serverNamed: (name: string) => Server;
  /** The fix: a dead session is removed from the client that handled it, whatever is chosen meanwhile. */
  readonly removeDeadSession: boolean;
  /** The fix: a host error keeps the choice, and what the proxy said stays its answer. */
  readonly keepOnHostError: boolean;
  readonly emit: (event: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Sends through the remembered proxy, and tells the choices what came of it. */
export class Forwarder {
  readonly #parts: ForwarderParts;
  readonly #underWay = new Map<string, number>();

  constructor(parts: ForwarderParts) {
    this.#parts = parts;
  }

  /** SEND to a queue of `destination`. @throws AgentError */
  async send(destination: Server, request: SendRequest, mode: RequestMode): Promise<void> {
    const proxy = this.#parts.choices.choose(destination.name);
    await this.#through(this.#parts.serverNamed(proxy), destination, request, mode, false);
  }

  /** Forwards that wait for their answer, by proxy: what they take of its slots for this client. */
  underWay(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#underWay);
  }

  async #through(
    proxy: Server,
    destination: Server,
    request: SendRequest,
    mode: RequestMode,
    again: boolean,
  ): Promise<void> {
    const client = await this.#client(proxy, destination, mode);
    const attempt = client.sessions.get(destination.name);
    const used = attempt ?? this.#open(client, destination, mode);
    const session = attempt
      ? await this.#othersSession(attempt, client, destination, mode)
      : await sessionOf(used);
    try {
      await this.#forward(client, session, destination, request, mode);
    } catch (error) {
      const failure = failureOf(error);
      if (failure.kind !== 'proxy' || failure.error !== 'PROXY NO_SESSION') throw error;
      this.#removeSession(client, used, destination);
      if (again) throw error;
      // Whoever waits for this would see an error each time a proxy's connection to the relay was lost.
      const next = this.#parts.choices.chooseAgain(destination.name, proxy.name);
      await this.#through(this.#parts.serverNamed(next), destination, request, mode, true);
    }
  }

  async #client(proxy: Server, destination: Server, mode: RequestMode): Promise<ServerClient> {
    try {
      return await this.#parts.clients.get(proxy, mode);
    } catch (error) {
      if (!(error instanceof NoConnection)) throw error;
      this.#came(error.waited ? 'waiter-timed-out' : 'connect-failed', proxy, destination, error.failure);
      throw error;
    }
  }

  /** The session that another request asked for, or is asking for: that is waited for as for a connection. */
  async #othersSession(
    attempt: SessionAttempt,
    client: ServerClient,
    destination: Server,
    mode: RequestMode,
  ): Promise<RelaySession> {
    const { clock, waits } = this.#parts;
    const outcome = await withinOrLate({ clock, timeoutMs: waitMs(waits.connect, mode) }, attempt.outcome);
    if (outcome !== TOO_LATE && 'session' in outcome) return outcome.session;
    const error =
      outcome === TOO_LATE
        ? new AgentError({ kind: 'broker', server: client.server.name, error: 'TIMEOUT' })
        : outcome.error;
    this.#failed(client.server, destination, error.failure);
    throw error;
  }

  #open(client: ServerClient, destination: Server, mode: RequestMode): SessionAttempt {
    const { waits, exposure, keepOnHostError } = this.#parts;
    const proxy = client.server;
    exposure.exposed(destination.name, proxy.name);
    const opening = client.ask((connection) => connection.openRelay(destination, sessionWaitMs(waits, mode)));
    const outcome = opening.then(
      (session) => ({ session }),
      (error: unknown) => {
        const failure = proxyFailure(failureOf(error), 'PRXY', destination);
        const isHosts = isHostError(failure);
        // A host error stays this connection's answer, as the real agent keeps it.
        const stays = isHosts && keepOnHostError;
        if (!stays && client.sessions.get(destination.name) === attempt) {
          client.sessions.delete(destination.name);
        }
        this.#came(isHosts ? 'prxy-host-error' : 'prxy-failed', proxy, destination, failure);
        return { error: new AgentError(failure, { cause: error }) };
      },
    );
    const attempt: SessionAttempt = { outcome };
    client.sessions.set(destination.name, attempt);
    return attempt;
  }

  async #forward(
    client: ServerClient,
    session: RelaySession,
    destination: Server,
    request: SendRequest,
    mode: RequestMode,
  ): Promise<void> {
    const proxy = client.server;
    let answer: string;
    this.#count(proxy, 1);
    try {
      const forwardMs = forwardWaitMs(this.#parts.waits, mode);
      answer = await client.ask((connection) => connection.forward(session, request, forwardMs));
    } catch (error) {
      const failure = proxyFailure(failureOf(error), 'PFWD', destination);
      const kind = forwardEvent(failure);
      if (kind) this.#came(kind, proxy, destination, failure);
      else this.#failed(proxy, destination, failure);
      throw new AgentError(failure, { cause: error });
    } finally {
      this.#count(proxy, -1);
    }
    if (answer !== 'OK') {
      const failure: Failure = { kind: 'smp', server: destination.name, error: answer };
      this.#came('relay-error', proxy, destination, failure);
      throw new AgentError(failure);
    }
    this.#came('forward-succeeded', proxy, destination);
  }

  /** The session that was used, and no newer one, is forgotten. */
  #removeSession(client: ServerClient, used: SessionAttempt, destination: Server): void {
    const { choices, clients, removeDeadSession, emit } = this.#parts;
    const chosen = choices.chosen(destination.name);
    // The old agent looked for the client by the choice as it is now, and left the session where that had changed.
    const holder = removeDeadSession ? client : chosen === undefined ? undefined : clients.find(chosen);
    if (holder !== client || client.sessions.get(destination.name) !== used) return;
    client.sessions.delete(destination.name);
    emit('session.removed', { destination: destination.name, proxy: client.server.name });
  }

  #count({ name }: Server, change: 1 | -1): void {
    const count = (this.#underWay.get(name) ?? 0) + change;
    if (count > 0) this.#underWay.set(name, count);
    else this.#underWay.delete(name);
  }

  #came(kind: ChoiceEventKind, proxy: Server, destination: Server, failure?: Failure): void {
    const { trouble, emit, choices } = this.#parts;
    if (SITE_OF[kind] === 'success') trouble.reached(destination.name);
    if (failure) this.#failed(proxy, destination, failure, kind);
    else emit('forward.succeeded', { destination: destination.name, proxy: proxy.name });
    choices.apply({ kind, proxy: proxy.name, destination: destination.name });
  }

  #failed(proxy: Server, destination: Server, failure: Failure, kind?: ChoiceEventKind): void {
    const { trouble, emit } = this.#parts;
    // An error of the relay itself has reached it.
    if (kind === undefined || SITE_OF[kind] !== 'success') {
      trouble.failed(destination.name, proxy.name, failure);
    }
    const error = failure.kind === 'broker' ? `BROKER ${failure.error}` : failure.error;
    const hop = blamedHop(failure, destination.name);
    emit('forward.failed', { destination: destination.name, proxy: proxy.name, error, hop });
  }
}

/** @throws AgentError what PRXY came to, for all who wait for it and, with a host error, for all who ask later */
async function sessionOf({ outcome }: SessionAttempt): Promise<RelaySession> {
  const settled = await outcome;
  if ('error' in settled) throw settled.error;
  return settled.session;
}

/** What a proxy answers to either command is its word about the way to the relay, and names that (simplexmq#1842). */
function proxyFailure(failure: Failure, command: 'PRXY' | 'PFWD', destination: Server): Failure {
  if (failure.kind !== 'smp') return failure;
  return { kind: 'proxy', command, proxy: failure.server, relay: destination.name, error: failure.error };
}

/** What a failed forward says about the choice; undefined when nothing. */
function forwardEvent(failure: Failure): ChoiceEventKind | undefined {
  if (failure.kind === 'broker') return failure.error === 'TIMEOUT' ? 'forward-timed-out' : undefined;
  if (brokerError(failure) !== undefined)
    return isHostError(failure) ? 'forward-host-error' : 'forward-failed';
  return failure.error.startsWith('PROXY PROTOCOL') ? 'protocol-error' : undefined;
}
