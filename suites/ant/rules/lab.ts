import type { RuleName } from '../../../images/fetch-node/index.ts';

/** An event of a node of the lab. */
export interface LabEvent {
  readonly node: string;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Three holders and a requester, in containers or in a test's own process. */
export interface Lab {
  /** Keys that every holder has, the nearest to the requester first. */
  readonly keys: readonly string[];
  /** A request to a node's admin port. @throws when it is refused */
  ask(node: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>>;
  wait(ms: number): Promise<void>;
  /** Ends a node's life in order, or cuts it off where it does not end, and begins another. */
  restart(node: string): Promise<void>;
  events(): readonly LabEvent[];
}

/** One rule on the stage. */
export interface RuleCase {
  readonly rule: RuleName;
  /** Settings of the requester. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  /** @returns whether the rule was kept */
  readonly keeps: (lab: Lab) => Promise<boolean>;
}

export const REQUESTER = 'joiner-1';
export const [H1, H2, H3] = ['holder-1', 'holder-2', 'holder-3'];
export const TIMEOUT_MS = 2_000;
/** Longer than what is asked for takes to happen, shorter than a timeout. */
export const MOMENT_MS = 400;

/** Longest wait for the word of a node; shorter than what a mutant may make a fetch wait for. */
const WORD_MS = 8_000;
const LOOK_MS = 50;

type Treatment = 'normal' | 'silence' | 'not-found' | 'busy';

export interface SourceLook {
  readonly standing: string;
  readonly inFlight: number;
  readonly parked: number;
  readonly cooling: boolean;
}

export interface KeyLook {
  readonly stored: boolean;
  readonly pending: boolean;
  readonly sources: readonly string[];
  readonly hints: number;
}

/** What cases do, in their own words. Ranks are places in the lab's keys: 0 is the nearest. */
export class Stage {
  readonly lab: Lab;

  constructor(lab: Lab) {
    this.lab = lab;
  }

  /** @returns how many were refused */
  async want(ranks: readonly number[], ...sources: readonly string[]): Promise<number> {
    return Number((await this.lab.ask(REQUESTER, '/want', { keys: this.#keys(ranks), sources }))['refused']);
  }

  async treat(holder: string, ranks: readonly number[], as: Treatment, waitMs = 0): Promise<void> {
    await this.lab.ask(holder, '/treat', { keys: this.#keys(ranks), as, waitMs });
  }

  /** Keys that a holder never answers, asked for until their timeouts: it is full and counts as answering. */
  async fill(holder: string, ...ranks: readonly number[]): Promise<void> {
    await this.treat(holder, ranks, 'silence');
    await this.want(ranks, holder);
    await this.moment();
  }

  /** A holder becomes silent by one key, which goes back to verification. */
  async silence(holder: string, rank: number): Promise<void> {
    await this.fill(holder, rank);
    await this.lab.wait(TIMEOUT_MS);
  }

  async cancel(...ranks: readonly number[]): Promise<void> {
    await this.lab.ask(REQUESTER, '/cancel', { keys: this.#keys(ranks) });
  }

  async fetching(settings: { readonly concurrency?: number; readonly timeoutMs?: number }): Promise<void> {
    await this.lab.ask(REQUESTER, '/fetching', settings);
  }

  async source(name: string): Promise<SourceLook> {
    const { sources } = await this.lab.ask(REQUESTER, '/look', { sources: [name] });
    return (sources as Record<string, SourceLook>)[name] as SourceLook;
  }

  async key(rank: number): Promise<KeyLook> {
    const key = this.lab.keys[rank] as string;
    const { keys } = await this.lab.ask(REQUESTER, '/look', { keys: [key] });
    return (keys as Record<string, KeyLook>)[key] as KeyLook;
  }

  /** The requester's figures, which it tells as an event too. */
  summary(): Promise<Readonly<Record<string, unknown>>> {
    return this.lab.ask(REQUESTER, '/summary', {});
  }

  moment(): Promise<void> {
    return this.lab.wait(MOMENT_MS);
  }

  /** Waits until a fetch of this key has ended and its node's word of it has come, which on a busy host takes its time. */
  async ended(rank: number): Promise<void> {
    const hasEnded = (): boolean => this.finished().some((end) => end.startsWith(`${rank}@`));
    for (let waitedMs = 0; waitedMs < WORD_MS && !hasEnded(); waitedMs += LOOK_MS)
      await this.lab.wait(LOOK_MS);
  }

  /** Ends of fetches as `rank@holder outcome`, in their order. */
  finished(): readonly string[] {
    return this.told('fetch.finished').map(
      ({ key, source, outcome }) => `${this.lab.keys.indexOf(String(key))}@${source} ${outcome}`,
    );
  }

  told(event: string, node = REQUESTER): readonly Readonly<Record<string, unknown>>[] {
    return this.lab
      .events()
      .filter((one) => one.node === node && one.event === event)
      .map(({ fields }) => fields);
  }

  #keys(ranks: readonly number[]): readonly string[] {
    return ranks.map((rank) => this.lab.keys[rank] as string);
  }
}

/** A case told in the words of a stage. */
export function onStage(
  rule: RuleName,
  keeps: (stage: Stage) => Promise<boolean>,
  settings: RuleCase['settings'] = {},
): RuleCase {
  return { rule, settings, keeps: (lab) => keeps(new Stage(lab)) };
}
