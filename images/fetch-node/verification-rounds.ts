import type { Clock } from '../../harness/clock/index.ts';
import type { ChunkKey } from './chunk-key.ts';
import type { CloseGroups } from './close-groups.ts';
import { type Answer, askWithin, type PeerLink } from './peer-link.ts';
import type { PendingKey, PendingVerification } from './pending-verification.ts';

export interface RoundLimits {
  readonly closeGroupSize: number;
  readonly quorum: number;
  readonly paidListGroupSize: number;
  readonly timeoutMs: number;
  /** Keys of one round. */
  readonly batch: number;
}

export interface RoundPorts {
  readonly clock: Clock;
  readonly ownName: string;
  readonly network: CloseGroups;
  linkTo(name: string): PeerLink | undefined;
  /** A quorum confirmed a key: at these sources, in order of preference. @returns whether there was room for it */
  onVerified(key: ChunkKey, sources: readonly string[]): boolean;
}

interface Opinions {
  readonly present: Set<string>;
  readonly paid: Set<string>;
}

/**
 * Asks the nodes around a key, and those that advertised it, whether they have it. Confirmed: a quorum of its close group
 * has it, or a majority of its paid-list group knows it as paid for. All that have it are its sources: the close group by
 * distance, then the others.
 */
export class VerificationRounds {
  readonly counts = { rounds: 0, verified: 0, unverified: 0 };
  readonly #limits: RoundLimits;
  readonly #ports: RoundPorts;
  readonly #pending: PendingVerification;

  constructor(limits: RoundLimits, ports: RoundPorts, pending: PendingVerification) {
    this.#limits = limits;
    this.#ports = ports;
    this.#pending = pending;
  }

  /** Begins a round for what is due; resolves when it is over. */
  async run(): Promise<void> {
    const due = this.#pending.takeDue(this.#limits.batch);
    if (due.length === 0) return;
    this.counts.rounds += 1;
    const groups = due.map((pending) => ({ pending, group: this.#groupOf(pending.key) }));
    const lists = new Map<string, ChunkKey[]>();
    for (const { pending, group } of groups)
      for (const name of new Set([...group, ...pending.hints])) {
        if (name === this.#ports.ownName) continue;
        const keys = lists.get(name);
        if (keys) keys.push(pending.key);
        else lists.set(name, [pending.key]);
      }
    const opinions = new Map<ChunkKey, Opinions>(
      due.map(({ key }) => [key, { present: new Set(), paid: new Set() }]),
    );
    await Promise.all([...lists].map(([name, keys]) => this.#ask(name, keys, opinions)));
    for (const { pending, group } of groups)
      this.#decide(pending, group, opinions.get(pending.key) as Opinions);
  }

  #groupOf(key: ChunkKey): readonly string[] {
    const { network, ownName } = this.#ports;
    const { closeGroupSize, paidListGroupSize } = this.#limits;
    const size = Math.max(closeGroupSize, paidListGroupSize);
    return network.nearest(key, size + 1).filter((name) => name !== ownName);
  }

  async #ask(
    name: string,
    keys: readonly ChunkKey[],
    opinions: ReadonlyMap<ChunkKey, Opinions>,
  ): Promise<void> {
    const link = this.#ports.linkTo(name);
    if (!link) return;
    const { clock } = this.#ports;
    const { timeoutMs } = this.#limits;
    const answer: Answer | undefined = await askWithin(link, { kind: 'verify', keys }, { clock, timeoutMs });
    if (answer?.kind !== 'verified') return;
    for (const place of answer.present) opinions.get(keys[place] ?? '')?.present.add(name);
    for (const place of answer.paid) opinions.get(keys[place] ?? '')?.paid.add(name);
  }

  #decide({ key, hints }: PendingKey, group: readonly string[], { present, paid }: Opinions): void {
    const { closeGroupSize, quorum, paidListGroupSize } = this.#limits;
    const close = group.slice(0, closeGroupSize);
    const listed = group.slice(0, paidListGroupSize);
    const needed = Math.min(quorum, Math.floor(close.length / 2) + 1);
    const confirmed =
      close.filter((name) => present.has(name)).length >= needed ||
      listed.filter((name) => paid.has(name)).length > listed.length / 2;
    const sources = [...new Set([...group, ...hints])].filter((name) => present.has(name));
    if (confirmed && sources.length > 0 && this.#ports.onVerified(key, sources)) this.counts.verified += 1;
    else {
      this.counts.unverified += 1;
      this.#pending.unverified(key);
    }
  }
}
