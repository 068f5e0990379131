import type { Clock } from '../../harness/clock/index.ts';
import type { AccountRequest, NodeIdentity, NodeTransport, RawRequest } from '../session-kit/index.ts';
import { HandOver } from './hand-over.ts';
import type { StoredMessage } from './message.ts';
import type { MessageStore } from './message-store.ts';
import type { NetworkView } from './network-view.ts';
import { Peers } from './peers.ts';
import type { MemberResult } from './rpc-answer.ts';
import type { StorageRules } from './storage-rules.ts';
import type { SwarmChange } from './swarm-change.ts';

export interface ReplicationOptions {
  readonly clock: Clock;
  readonly identity: NodeIdentity;
  readonly transport: NodeTransport;
  readonly view: NetworkView;
  readonly store: MessageStore;
  readonly rules: StorageRules;
  readonly nowWallMs: () => number;
  readonly emit: (event: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly signal: AbortSignal;
}

/** Keeps the members of a swarm alike: hands on what one of them is asked, and gives what it has to whoever owns it now. */
export class Replication {
  readonly #options: ReplicationOptions;
  readonly #peers: Peers;
  readonly #handOver: HandOver;

  constructor(options: ReplicationOptions) {
    const { clock, identity, transport, view, rules, nowWallMs, emit, signal } = options;
    this.#options = options;
    this.#peers = new Peers(identity, transport, signal);
    this.#handOver = new HandOver({
      clock,
      batchMaxBytes: rules.handOverBatchBytes,
      retryMs: rules.handOverRetryMs,
      retryMaxMs: rules.handOverRetryMaxMs,
      waitingMax: rules.handOverWaitingMax,
      push: (to, messages) => this.#peers.push(to, messages),
      receiver: (ed25519) => view.find(ed25519),
      nowWallMs,
      onHandedOver: (to, messages, reason) =>
        emit('message.handed-over', { as: identity.name, to: to.ed25519, messages, reason }),
      signal,
    });
  }

  state() {
    return { waiting: this.#handOver.waiting, dropped: this.#handOver.dropped };
  }

  takeChange({ dissolved, joined, newSwarms }: SwarmChange): void {
    const { view, rules, identity } = this.#options;
    if (!rules.handOver) return;
    for (const node of joined)
      this.#handOver.add(
        node,
        this.#messages(() => true),
        'joined',
      );
    for (const id of dissolved ? view.swarms.ids : newSwarms) {
      const messages = this.#messages((owner) => owner === id);
      for (const node of view.swarms.members(id)) {
        if (node.ed25519 === identity.ed25519) continue;
        this.#handOver.add(node, messages, dissolved ? 'dissolved' : 'new-swarm');
      }
    }
  }

  /** Every other member at once, each within its own time. @returns what it came to at each, by Ed25519 key */
  async distribute(
    request: RawRequest,
    { method, account }: AccountRequest,
  ): Promise<ReadonlyMap<string, MemberResult>> {
    const { view, rules, store } = this.#options;
    if (!rules.replicate) return new Map();
    const results = await Promise.all(
      view.peers().map(async (peer): Promise<[string, MemberResult]> => {
        const result = await this.#peers.command(peer, request);
        // It may be away, or not know yet that it is a member: a store must not depend on that.
        if (method === 'store' && 'failed' in result && rules.retryReplication) {
          this.#handOver.add(peer, store.all(account.id), 'missed');
        }
        return [peer.ed25519, result];
      }),
    );
    return new Map(results);
  }

  #messages(isWanted: (owner: bigint | undefined) => boolean): readonly StoredMessage[] {
    const { view, store } = this.#options;
    return store.accounts().flatMap((account) => (isWanted(view.ownerOf(account)) ? store.all(account) : []));
  }
}
