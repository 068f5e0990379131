import { createHash } from 'node:crypto';
import { dispatchSummary } from './dispatch-summary.ts';
import type { FetchNode } from './fetch-node.ts';

/** What `/state` shows. */
export function nodeState(node: FetchNode): Readonly<Record<string, unknown>> {
  const keys = [...node.store.keys()].sort();
  return {
    version: node.version,
    stored: {
      chunks: keys.length,
      bytes: node.store.sizeBytes,
      writesFailed: node.store.counts.writesFailed,
      digest: createHash('sha256').update(keys.join('\n')).digest('hex'),
    },
    drainedMs: node.drainedMs ?? null,
    pending: { keys: node.pending.size, reserved: node.pending.reserved, ...node.pending.counts },
    rounds: node.rounds.counts,
    outcomes: node.counts.outcomes,
    summary: dispatchSummary(node),
    silent: node.health.silent(),
    responder: node.responder.facts,
    trust: node.trust.facts,
    network: node.network.size,
    departed: node.links.departed,
    cpuMs: node.cpuMs,
  };
}
