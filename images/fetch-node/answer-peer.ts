import type { ChunkKey } from './chunk-key.ts';
import type { ChunkStore } from './chunk-store.ts';
import type { FetchRequest, FetchResponder } from './fetch-responder.ts';
import type { KeyTreatments } from './key-treatments.ts';
import type { Message } from './messages.ts';
import type { NeighbourSync } from './neighbour-sync.ts';
import type { PeerLinks } from './peer-links.ts';
import type { Caller } from './peer-listener.ts';

/** What of a node its peers can ask. */
export interface Answering {
  readonly store: ChunkStore;
  readonly paid: ReadonlySet<ChunkKey>;
  readonly responder: FetchResponder;
  readonly treatments: KeyTreatments;
  readonly sync: NeighbourSync;
  readonly links: PeerLinks;
  hinted(keys: readonly ChunkKey[], by: string): void;
}

/** Does what a peer asks. Fetches alone are admitted or not; what else it wants to know is answered at once. */
export function answerPeer(node: Answering, caller: Caller, message: Message): void {
  const peer = caller.hello.name;
  if (message.kind === 'bye') node.links.depart(peer, 'said good-bye');
  else if (message.kind === 'sync') {
    node.hinted(message.keys, peer);
    void caller.send({ kind: 'synced', id: message.id, keys: node.sync.hintsFor(peer) });
  } else if (message.kind === 'verify') {
    const places = (fits: (key: ChunkKey) => boolean): readonly number[] =>
      message.keys.flatMap((key, place) => (fits(key) ? [place] : []));
    const present = places((key) => node.store.has(key));
    const paid = places((key) => node.paid.has(key));
    void caller.send({ kind: 'verified', id: message.id, present, paid });
  } else if (message.kind === 'fetch') {
    const { id, key, pastSilence } = message;
    const { version, knowsBusy } = caller.hello;
    const request: FetchRequest = {
      peer,
      version,
      key,
      pastSilence,
      knowsBusy,
      reply: (answer) =>
        answer.kind === 'chunk'
          ? caller.send({ kind: 'chunk', id }, answer.bytes)
          : caller.send({ ...answer, id }),
    };
    if (!node.treatments.apply(request)) node.responder.request(request);
  }
}
