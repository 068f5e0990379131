import type { Setting } from '../setting-types.ts';
import { FAULT_KINDS, type FaultKind } from '../types.ts';
import { NODE_KIND_REFERENCES } from './node-kinds.ts';
import { PACKET_KIND_REFERENCES } from './packet-kinds.ts';
import { STREAM_KIND_REFERENCES } from './stream-kinds.ts';

/** Who makes the fault, which decides its limits. */
export type FaultMaker = 'packet agent' | 'engine' | 'toxiproxy' | 'node';

/** All there is to know about a kind of fault: feeds validation, `squall fault --help` and docs/faults.md. */
export interface FaultReference {
  readonly kind: FaultKind;
  readonly maker: FaultMaker;
  /** What the system under test feels, in one line. */
  readonly feels: string;
  readonly settings: Readonly<Record<string, Setting>>;
  /** Link options (`from`, `to`, `direction`, `protocol`, `port`) that mean something for the kind. */
  readonly link: readonly ('to' | 'direction' | 'protocol' | 'ports')[];
  /** Keys of the witness that are summed for the default lower bound of 1. */
  readonly bite: readonly string[];
  readonly caveats: readonly string[];
  readonly example: string;
}

const ALL = [...PACKET_KIND_REFERENCES, ...STREAM_KIND_REFERENCES, ...NODE_KIND_REFERENCES];

/** Every kind of fault, in the order of the documentation. */
export const FAULT_REFERENCE: Readonly<Record<FaultKind, FaultReference>> = Object.fromEntries(
  FAULT_KINDS.map((kind) => [kind, ALL.find((reference) => reference.kind === kind)]),
) as Record<FaultKind, FaultReference>;
