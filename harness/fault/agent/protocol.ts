/**
 * The packet agent's protocol as this room uses it: JSON lines over the container's standard input and output.
 * Reference: `images/packet-agent/README.md`. Answers are validated loosely: unknown fields of a newer agent pass.
 */
import { z } from 'zod';

/** What the agent calls a fault; settings of the kind stand beside the common fields. */
export interface WireFault {
  readonly id: string;
  readonly kind: string;
  readonly nodes: readonly string[];
  readonly direction: 'in' | 'out' | 'both';
  readonly protocol: 'udp' | 'tcp' | 'all';
  readonly peers?: readonly string[];
  readonly ports?: readonly number[];
  readonly seed: string;
  readonly [setting: string]: unknown;
}

export interface RedirectRule {
  readonly node: string;
  readonly dstIp: string;
  readonly dstPort: number;
  readonly protocol: 'tcp';
  readonly toIp: string;
  readonly toPort: number;
}

const counts = z.record(z.string(), z.number());

export const responseSchema = z.looseObject({
  id: z.number(),
  ok: z.boolean(),
  error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
});

export const eventSchema = z.looseObject({ event: z.string(), monoNs: z.number().optional() });

export const helloSchema = z.looseObject({
  version: z.string(),
  pid: z.number().optional(),
  monoNs: z.number(),
  capabilities: z.record(z.string(), z.looseObject({ ok: z.boolean(), reason: z.string().optional() })),
});
export type AgentHello = z.infer<typeof helloSchema>;

export const enrollSchema = z.looseObject({
  nodes: z.array(
    z.looseObject({
      name: z.string(),
      startTime: z.number(),
      /** First IPv4 address in the node's namespace. */
      ip: z.string(),
      /** Tables of ours that a killed agent had left there; they are gone now. */
      sweptTables: z.array(z.string()),
    }),
  ),
});

export type EnrollAnswer = z.infer<typeof enrollSchema>;

export const armSchema = z.looseObject({
  /** What passing through the queues costs a packet, measured at each node before anything is applied. */
  nodes: z.array(z.looseObject({ name: z.string(), passP50Us: z.number(), passP99Us: z.number() })),
});
export type ArmAnswer = z.infer<typeof armSchema>;

/** Planned instants on CLOCK_MONOTONIC. */
export const applySchema = z.looseObject({ atNs: z.number(), liftsAtNs: z.number().optional() });
export type ApplyAnswer = z.infer<typeof applySchema>;

/** How each fault ended, by id; those that the agent does not know stand apart. */
export const liftSchema = z.looseObject({
  lifted: z.record(z.string(), z.looseObject({ atNs: z.number().optional(), error: z.string().optional() })),
  unknown: z.array(z.string()),
});
export type LiftAnswer = z.infer<typeof liftSchema>;

export const witnessSchema = z.looseObject({
  faults: z.array(
    z.looseObject({ id: z.string(), state: z.string(), perNode: z.record(z.string(), counts) }),
  ),
});
export type WitnessAnswer = z.infer<typeof witnessSchema>;

/** First to last node, of the first faulted packet and of the first one that passed again. */
export const probeSchema = z.looseObject({
  applyFirstToLastNs: z.number().optional(),
  liftFirstToLastNs: z.number().optional(),
});
export type ProbeAnswer = z.infer<typeof probeSchema>;

export const httpSchema = z.looseObject({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  encoding: z.enum(['utf8', 'base64']),
});
export type HttpAnswer = z.infer<typeof httpSchema>;

export const snapshotSchema = z.looseObject({
  atNs: z.number(),
  nodes: z.array(z.looseObject({ name: z.string(), running: z.boolean(), waiting: z.number() })),
  faults: z.array(
    z.looseObject({ id: z.string(), kind: z.string(), state: z.string(), nodes: z.array(z.string()) }),
  ),
  redirects: z.array(
    z.looseObject({
      node: z.string(),
      dstIp: z.string(),
      dstPort: z.number(),
      toIp: z.string(),
      toPort: z.number(),
      connections: z.number(),
    }),
  ),
});
export type SnapshotAnswer = z.infer<typeof snapshotSchema>;

/** When listening began, and what to add to an instant of CLOCK_MONOTONIC in µs for the times in the files. */
export const captureSchema = z.looseObject({ atNs: z.number(), utcMinusMonotonicUs: z.number() });
export type CaptureAnswer = z.infer<typeof captureSchema>;

/** The next bytes of the nodes' files. */
export const captureReadSchema = z.looseObject({
  pieces: z.array(z.looseObject({ node: z.string(), data: z.string() })),
  /** The capture was stopped, and nothing of it is left. */
  ended: z.boolean(),
});
export type CaptureReadAnswer = z.infer<typeof captureReadSchema>;

/** What became of the packets of each node. */
export const captureStopSchema = z.looseObject({
  atNs: z.number(),
  nodes: z.array(
    z.looseObject({
      name: z.string(),
      packets: z.number(),
      bytes: z.number(),
      kernelDropped: z.number(),
      unread: z.number(),
      overLimit: z.number(),
      error: z.string().optional(),
    }),
  ),
});
export type CaptureStopAnswer = z.infer<typeof captureStopSchema>;

/** Something the agent said unasked: `applied`, `lifted`, `namespace-gone`, `overflow` … */
export interface AgentEvent {
  readonly event: string;
  /** CLOCK_MONOTONIC of the kernel that harness and agent share. */
  readonly monoNs: number;
  readonly fields: Readonly<Record<string, unknown>>;
}
