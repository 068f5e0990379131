import { combineErrors, describeError, SquallError } from '../errors/index.ts';
import type { FaultRecord } from '../record/index.ts';
import { ActiveFault, type FaultStatus } from './active-fault.ts';
import { type ApplyTiming, applyAll, armAll } from './apply-together.ts';
import type { FaultBedPort } from './fault-bed-port.ts';
import type { FaultRequest } from './fault-request.ts';
import { dueOf, lateLift } from './late-lift.ts';
import { planFault } from './plan-fault.ts';
import { FAULT_REFERENCE } from './reference/fault-reference.ts';
import { monotonicNs, withBudget } from './time-budget.ts';
import type { RouteTable, StandingLink } from './toxiproxy/route-table.ts';
import type { FaultInstants, FaultLease, FaultPlan, FaultProvider } from './types.ts';

/** What the board tells its listeners: `fault.armed`, `fault.applied`, `fault.lifted`, `fault.problem`, `agent.lost`. */
export interface BoardEvent {
  readonly event: string;
  readonly atNs: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A fault in force. `lifted` resolves with its final record, problems included; it never rejects. */
export interface AppliedFault extends FaultInstants {
  readonly plan: FaultPlan;
  readonly lifted: Promise<FaultRecord>;
}

/** Beyond the provider's own budget for one lift. */
const LIFT_BUDGET_MS = 90_000;

/**
 * All faults of one bed. Every fault is a lease: its undo is registered before anything is done, runs last in, first out
 * on its own time budget, may be called twice, and is verified by reading the bed.
 */
export class FaultBoard {
  readonly #bed: FaultBedPort;
  readonly #providers: readonly FaultProvider[];
  readonly #listeners = new Set<(event: BoardEvent) => void>();
  /** In order of registration; the undo stack. */
  readonly #active: ActiveFault[] = [];
  /** Recorded already, but not seen to be gone: lifting them is tried again by `liftAll`. */
  readonly #stuck: ActiveFault[] = [];
  readonly #finished: FaultRecord[] = [];
  readonly #voids = new Set<string>();
  readonly #stopListening: () => void;
  #nextNumber = 1;

  readonly #routes: RouteTable;

