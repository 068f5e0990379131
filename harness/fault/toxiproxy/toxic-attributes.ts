import type { FaultPlan } from '../types.ts';

/** A toxic as the server takes it. */
export interface ToxicBody {
  readonly name: string;
  readonly type: string;
  readonly stream: 'upstream' | 'downstream';
  readonly toxicity: number;
  readonly attributes: Readonly<Record<string, number>>;
}

/** Toxiproxy counts bandwidth in KB/s, which are 1,000 bytes. */
const BYTES_PER_KB = 1_000;

/** Type and attributes of a kind, in Toxiproxy's units: whole ms, µs, bytes and KB/s. This is the only place that knows them. */
function toxicOf({
  kind,
  settings,
}: FaultPlan): { type: string; attributes: Record<string, number> } | undefined {
  const whole = (name: string) => Math.round(Number(settings[name]));
  switch (kind) {
    case 'blackhole-stream':
      return { type: 'timeout', attributes: { timeout: 0 } };
    case 'blackhole-after':
      return { type: 'hole_after', attributes: { bytes: whole('bytes') } };
    case 'reset':
      return { type: 'reset_peer', attributes: { timeout: whole('afterMs') } };
    case 'slow':
      return { type: 'latency', attributes: { latency: whole('latencyMs'), jitter: whole('jitterMs') } };
    case 'slice':
      return {
        type: 'slicer',
        attributes: {
          average_size: whole('averageBytes'),
          size_variation: whole('variationBytes'),
          delay: whole('delayUs'),
        },
      };
    case 'limit':
      return { type: 'limit_data', attributes: { bytes: whole('bytes') } };
    case 'throttle':
      return {
        type: 'bandwidth',
        attributes: { rate: Math.max(1, Math.round(Number(settings.bytesPerSecond) / BYTES_PER_KB)) },
      };
    default:
      return undefined;
  }
}

/**
 * The toxics that make up a fault. A share of 0 is no toxic at all: a `reset_peer` of toxicity 0 still resets a
 * connection now and then (incident 3). `refuse` has none: its proxy is switched off.
 */
export function toxicsOf(plan: FaultPlan): readonly ToxicBody[] {
  const toxic = toxicOf(plan);
  const toxicity = Number(plan.settings.shareRatio ?? 1);
  if (!toxic || toxicity === 0) return [];
  // reset_peer acts on the client's connection whichever stream it stands in.
  const stream = plan.kind === 'reset' ? 'downstream' : (plan.settings.stream ?? 'both');
  const streams =
    stream === 'both' ? (['upstream', 'downstream'] as const) : [stream as 'upstream' | 'downstream'];
  return streams.map((each) => ({ name: `${plan.id}-${each}`, stream: each, toxicity, ...toxic }));
}
