import type { Clock, Timer } from '../../harness/clock/index.ts';
import {
  type ClientFailure,
  connectSmp,
  failureText,
  formatServerAddress,
  type ServerAddress,
  SmpClientError,
  type SmpConnection,
  TOO_LATE,
  withinOrLate,
} from '../smp-kit/index.ts';
import type { Emit, ServerRules } from './server-options.ts';

/** A connection, or why there is none. */
export type RelayOutcome = SmpConnection | ClientFailure;

/** The place of one relay. Whoever comes while it is empty waits for it to be filled. */
interface Place {
  readonly relay: string;
  readonly filled: Promise<RelayOutcome>;
  readonly fill: (outcome: RelayOutcome) => void;
  outcome: RelayOutcome | undefined;
  /** On the clock: until when a failure is everybody's answer, and what ends that. */
  failedUntilMs: number | undefined;
  expiry: Timer | undefined;
}

/**
 * A proxy's connections to relays: one a relay, shared by all clients, made when the first client asks and made again, after
 * it has ended or a failure has expired, when the next one does. Nothing reconnects by itself.
 */
export class RelayConnections {
  readonly #rules: ServerRules;
  readonly #clock: Clock;
  readonly #emit: Emit;
  readonly #localAddress: string | undefined;
  readonly #places = new Map<string, Place>();
  readonly #sessions = new Map<string, SmpConnection>();

  constructor(rules: ServerRules, clock: Clock, emit: Emit, localAddress?: string) {
    this.#rules = rules;
    this.#clock = clock;
    this.#emit = emit;
    this.#localAddress = localAddress;
  }

  /** What is there without waiting. @returns undefined when somebody has to connect, or to wait for who does */
  present(address: ServerAddress): RelayOutcome | undefined {
    return this.#places.get(formatServerAddress(address))?.outcome;
  }

  ofSession(sessionId: Uint8Array): SmpConnection | undefined {
    return this.#sessions.get(keyOf(sessionId));
  }

  /**
   * The connection to a relay. Who finds the place empty waits for it as long as a connect may take, then has a timeout.
   * @param signal of the client who asks; rejects with its reason
   */
  async reach(address: ServerAddress, signal: AbortSignal): Promise<RelayOutcome> {
    const key = formatServerAddress(address);
    const there = this.#places.get(key);
    if (there) return await this.#await(there, signal);
    const relay = `${address.hosts[0]}:${address.port}`;
    if (!this.#hasRoom()) {
      const failure: ClientFailure = { kind: 'network', detail: 'no room for another relay' };
      this.#emit('relay.failed', { relay, error: failureText(failure), cached: false });
      return failure;
    }
    const place = newPlace(relay);
    this.#places.set(key, place);
    try {
      const outcome = await this.#connect(key, place, address, signal);
      place.outcome = outcome;
      place.fill(outcome);
      return outcome;
    } catch (error) {
      // The client left. Who waits on this place already has its timeout; who comes later finds none and connects.
      const isCleared = this.#rules.clearAbandonedConnect || !signal.aborted;
      if (isCleared) this.#remove(key, place);
      this.#emit('relay.abandoned', { relay: place.relay, isCleared });
      throw error;
    }
  }

  state(): readonly Readonly<Record<string, unknown>>[] {
    return [...this.#places.values()].slice(0, 100).map(({ relay, outcome, failedUntilMs }) => {
      if (!outcome) return { relay, status: 'connecting' };
      if ('kind' in outcome) return { relay, status: 'failed', error: failureText(outcome), failedUntilMs };
      const { timeoutsInRow, pendingCount } = outcome;
      return { relay, status: 'connected', pendingCount, timeoutsInRow };
    });
  }

  close(): void {
    for (const { expiry } of this.#places.values()) expiry?.cancel();
    for (const connection of this.#sessions.values()) connection.close('the server ends');
  }

  async #await(place: Place, signal: AbortSignal): Promise<RelayOutcome> {
    if (place.outcome) return place.outcome;
    const limits = { clock: this.#clock, timeoutMs: this.#rules.relayConnectTimeoutMs, signal };
    const outcome = await withinOrLate(limits, place.filled);
    return outcome === TOO_LATE ? { kind: 'timeout' } : outcome;
  }

  async #connect(
    key: string,
    place: Place,
    address: ServerAddress,
    signal: AbortSignal,
  ): Promise<RelayOutcome> {
    const { relay } = place;
    const { relayConnectTimeoutMs, pingIntervalMs, pingCount, silenceMs, relayCommandTimeoutMs } =
      this.#rules;
    const beganMs = this.#clock.nowMs();
    this.#emit('relay.connecting', { relay });
    try {
      const connection = await connectSmp({
        address,
        clock: this.#clock,
        timeoutMs: relayConnectTimeoutMs,
        signal,
        asProxy: true,
        keepAlive: {
          pingIntervalMs,
          pingCount,
          silenceMs,
          pingTimeoutMs: relayCommandTimeoutMs,
          // A proxy is subscribed to nothing.
          pings: () => false,
        },
        ...(this.#localAddress === undefined ? {} : { localAddress: this.#localAddress }),
      });
      this.#sessions.set(keyOf(connection.facts.session.sessionId), connection);
      void connection.closed.then((reason) => this.#closed(key, place, connection, reason));
      this.#emit('relay.connected', { relay, tookMs: this.#clock.nowMs() - beganMs });
      return connection;
    } catch (error) {
      if (!(error instanceof SmpClientError)) throw error;
      this.#failed(key, place, error.failure);
      return error.failure;
    }
  }

  #failed(key: string, place: Place, failure: ClientFailure): void {
    const { persistErrorIntervalMs } = this.#rules;
    this.#emit('relay.failed', { relay: place.relay, error: failureText(failure), cached: false });
    if (persistErrorIntervalMs === 0) {
      this.#remove(key, place);
      return;
    }
    place.failedUntilMs = this.#clock.nowMs() + persistErrorIntervalMs;
    place.expiry = this.#clock.after(persistErrorIntervalMs, () => this.#remove(key, place));
  }

  #closed(key: string, place: Place, connection: SmpConnection, reason: string): void {
    this.#sessions.delete(keyOf(connection.facts.session.sessionId));
    this.#remove(key, place);
    this.#emit('relay.closed', { relay: place.relay, reason });
  }

  /** Takes the place away, when it is still that one. */
  #remove(key: string, place: Place): void {
    if (this.#places.get(key) === place) this.#places.delete(key);
  }

  /** Whether another relay may have a place; the oldest failure gives its own up for it, a connection does not. */
  #hasRoom(): boolean {
    if (this.#places.size < this.#rules.relaysMax) return true;
    for (const [key, { outcome, expiry }] of this.#places) {
      if (outcome && 'kind' in outcome) {
        expiry?.cancel();
        return this.#places.delete(key);
      }
    }
    return false;
  }
}

function newPlace(relay: string): Place {
  let fill: Place['fill'] = () => undefined;
  const filled = new Promise<RelayOutcome>((resolve) => {
    fill = resolve;
  });
  return { relay, filled, fill, outcome: undefined, failedUntilMs: undefined, expiry: undefined };
}

function keyOf(sessionId: Uint8Array): string {
  return Buffer.from(sessionId).toString('latin1');
}
