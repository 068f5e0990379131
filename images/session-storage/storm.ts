import type { Clock, Timer } from '../../harness/clock/index.ts';
import { type SeededStream, stream } from '../../harness/random/index.ts';
import type { Account, AnswerFacts } from '../session-kit/index.ts';
import type { NetworkView } from './network-view.ts';
import type { RpcAnswer } from './rpc-answer.ts';
import { stormBody } from './storm-redirect.ts';
import type { StormPlace, StormSpec } from './storm-spec.ts';

export interface StormOptions {
  readonly clock: Clock;
  readonly view: NetworkView;
  readonly own: string;
  readonly ownEcho: boolean;
  readonly facts: () => AnswerFacts;
  /** It began, or is over: by itself, or because somebody said so. */
  readonly onChange: (spec: StormSpec | undefined) => void;
}

export interface StormyRequest {
  readonly place: StormPlace;
  readonly method: string;
  readonly account: Account | undefined;
  readonly connection: number;
}

/** Answers requests as a node does that no longer has an account, or lies about it. */
export class Storm {
  readonly #options: StormOptions;
  #spec: StormSpec | undefined;
  #chance: SeededStream = stream('', 'storm');
  #end: Timer | undefined;
  /** Connections that a sticky storm has drawn for, and what its answers are. */
  readonly #drawn = new Map<number, StormSpec | undefined>();
  #answered = 0;

  constructor(options: StormOptions) {
    this.#options = options;
  }

  get on(): boolean {
    return this.#spec !== undefined;
  }

  get spec(): StormSpec | undefined {
    return this.#spec;
  }

  /** Requests answered so since the start. */
  get answered(): number {
    return this.#answered;
  }

  /** Connections on which a storm that is over goes on. */
  get stuck(): number {
    return [...this.#drawn.values()].filter((spec) => spec && spec !== this.#spec).length;
  }

  begin(spec: StormSpec): void {
    this.#end?.cancel();
    this.#spec = spec;
    this.#chance = stream(spec.seed, `storm/${this.#options.own}`);
    this.#end =
      spec.forMs === undefined ? undefined : this.#options.clock.after(spec.forMs, () => this.end());
    this.#options.onChange(spec);
  }

  end(): void {
    this.#end?.cancel();
    if (!this.#spec) return;
    this.#spec = undefined;
    for (const [connection, spec] of this.#drawn) if (!spec) this.#drawn.delete(connection);
    this.#options.onChange(undefined);
  }

  /** A fresh connection is drawn for anew. */
  forget(connection: number): void {
    this.#drawn.delete(connection);
  }

  /** @returns the stormy answer, or undefined where the node is to answer as it would */
  answer(request: StormyRequest): RpcAnswer | undefined {
    const spec = this.#specFor(request.connection);
    if (!spec || !isMeant(spec, request)) return undefined;
    if (!spec.sticky && this.#chance.next() >= spec.ratio) return undefined;
    this.#answered += 1;
    const { view, own, ownEcho, facts } = this.#options;
    const body = stormBody({
      spec,
      view,
      own,
      ownEcho,
      facts: facts(),
      account: request.account,
      chance: this.#chance,
    });
    return { status: spec.status, body };
  }

  #specFor(connection: number): StormSpec | undefined {
    if (this.#drawn.has(connection)) return this.#drawn.get(connection);
    const spec = this.#spec;
    if (!spec?.sticky) return spec;
    const drawn = this.#chance.next() < spec.ratio ? spec : undefined;
    this.#drawn.set(connection, drawn);
    return drawn;
  }
}

function isMeant(spec: StormSpec, { place, method, account }: StormyRequest): boolean {
  return (
    (account !== undefined || place === 'relay' || spec.unnamed) &&
    spec.at.includes(place) &&
    (spec.methods.length === 0 || spec.methods.includes(method)) &&
    (spec.accounts.length === 0 || (account !== undefined && spec.accounts.includes(account.id)))
  );
}
