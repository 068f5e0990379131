import type { NodeContext } from '../node-kit/index.ts';
import type { RefusedRequest } from './fetch-responder.ts';
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

/** A request was not admitted: dropped without a word, or told to come again. */
export function tellRefused(emit: Emit, refused: RefusedRequest): void {
  const { request, reason, slotsInUse, slotsOfPeer, answered } = refused;
  const { peer, version: peerVersion, pastSilence } = request;
  const event = answered ? 'admission.answered' : 'admission.dropped';
  emit(event, { peer, peerVersion, reason, slotsInUse, slotsOfPeer, pastSilence });
}
