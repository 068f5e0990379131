/** What every fault agrees on. A fault is a lease: its undo is registered before it is applied, and verified. */
import type { FaultRecord } from '../record/index.ts';

/** Every fault id that the command line and scenarios accept (contracts, "Names and selection"). */
export const FAULT_KINDS = [
  'hold',
  'drop',
  'loss',
  'delay',
  'duplicate',
  'reorder',
  'corrupt',
  'rate',
  'blackhole-connect',
  'blackhole-stream',
  'blackhole-after',
  'refuse',
  'reset',
  'slow',
  'slice',
  'limit',
  'throttle',
  'stand-in',
  'storm-421',
  'pause',
  'kill',
  'stop',
  'restart',
  'disk-full',
  'memory-limit',
  'cpu-quota',
  'clock-offset',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export type Direction = 'in' | 'out' | 'both';
export type Protocol = 'udp' | 'tcp' | 'all';

/** A fault as planned for one bed: names resolved, durations real (already divided by the warp). */
export interface FaultPlan {
  readonly id: string;
  readonly kind: FaultKind;
  readonly selector: string;
  readonly targets: readonly string[];
  /** Nodes at the other end, resolved from `from`/`to`; empty means everybody. */
  readonly peers: readonly string[];
  readonly direction: Direction;
  readonly protocol: Protocol;
  readonly ports: readonly number[];
  /** Absent: until lifted. */
  readonly forMs?: number;
  readonly seed: string;
  /** Settings of the kind, e.g. `{udp: 'hold', tcp: 'drop'}`, `{lossRatio: 0.3}`, `{delayMs: 100, jitterMs: 20}`. */
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  /** Lower bound the witness must show, e.g. `{heldIn: 1}`; a default per kind when absent. */
  readonly mustShow?: Readonly<Record<string, number>>;
}

export interface FaultLease {
  readonly plan: FaultPlan;
  /** Rules in, passing; nothing is disturbed yet. */
  arm(signal: AbortSignal): Promise<void>;
  /** Bites on all targets at one instant. With `forMs` it lifts itself on the applier's own clock. */
  apply(signal: AbortSignal): Promise<FaultInstants>;
  /** Resolves when the fault has lifted (by itself or by `lift`). */
  lifted(signal: AbortSignal): Promise<{ readonly liftedNs: number; readonly goneNs: number }>;
  /** Undo: idempotent, on its own time budget, verified. Registered before `apply`. */
  lift(): Promise<void>;
  /** Read back from the bed. */
  record(): Promise<FaultRecord>;
  /** A target runs again in a new network namespace: makes the fault bite there as well, for what remains of it. */
  reapply?(node: string, signal: AbortSignal): Promise<void>;
  /** Why what was measured under this fault does not count (overflow, a lost agent, a wedged server). */
  voids?(): readonly string[];
}

/** When the first target had the fault and, if it was given a length, when that is over for the last; ns of CLOCK_MONOTONIC. */
export interface FaultInstants {
  readonly appliedNs: number;
  readonly liftsAtNs?: number;
}

/** One way of making faults (the packet agent, the engine's process faults, Toxiproxy, resources). */
export interface FaultProvider {
  readonly kinds: readonly FaultKind[];
  /** Refuses at planning time what cannot work (UDP through Toxiproxy, zero targets …). @throws SquallError input */
  check(plan: FaultPlan): void;
  lease(plan: FaultPlan): FaultLease;
  /** Arms several leases of this provider in one go; one by one when absent. */
  armTogether?(leases: readonly FaultLease[], signal: AbortSignal): Promise<void>;
  /** Applies several leases of this provider at one instant, `afterMs` from now; one by one when absent. */
  applyTogether?(
    leases: readonly FaultLease[],
    timing: { readonly afterMs?: number; readonly probePps?: number },
    signal: AbortSignal,
  ): Promise<readonly FaultInstants[]>;
}
