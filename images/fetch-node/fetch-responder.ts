import type { Clock } from '../../harness/clock/index.ts';
import type { SeededStream } from '../../harness/random/index.ts';
import type { ChunkKey } from './chunk-key.ts';
import type { FetchAnswer } from './fetch-answer.ts';
import type { FetchRules } from './fetch-rules.ts';

/** A peer's request for a chunk. */
export interface FetchRequest {
  readonly peer: string;
  readonly version: string;
  readonly key: ChunkKey;
  /** Whether its requester counted this node as silent when it sent it; told for the record alone. */
  readonly pastSilence: boolean;
  /** Whether its requester knows busy answers. */
  readonly knowsBusy: boolean;
  /** Resolves when the answer has left, or has nowhere to go any more; never rejects. */
  reply(answer: FetchAnswer): Promise<void>;
}

export interface ResponderLimits {
  readonly slots: number;
  readonly slotsPerPeer: number;
  readonly workers: number;
  readonly shedAfterMs: number;
  /** Refused requests are answered busy, with waits of a half to one and a half times of this. */
  readonly busy: boolean;
  readonly busyWaitMs: number;
  readonly busyReplyPool: number;
}

export interface RefusedRequest {
  readonly request: FetchRequest;
  readonly reason: 'per-peer' | 'pool';
  readonly slotsInUse: number;
  readonly slotsOfPeer: number;
  /** Answered busy; else dropped without a word. */
  readonly answered: boolean;
}

export interface ResponderPorts {
  readonly clock: Clock;
  readonly chance: SeededStream;
  read(key: ChunkKey): Promise<Uint8Array | undefined>;
  onRefused(refused: RefusedRequest): void;
}

interface Admitted {
  readonly request: FetchRequest;
  readonly admittedMs: number;
}

/**
 * Serves chunks: so many requests admitted at a time, so many of them of one peer, and a few workers that take them in
 * their order. What is not admitted is dropped without a word, or answered busy. A request keeps its slot until its answer
 * has left or a worker has shed it, whether or not anybody waits for it.
 */
export class FetchResponder {
  readonly counts = { served: 0, missing: 0, failed: 0, shed: 0, busy: 0, droppedPerPeer: 0, droppedPool: 0 };
  /** `fetch_busy_reply_send_pool_full` */
  busyReplyPoolFull = 0;
  /** Added to the service of every request. */
  serveMs = 0;
  readonly #rules: FetchRules;
  readonly #limits: ResponderLimits;
  readonly #ports: ResponderPorts;
  readonly #waiting: Admitted[] = [];
  readonly #ofPeer = new Map<string, number>();
  readonly #service = new Set<Promise<void>>();
  readonly #gateWaiters = new Set<() => void>();
  #slots = 0;
  #busyReplies = 0;
  #closed = false;
  #stopped = false;

  constructor(rules: FetchRules, limits: ResponderLimits, ports: ResponderPorts) {
    this.#rules = rules;
    this.#limits = limits;
    this.#ports = ports;
  }

  get facts() {
    return {
      ...this.counts,
      slotsInUse: this.#slots,
      waiting: this.#waiting.length,
      gate: this.#closed ? 'closed' : 'open',
      fetch_busy_reply_send_pool_full: this.busyReplyPoolFull,
      fetch_admission_dropped_per_peer_share: this.counts.droppedPerPeer,
      fetch_admission_dropped_global_pool: this.counts.droppedPool,
    };
  }

  request(request: FetchRequest): void {
    if (this.#stopped) return;
    const ofPeer = this.#ofPeer.get(request.peer) ?? 0;
    if (ofPeer >= this.#limits.slotsPerPeer) this.#refuse(request, 'per-peer', ofPeer);
    else if (this.#slots >= this.#limits.slots) this.#refuse(request, 'pool', ofPeer);
    else {
      this.#slots += 1;
      this.#ofPeer.set(request.peer, ofPeer + 1);
      this.#waiting.push({ request, admittedMs: this.#ports.clock.nowMs() });
      this.#serveMore();
    }
  }

  /** Admitted requests are held from now on. */
  closeGate(): void {
    this.#closed = true;
  }

  openGate(): void {
    this.#closed = false;
    for (const go of this.#gateWaiters) go();
    this.#gateWaiters.clear();
  }

  /** Resolves when no worker serves any more; what the gate holds is let go unserved. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.length = 0;
    if (this.#rules.releaseGateOnStop) this.openGate();
    await Promise.all(this.#service);
  }

  #refuse(request: FetchRequest, reason: RefusedRequest['reason'], slotsOfPeer: number): void {
    const answered = this.#limits.busy && request.knowsBusy && this.#replyBusy(request);
    if (!answered && reason === 'pool') this.counts.droppedPool += 1;
    if (!answered && reason === 'per-peer') this.counts.droppedPerPeer += 1;
    this.#ports.onRefused({ request, reason, slotsInUse: this.#slots, slotsOfPeer, answered });
  }

  #replyBusy(request: FetchRequest): boolean {
    if (this.#busyReplies >= this.#limits.busyReplyPool) {
      this.busyReplyPoolFull += 1;
      return false;
    }
    this.counts.busy += 1;
    this.#busyReplies += 1;
    const waitMs = Math.round(this.#limits.busyWaitMs * (0.5 + this.#ports.chance.next()));
    void request.reply({ kind: 'busy', waitMs }).finally(() => {
      this.#busyReplies -= 1;
    });
    return true;
  }

  #serveMore(): void {
    while (!this.#stopped && this.#service.size < this.#limits.workers) {
      const admitted = this.#waiting.shift();
      if (!admitted) return;
      const service = this.#serve(admitted).finally(() => {
        this.#service.delete(service);
        this.#release(admitted.request.peer);
        this.#serveMore();
      });
      this.#service.add(service);
    }
  }

  async #serve({ request, admittedMs }: Admitted): Promise<void> {
    if (this.#closed) await new Promise<void>((go) => this.#gateWaiters.add(go));
    if (this.#stopped) return;
    const { clock } = this.#ports;
    if (clock.nowMs() - admittedMs >= this.#limits.shedAfterMs) {
      this.counts.shed += 1;
      return;
    }
    if (this.serveMs > 0) await clock.sleep(this.serveMs);
    await request.reply(await this.#answerTo(request.key));
  }

  async #answerTo(key: ChunkKey): Promise<FetchAnswer> {
    try {
      const bytes = await this.#ports.read(key);
      if (bytes) this.counts.served += 1;
      else this.counts.missing += 1;
      return bytes ? { kind: 'chunk', bytes } : { kind: 'not-found' };
    } catch (error) {
      this.counts.failed += 1;
      return { kind: 'error', reason: error instanceof Error ? error.message : String(error) };
    }
  }

  #release(peer: string): void {
    this.#slots -= 1;
    const left = (this.#ofPeer.get(peer) ?? 0) - 1;
    if (left > 0) this.#ofPeer.set(peer, left);
    else this.#ofPeer.delete(peer);
  }
}
