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
      startTime: z.union([z.number(), z.string()]).optional(),
      ip: z.string().optional(),
    }),
  ),
});

export const armSchema = z.looseObject({
  nodes: z
    .array(
      z.looseObject({
        name: z.string(),
        passP50Us: z.number().optional(),
        passP99Us: z.number().optional(),
      }),
    )
    .optional(),
});
export type ArmAnswer = z.infer<typeof armSchema>;

export const applySchema = z.looseObject({
  atNs: z.number(),
  liftsAtNs: z.number().optional(),
});
export type ApplyAnswer = z.infer<typeof applySchema>;

const perNodeCounts = z.record(z.string(), counts);

export const witnessSchema = z.looseObject({
  faults: z.array(z.looseObject({ id: z.string(), state: z.string().optional(), perNode: perNodeCounts })),
  nodes: perNodeCounts.optional(),
});
export type WitnessAnswer = z.infer<typeof witnessSchema>;

export const probeSchema = z.looseObject({
  applyFirstToLastNs: z.number().optional(),
  liftFirstToLastNs: z.number().optional(),
});
export type ProbeAnswer = z.infer<typeof probeSchema>;

export const httpSchema = z.looseObject({
  status: z.number(),
  headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
  body: z.string(),
});
export type HttpAnswer = z.infer<typeof httpSchema>;

export const snapshotSchema = z.looseObject({
  faults: z.array(
    z.looseObject({ id: z.string(), state: z.string(), nodes: z.array(z.string()).optional() }),
  ),
  redirects: z.array(z.looseObject({ node: z.string() })).optional(),
});
export type SnapshotAnswer = z.infer<typeof snapshotSchema>;

/** Something the agent said unasked: `applied`, `lifted`, `namespace-gone`, `overflow` … */
export interface AgentEvent {
  readonly event: string;
  /** CLOCK_MONOTONIC of the kernel that harness and agent share. */
  readonly monoNs: number;
  readonly fields: Readonly<Record<string, unknown>>;
}
