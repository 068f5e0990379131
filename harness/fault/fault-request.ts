import type { Direction, FaultKind, Protocol } from './types.ts';

/** A fault as a scenario or a person asks for it: selectors, unwarped durations, settings as text or values. */
export interface FaultRequest {
  readonly kind: FaultKind;
  /** Unique on the bed; made from the kind when absent. */
  readonly id?: string;
  /** Nodes that feel it. `from` is the same thing for link faults, with `to` as the other end. */
  readonly on?: string;
  readonly from?: string;
  readonly to?: string;
  /** As seen from the nodes in `on` or `from`. */
  readonly direction?: Direction;
  readonly protocol?: Protocol;
  readonly ports?: readonly number[];
  /** Absent: until lifted. */
  readonly forMs?: number;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly mustShow?: Readonly<Record<string, number>>;
  readonly seed: string;
  /** Divides `forMs` and every duration among the settings, and multiplies every rate. */
  readonly warp?: number;
}
