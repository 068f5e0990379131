import { type ChoiceEvent, type GuardedSite, SITE_OF } from './choice-event.ts';
import type { ChoiceRules } from './choice-rules.ts';
import { type FailureStreak, nextFailure } from './failure-streak.ts';

export type ForgetReason = 'connect' | 'streak' | 'prxy' | 'disconnect';

export interface Pick {
  readonly proxy: string;
  /** How many it was drawn from. */
  readonly of: number;
}

/** Draws a proxy for a destination, without `leftOut` where another can be had; throws when there is none at all. */
export type DrawProxy = (destination: string, leftOut: string | undefined) => Pick;

interface Entry {
  readonly proxy: string;
  readonly streak?: FailureStreak;
}

/** What the choices tell; `by` is the proxy whose result it was, which with a guard off may be another than `proxy`. */
export type TellChoice = (event: string, fields: Readonly<Record<string, unknown>>) => void;

/**
 * One remembered proxy for each destination, with its failure streak beside it. Lives in memory only, as the real
 * agent's does: a restart forgets both.
 */
export class ProxyChoices {
  readonly #rules: ChoiceRules;
  readonly #nowMs: () => number;
  readonly #draw: DrawProxy;
  readonly #tell: TellChoice;
  readonly #entries = new Map<string, Entry>();
  /** The proxy that each destination had before, for the events. */
  readonly #previous = new Map<string, string>();
  /** What the next pick leaves out. */
  readonly #failed = new Map<string, string>();

  constructor(rules: ChoiceRules, nowMs: () => number, draw: DrawProxy, tell: TellChoice) {
    this.#rules = rules;
    this.#nowMs = nowMs;
    this.#draw = draw;
    this.#tell = tell;
  }

  /** The remembered proxy, or a new pick that is remembered from now on. */
  choose(destination: string): string {
    const entry = this.#entries.get(destination);
    if (entry) return entry.proxy;
    const leftOut = this.#rules.excludeFailed ? this.#failed.get(destination) : undefined;
    const { proxy, of } = this.#draw(destination, leftOut);
    this.#failed.delete(destination);
    this.#remember(destination, proxy, { of });
    return proxy;
  }

  /**
   * The proxy for the one more try that a lost session is answered with. A choice that stands wins; without one it is
   * the proxy that said NO_SESSION, which the fix does not record.
   */
  chooseAgain(destination: string, sameProxy: string): string {
    const entry = this.#entries.get(destination);
    if (entry) return entry.proxy;
    if (!this.#rules.retryRecordsNoChoice) this.#remember(destination, sameProxy, { of: 1, retry: true });
    return sameProxy;
  }

  chosen(destination: string): string | undefined {
    return this.#entries.get(destination)?.proxy;
  }

  apply(event: ChoiceEvent): void {
    const { kind, destination, proxy } = event;
    const rules = this.#rules;
    const entry = this.#entries.get(destination);
    if (!entry) return;
    switch (kind) {
      case 'connect-failed':
        if (rules.forgetOnConnectFailure) this.#guarded(event, entry, () => this.#forget(event, 'connect'));
        return;
      case 'waiter-timed-out':
        if (rules.forgetOnConnectFailure && !rules.ignoreWaiterTimeout)
          this.#guarded(event, entry, () => this.#forget(event, 'connect'));
        return;
      case 'prxy-failed':
        this.#guarded(event, entry, () => this.#forget(event, 'prxy'));
        return;
      case 'prxy-host-error':
        if (!rules.keepOnHostError) this.#guarded(event, entry, () => this.#forget(event, 'prxy'));
        return;
      case 'forward-failed':
        this.#guarded(event, entry, () => this.#fail(event, entry));
        return;
      case 'forward-host-error':
        if (!rules.keepOnHostError) this.#guarded(event, entry, () => this.#fail(event, entry));
        return;
      case 'forward-timed-out':
        if (rules.countClientTimeouts) this.#guarded(event, entry, () => this.#fail(event, entry));
        return;
      case 'forward-succeeded':
        if (rules.clearOnSuccess) this.#guarded(event, entry, () => this.#clear(event, entry, 'success'));
        return;
      case 'relay-error':
        if (rules.clearOnRelayError)
          this.#guarded(event, entry, () => this.#clear(event, entry, 'relay-error'));
        return;
      case 'protocol-error':
        if (rules.clearOnProtocolError)
          this.#guarded(event, entry, () => this.#clear(event, entry, 'protocol-error'));
        return;
      case 'disconnected':
        this.#guarded(event, entry, () => this.#forget(event, 'disconnect'));
        return;
      default:
        throw new Error(`proxy choice: event "${kind satisfies never}" is not known; proxy ${proxy}`);
    }
  }

  /** For `/state`. */
  all(): Readonly<Record<string, { readonly proxy: string; readonly streakSinceMs: number | null }>> {
    return Object.fromEntries(
      [...this.#entries].map(([destination, { proxy, streak }]) => [
        destination,
        { proxy, streakSinceMs: streak?.sinceMs ?? null },
      ]),
    );
  }

