import type { NodeContext } from '../node-kit/index.ts';
import type { DroppedRequest } from './fetch-responder.ts';
import type { FinishedAttempt } from './fetch-worker.ts';
import type { OutcomeCounts } from './outcome-counts.ts';
import type { PeerLinks } from './peer-links.ts';
import type { TrustBook } from './trust-book.ts';

type Emit = NodeContext['emit'];

interface Judging {
  readonly version: string;
  readonly counts: OutcomeCounts;
  readonly trust: TrustBook;
  readonly links: PeerLinks;
}

/** An attempt has ended: counted, told, and judged. */
export function tellFinished(node: Judging, emit: Emit, finished: FinishedAttempt): void {
  const { attempt, outcome, reason, tookMs, bytes } = finished;
  const { key, source, pastSilence } = attempt;
  node.counts.add(finished);
  emit('fetch.finished', { key, source, outcome, reason, tookMs, bytes, pastSilence });
  const change = node.trust.judge(finished);
  if (!change) return;
  const peerVersion = node.links.versionOf(change.peer);
  emit('trust.changed', { ...change, version: node.version, peerVersion });
}

/** A request was not admitted. */
export function tellDropped(emit: Emit, dropped: DroppedRequest): void {
  const { request, reason, slotsInUse, slotsOfPeer, answered } = dropped;
  const { peer, version: peerVersion, pastSilence } = request;
  emit('admission.dropped', {
    peer,
    peerVersion,
    reason,
    slotsInUse,
    slotsOfPeer,
    answered,
    pastSilence,
  });
}