  constructor(bed: FaultBedPort, providers: readonly FaultProvider[], routes: RouteTable) {
    this.#bed = bed;
    this.#routes = routes;
    this.#providers = providers;
    this.#stopListening = bed.agent.onLost((error) => {
      this.#voids.add(error.message);
      this.#emit('agent.lost', { reason: error.message, ...error.facts });
    });
  }

  /** Validates a request and resolves its selectors; nothing is touched. @throws SquallError `bad-fault`, `zero-targets` (input) */
  plan(request: FaultRequest): FaultPlan {
    const plan = planFault(this.#bed, request.id ?? `${request.kind}-${this.#nextNumber++}`, request);
    this.#refuseMaker(plan);
    this.#providerOf(plan).check(plan);
    return plan;
  }

  /**
   * Puts faults in force, all of them at one instant: `afterMs` from now on the agent's clock, or at `atNs` of
   * CLOCK_MONOTONIC (at once when arming took longer than that left). Either all are in force afterwards or none: what
   * was done is undone before the error is thrown.
   */
  async apply(
    plans: readonly FaultPlan[],
    signal: AbortSignal,
    timing: ApplyTiming = {},
  ): Promise<readonly AppliedFault[]> {
    this.#refuseClashes(plans);
    const faults = plans.map((plan) => {
      const provider = this.#providerOf(plan);
      provider.check(plan);
      return new ActiveFault(provider.lease(plan), provider);
    });
    this.#active.push(...faults);
    try {
      await this.#together(faults, (provider, leases) => armAll(provider, leases, signal));
      for (const fault of faults) this.#emit('fault.armed', { id: fault.plan.id });
      await this.#together(faults, async (provider, leases) => {
        const instants = await applyAll(provider, leases, timing, signal);
        leases.forEach((lease, index) => {
          faults.find((fault) => fault.lease === lease)?.applied(instants[index] as FaultInstants);
        });
      });
    } catch (error) {
      const left = await this.#liftInReverse(faults);
      throw combineErrors('faults: not applied, and not all of what was done could be undone', [
        error,
        ...left,
      ]);
    }
    return faults.map((fault) => this.#watch(fault));
  }

  /**
   * Lifts one fault.
   * @param dueNs when that was to be, CLOCK_MONOTONIC: a fault that outlasts it voids the trial, as one does that outlasts its length
   * @throws SquallError `no-such-fault` (input), or why it could not be lifted
   */
  async lift(id: string, dueNs?: number): Promise<FaultRecord> {
    const fault = [...this.#active, ...this.#stuck].find((active) => active.plan.id === id);
    if (!fault) {
      const known = this.#finished.find((record) => record.id === id);
      if (known) return known;
      const inForce = this.#active.map((active) => active.plan.id).join(', ') || 'none';
      throw new SquallError(`fault ${id}: not in force; in force: ${inForce}`, {
        code: 'no-such-fault',
        blame: 'input',
      });
    }
    const errors = await this.#liftInReverse([fault], dueNs);
    if (errors.length > 0) throw errors[0];
    return this.#finish(fault);
  }

  /**
   * Lifts everything, last in, first out; every undo is tried, and one error carries them all.
   * @param dueNs as of `lift`, for the first; each of the others is due when its turn comes
   */
  async liftAll(dueNs?: number): Promise<void> {
    const errors = await this.#liftInReverse([...this.#stuck, ...this.#active], dueNs);
    const error = combineErrors(`faults of bed ${this.#bed.bedId}: not all could be lifted`, errors);
    if (error !== undefined) throw error;
  }

  /** Faults in force, with the counts of this moment. */
  list(): Promise<readonly FaultStatus[]> {
    return Promise.all([...this.#stuck, ...this.#active].map((fault) => fault.status()));
  }

  /** Records of every fault since the last `takeRecords`, those in force included. */
  async records(): Promise<readonly FaultRecord[]> {
    const active = await Promise.all(this.#active.map((fault) => fault.lease.record()));
    return [...this.#finished, ...active];
  }

  /** Records and reasons to void of the trial that ends here; the board then starts afresh. */
  async takeRecords(): Promise<{
    readonly records: readonly FaultRecord[];
    readonly voids: readonly string[];
  }> {
    const taken = { records: await this.records(), voids: this.voids() };
    this.#finished.length = 0;
    this.#voids.clear();
    // Ids of the next trial are those that it would have on a fresh bed.
    if (this.#active.length === 0) this.#nextNumber = 1;
    if (this.#bed.agent.lost) this.#voids.add(this.#bed.agent.lost.message);
    return taken;
  }

  /** Why the present trial does not count, if it does not: fixed measures of agent and Toxiproxy, never the outcome. */
  voids(): readonly string[] {
    for (const fault of this.#active)
      for (const reason of fault.lease.voids?.() ?? []) this.#voids.add(reason);
    return [...this.#voids];
  }

  onEvent(listener: (event: BoardEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Leads links through Toxiproxy for the life of the bed, so that faults meet connections that live already. */
  openLinks(links: readonly StandingLink[], signal?: AbortSignal): Promise<void> {
    return this.#routes.openStanding(links, signal);
  }

  /** A node runs again in a new network namespace: faults in force on it are applied there as well. */
  async nodeRestarted(name: string, signal: AbortSignal): Promise<void> {
    await this.#routes.restore(name, signal);
    for (const fault of this.#active) await fault.lease.reapply?.(name, signal);
  }

  /** Lets go of the agent's events; lifts nothing. */
  close(): void {
    this.#stopListening();
    this.#listeners.clear();
  }

  #providerOf(plan: FaultPlan): FaultProvider {
    const provider = this.#providers.find(({ kinds }) => kinds.includes(plan.kind));
    if (provider) return provider;
    throw new SquallError(`fault ${plan.kind}: nothing on this bed can make it`, {
      code: 'fault-unavailable',
      blame: 'input',
    });
  }

  #refuseClashes(plans: readonly FaultPlan[]): void {
    if (plans.length === 0) {
      throw new SquallError('faults: none given; expected at least one', {
        code: 'bad-fault',
        blame: 'input',
      });
    }
    const taken = new Set(this.#active.map((fault) => fault.plan.id));
    for (const { id } of plans) {
      if (taken.has(id)) {
        throw new SquallError(`fault ${id}: the id is in use; expected a new one`, {
          code: 'bad-fault',
          blame: 'input',
        });
      }
      taken.add(id);
    }
  }

  #refuseMaker({ kind }: FaultPlan): void {
    const { makers, bedId } = this.#bed;
    const { maker } = FAULT_REFERENCE[kind];
    if (!makers || makers.includes(maker)) return;
    const able = Object.values(FAULT_REFERENCE).filter((one) => makers.includes(one.maker));
    throw new SquallError(
      `fault ${kind}: is made by the ${maker}, and bed ${bedId} takes those of the ${makers.join(' and the ')} only`,
      {
        code: 'bad-fault',
        blame: 'input',
        hint: `It can have: ${able.map((one) => one.kind).join(', ')}.`,
      },
    );
  }

  async #together(
    faults: readonly ActiveFault[],
    work: (provider: FaultProvider, leases: readonly FaultLease[]) => Promise<void>,
  ): Promise<void> {
    const providers = [...new Set(faults.map((fault) => fault.provider))];
    const results = await Promise.allSettled(
      providers.map((provider) =>
        work(
          provider,
          faults.filter((fault) => fault.provider === provider).map((fault) => fault.lease),
        ),
      ),
    );
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    if (errors.length > 0) throw combineErrors('faults: not applied', errors);
  }

  #watch(fault: ActiveFault): AppliedFault {
    const instants = fault.instants as FaultInstants;
    this.#emit(
      'fault.applied',
      {
        id: fault.plan.id,
        kind: fault.plan.kind,
        targets: fault.plan.targets,
        ...(fault.plan.peers.length > 0 && { peers: fault.plan.peers }),
        ...(fault.plan.forMs !== undefined && { forMs: fault.plan.forMs }),
      },
      instants.appliedNs,
    );
    const lifted = fault.lease.lifted(fault.watchSignal).then(
      () => this.#finish(fault),
      (error: unknown) => {
        if (!fault.watchSignal.aborted) fault.problem(describeError(error));
        return this.#finish(fault);
      },
    );
    return { plan: fault.plan, ...instants, lifted };
  }

  async #liftInReverse(faults: readonly ActiveFault[], dueNs?: number): Promise<readonly unknown[]> {
    const errors: unknown[] = [];
    for (const [turn, fault] of [...faults].reverse().entries()) {
      if (dueNs !== undefined) fault.liftDueNs ??= turn === 0 ? dueNs : monotonicNs();
      try {
        await this.#liftOne(fault);
        const at = this.#stuck.indexOf(fault);
        if (at >= 0) this.#stuck.splice(at, 1);
      } catch (error) {
        errors.push(error);
      }
      await this.#finish(fault);
    }
    return errors;
  }

  async #liftOne(fault: ActiveFault): Promise<void> {
    try {
      await withBudget(`fault ${fault.plan.id}: lift`, LIFT_BUDGET_MS, () => fault.lease.lift());
    } catch (error) {
      fault.problem(describeError(error));
      this.#emit('fault.problem', { id: fault.plan.id, problem: describeError(error) });
      throw error;
    }
  }

  /** Once a fault: its final record, taken off the list of what is in force only when it is gone. */
  #finish(fault: ActiveFault): Promise<FaultRecord> {
    fault.finishing ??= fault.finalRecord().then((final) => {
      const dueNs = dueOf(fault.instants, fault.liftDueNs);
      const record = { ...final, ...(dueNs !== undefined && { dueNs }) };
      const late = lateLift(fault.plan, fault.instants, record);
      for (const reason of [...(fault.lease.voids?.() ?? []), ...(late ? [late] : [])])
        this.#voids.add(reason);
      const at = this.#active.indexOf(fault);
      if (at >= 0) this.#active.splice(at, 1);
      if (!record.gone) this.#stuck.push(fault);
      this.#finished.push(record);
      fault.stopWatching();
      const { id, bit, gone, problems, witness } = record;
      this.#emit('fault.lifted', { id, bit, gone, problems, counts: witness?.counts ?? {} }, record.liftedNs);
      return record;
    });
    return fault.finishing;
  }

  #emit(event: string, fields: Readonly<Record<string, unknown>>, atNs = monotonicNs()): void {
    for (const listener of [...this.#listeners]) listener({ event, atNs, fields });
  }
}