  #remember(destination: string, proxy: string, facts: Readonly<Record<string, unknown>>): void {
    this.#entries.set(destination, { proxy });
    const previous = this.#previous.get(destination) ?? null;
    this.#tell('proxy.chosen', { destination, proxy, previous, ...facts });
  }

  /** Runs the update when the entry still names the event's proxy, or the site's guard is off. */
  #guarded({ kind, destination, proxy }: ChoiceEvent, entry: Entry, update: () => void): void {
    const site = SITE_OF[kind];
    if (entry.proxy !== proxy && this.#guards(site)) {
      this.#tell('late.ignored', { destination, proxy, chosen: entry.proxy, site });
      return;
    }
    update();
  }

  #guards(site: GuardedSite): boolean {
    const { guardFailure, guardSuccess, guardDisconnect, guardPrxy } = this.#rules;
    return { failure: guardFailure, success: guardSuccess, disconnect: guardDisconnect, prxy: guardPrxy }[
      site
    ];
  }

  /** Without the rule nothing is counted: that is the old agent, and the mutant that the document tried. */
  #fail(event: ChoiceEvent, entry: Entry): void {
    if (!this.#rules.forgetOnStreak) return;
    const { proxyFailureIntervalMs, streakExpiryMs } = this.#rules;
    const step = nextFailure(entry.streak, this.#nowMs(), {
      intervalMs: proxyFailureIntervalMs,
      expiryMs: streakExpiryMs,
    });
    if (step.does === 'forget') {
      this.#forget(event, 'streak', step.ageMs);
      return;
    }
    this.#entries.set(event.destination, { proxy: entry.proxy, streak: step.streak });
    this.#tell(step.does === 'start' ? 'streak.started' : 'streak.kept', {
      destination: event.destination,
      proxy: entry.proxy,
      by: event.proxy,
      ageMs: step.ageMs,
      reason: event.kind,
    });
  }

  #clear({ destination, proxy: by }: ChoiceEvent, entry: Entry, reason: string): void {
    const { proxy, streak } = entry;
    if (!streak) return;
    this.#entries.set(destination, { proxy });
    this.#tell('streak.cleared', { destination, proxy, by, ageMs: this.#nowMs() - streak.sinceMs, reason });
  }

  #forget({ destination, proxy: by }: ChoiceEvent, reason: ForgetReason, ageMs?: number): void {
    const proxy = this.#entries.get(destination)?.proxy;
    if (proxy === undefined) return;
    this.#entries.delete(destination);
    // A proxy whose connection was merely lost has failed nobody: it is only a failure that the next pick may leave out.
    if (reason !== 'disconnect') this.#failed.set(destination, proxy);
    this.#previous.set(destination, proxy);
    this.#tell('proxy.forgotten', {
      destination,
      proxy,
      by,
      reason,
      ...(ageMs === undefined ? {} : { ageMs }),
    });
  }
}
