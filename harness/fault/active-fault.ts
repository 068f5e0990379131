import { describeError } from '../errors/index.ts';
import type { FaultRecord } from '../record/index.ts';
import { monotonicNs } from './time-budget.ts';
import type { FaultInstants, FaultLease, FaultPlan, FaultProvider } from './types.ts';

/** A fault in force as `squall faults` shows it. */
export interface FaultStatus {
  readonly id: string;
  readonly kind: string;
  readonly selector: string;
  readonly targets: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly state: 'arming' | 'in force';
  readonly forMs?: number;
  /** Time until it lifts by itself. */
  readonly leftMs?: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly perNode: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly problems: readonly string[];
}

/** A lease on the board: what the board knows about it besides the lease itself. */
export class ActiveFault {
  readonly lease: FaultLease;
  readonly provider: FaultProvider;
  readonly #watching = new AbortController();
  readonly #problems: string[] = [];
  instants: FaultInstants | undefined;
  /** When the step that lifts it was due, CLOCK_MONOTONIC. */
  liftDueNs: number | undefined;
  finishing: Promise<FaultRecord> | undefined;

  constructor(lease: FaultLease, provider: FaultProvider) {
    this.lease = lease;
    this.provider = provider;
  }

  get plan(): FaultPlan {
    return this.lease.plan;
  }

  get watchSignal(): AbortSignal {
    return this.#watching.signal;
  }

  stopWatching(): void {
    this.#watching.abort();
  }

  applied(instants: FaultInstants): void {
    this.instants = instants;
  }

  problem(sentence: string): void {
    if (!this.#problems.includes(sentence)) this.#problems.push(sentence);
  }

  async status(): Promise<FaultStatus> {
    const { id, kind, selector, targets, forMs } = this.plan;
    const record = await this.lease.record();
    const liftsAtNs = this.instants?.liftsAtNs;
    return {
      id,
      kind,
      selector,
      targets,
      settings: record.settings,
      state: this.instants ? 'in force' : 'arming',
      ...(forMs === undefined ? {} : { forMs }),
      ...(liftsAtNs === undefined ? {} : { leftMs: Math.max(0, (liftsAtNs - monotonicNs()) / 1e6) }),
      counts: record.witness?.counts ?? {},
      perNode: record.witness?.perNode ?? {},
      problems: this.#problems,
    };
  }

  /** The lease's record with the board's own problems; a record that cannot be read is a record that says so. */
  async finalRecord(): Promise<FaultRecord> {
    try {
      const record = await this.lease.record();
      const gone = record.gone && this.#problems.length === 0;
      return { ...record, gone, problems: [...record.problems, ...this.#problems] };
    } catch (error) {
      const { id, kind, targets, selector, settings } = this.plan;
      const problems = [...this.#problems, `no record: ${describeError(error)}`];
      return { id, kind, targets, selector, settings, bit: false, gone: false, problems };
    }
  }
}
