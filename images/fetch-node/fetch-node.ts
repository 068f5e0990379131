import type { NodeContext } from '../node-kit/index.ts';
import { answerPeer } from './answer-peer.ts';
import { BusyBook } from './busy-book.ts';
import { type ChunkKey, idOf } from './chunk-key.ts';
import type { ChunkStore } from './chunk-store.ts';
import { CloseGroups } from './close-groups.ts';
import { dispatchSummary, summaryLine } from './dispatch-summary.ts';
import { FetchQueue } from './fetch-queue.ts';
import { FetchResponder } from './fetch-responder.ts';
import { type FetchRules, fetchRules } from './fetch-rules.ts';
import { FetchWorker, type FinishedAttempt } from './fetch-worker.ts';
import { KeyTreatments } from './key-treatments.ts';
import { linkWire } from './link-wire.ts';
import type { Message } from './messages.ts';
import { NeighbourSync } from './neighbour-sync.ts';
import { type NodeLimits, nodeLimits } from './node-limits.ts';
import { OutcomeCounts } from './outcome-counts.ts';
import type { Peer } from './peer-book.ts';
import { PeerLinks } from './peer-links.ts';
import { listenToPeers, type PeerListener } from './peer-listener.ts';
import { PendingVerification } from './pending-verification.ts';
import { SourceHealth } from './source-health.ts';
import { tellFinished, tellRefused } from './tell-fetches.ts';
import type { Transport } from './transport.ts';
import { TrustBook } from './trust-book.ts';
import { VerificationRounds } from './verification-rounds.ts';

/** What of a node's surroundings it needs; a test hands in its own. */
export type NodeSurroundings = Pick<
  NodeContext,
  'name' | 'address' | 'variant' | 'settings' | 'clock' | 'chance' | 'emit' | 'log'
>;

export interface NodeParts {
  readonly store: ChunkStore;
  /** Keys that this node knows as paid for. */
  readonly paid: Set<ChunkKey>;
  readonly peers: ReadonlyMap<string, Peer>;
  readonly transport: Transport;
}

/** One node of the network, requester and responder: its parts, and what they tell each other. */
export class FetchNode {
  readonly name: string;
  readonly version: string;
  readonly store: ChunkStore;
  /** Keys known as paid for. */
  readonly paid: Set<ChunkKey>;
  readonly queue: FetchQueue;
  readonly worker: FetchWorker;
  readonly responder: FetchResponder;
  readonly health: SourceHealth;
  readonly busy: BusyBook;
  readonly pending: PendingVerification;
  readonly links: PeerLinks;
  readonly network: CloseGroups;
  readonly sync: NeighbourSync;
  readonly rounds: VerificationRounds;
  readonly treatments = new KeyTreatments();
  readonly trust = new TrustBook();
  readonly counts = new OutcomeCounts();
  /** Once it has all that it was told of, how long that took. */
  drainedMs: number | undefined;
  readonly #cpuBefore = process.cpuUsage();
  readonly #around: NodeSurroundings;
  readonly #parts: NodeParts;
  readonly #width: number;
  #listener: PeerListener | undefined;
  #joinedAtMs: number | undefined;
  #asking = false;
  #busySinceMs: number | undefined;

  constructor(around: NodeSurroundings, parts: NodeParts) {
    const { name, settings, clock } = around;
    const rules = fetchRules(settings);
    const limits = nodeLimits(settings);
    this.name = name;
    this.version = settings.text('version') || around.variant || 'share';
    this.store = parts.store;
    this.paid = parts.paid;
    this.#around = around;
    this.#parts = parts;
    this.#width = limits.queue.closeGroupSize + settings.number('admissionMargin');
    const incumbents = new Set([...settings.list('incumbents'), name]);
    this.network = new CloseGroups([...incumbents].map((one) => ({ name: one, id: idOf(one) })));
    this.pending = new PendingVerification(limits.pending, nowMs(around), (key, reason) =>
      around.emit('key.lost', { key, reason }),
    );
    this.health = new SourceHealth(rules, limits.health, {
      nowMs: nowMs(around),
      inFlight: (source) => this.queue.inFlight(source),
      onSilent: (source) => this.#silent(source),
    });
    this.busy = new BusyBook(rules, limits.busy, nowMs(around));
    const queuePorts = {
      ownId: idOf(name),
      nowMs: nowMs(around),
      stopwatchMs: () => performance.now(),
      returns: this.pending,
    };
    this.queue = new FetchQueue(rules, limits.queue, queuePorts, this.health, this.busy);
    this.worker = this.#makeWorker(rules, limits);
    this.responder = new FetchResponder(rules, limits.responder, {
      clock,
      chance: around.chance('busy'),
      read: (key) => this.store.get(key),
      onRefused: (refused) => tellRefused(around.emit, refused),
    });
    this.responder.serveMs = settings.number('serveMs');
    if (settings.text('gate') === 'closed') this.responder.closeGate();
    const linkTo = (peer: string) => this.links.linkTo(peer);
    this.links = new PeerLinks(
      {
        clock,
        transport: parts.transport,
        localAddress: around.address,
        hello: this.#hello,
        peers: parts.peers,
        network: this.network,
        onArrived: (peer) => around.emit('peer.arrived', { peer }),
        onDeparted: (peer, reason) => this.#departed(peer, reason),
      },
      settings.number('departedProbeMs'),
    );
    this.sync = new NeighbourSync(
      {
        clock,
        network: this.network,
        peers: parts.peers,
        linkTo,
        held: () => this.store.keys(),
        onHinted: (keys, by) => this.hinted(keys, by),
      },
      { timeoutMs: limits.rounds.timeoutMs, width: this.#width },
    );
    this.rounds = new VerificationRounds(
      limits.rounds,
      {
        clock,
        ownName: name,
        network: this.network,
        linkTo,
        onVerified: (key, sources) => this.want(key, sources),
      },
      this.pending,
    );
  }

  get port(): number {
    return this.#listener?.port ?? 0;
  }

  /** Of the process, main thread included, since this node was made: laying its chunks is not in it. */
  get cpuMs(): number {
    const { user, system } = process.cpuUsage(this.#cpuBefore);
    return (user + system) / 1_000;
  }

  async start(): Promise<void> {
    const { settings, clock, address, log } = this.#around;
    this.#listener = await listenToPeers({
      transport: this.#parts.transport,
      host: address,
      port: settings.number('port'),
      hello: this.#hello,
      knows: (name) => this.#parts.peers.has(name),
      onHello: (hello) => this.links.greeted(hello),
      onMessage: (caller, message) => answerPeer(this, caller, message),
    });
    clock.every(settings.number('verificationPollMs'), () => void this.rounds.run());
    clock.every(settings.number('summaryIntervalMs'), () => this.summarize());
    clock.every(settings.number('drainCheckMs'), () => this.#checkDrained());
    clock.every(settings.number('neighbourSyncMs'), () => {
      const neighbours = this.network.nearest(idOf(this.name), settings.number('paidListGroupSize'));
      void this.sync.exchangeWith(neighbours.filter((name) => name !== this.name));
    });
    log(`${this.name}: ${this.store.count} chunks, version ${this.version}`);
  }

  /** Asks everybody what this node should hold. */
  async join(): Promise<void> {
    const { clock, emit } = this.#around;
    this.#joinedAtMs ??= clock.nowMs();
    this.drainedMs = undefined;
    this.#asking = true;
    emit('wave.began', { joiner: this.name, version: this.version });
    await this.sync.exchangeWith([...this.#parts.peers.keys()]);
    this.#asking = false;
  }

  /** A peer thinks that this node should hold these keys; it believes what distance says, and asks a quorum for the rest. */
  hinted(keys: readonly ChunkKey[], by: string): void {
    const own = { name: this.name, id: idOf(this.name) };
    for (const key of keys) {
      if (this.store.has(key) || !this.network.isAmong(key, own, this.#width)) continue;
      if (this.queue.has(key)) this.queue.readvertise(key, by);
      else this.pending.admit(key, by);
    }
  }

  /** A key that is to be fetched from these sources, as if a round had named them. @returns whether there was room for it */
  direct(key: ChunkKey, sources: readonly string[]): boolean {
    if (!this.queue.has(key) && !this.pending.admit(key, sources[0] ?? '')) return false;
    return this.want(key, sources);
  }

  /** A key that is known to be at these sources. @returns whether there was room for it */
  want(key: ChunkKey, sources: readonly string[]): boolean {
    if (this.store.has(key)) {
      this.pending.remove(key);
      return true;
    }
    if (this.queue.offer(key, sources) === 'full') return false;
    this.pending.verified(key);
    this.#busySinceMs ??= this.#around.clock.nowMs();
    this.worker.wake();
    return true;
  }

  summarize(): Readonly<Record<string, number>> {
    const fields = dispatchSummary(this);
    this.#around.emit('dispatch.summary', { version: this.version, ...fields });
    this.#around.log(summaryLine(fields));
    return fields;
  }

  async stop(): Promise<void> {
    this.summarize();
    this.worker.stop();
    this.links.end();
    await Promise.all([this.#listener?.close(), this.responder.stop()]);
    this.#around.emit('node.ended', {});
  }

  get #hello(): Extract<Message, { readonly kind: 'hello' }> {
    const knowsBusy = this.#around.settings.yes('busy');
    return { kind: 'hello', name: this.name, version: this.version, knowsBusy };
  }

  #makeWorker(rules: FetchRules, limits: NodeLimits): FetchWorker {
    const ports = {
      clock: this.#around.clock,
      stopwatchMs: () => performance.now(),
      wire: linkWire((source) => this.links.linkTo(source)),
      store: (key: ChunkKey, bytes: Uint8Array) => this.#keep(key, bytes),
      onBusy: (source: string, waitMs: number, leftMs: number) =>
        this.#around.emit('source.busy', { source, waitMs, cooldownLeftMs: leftMs }),
      onFinished: (finished: FinishedAttempt) => tellFinished(this, this.#around.emit, finished),
      onFilled: () => this.#filled(),
    };
    return new FetchWorker(rules, limits.worker, ports, this.queue, this.health, this.busy);
  }

  async #keep(key: ChunkKey, bytes: Uint8Array): Promise<void> {
    const { chance, settings } = this.#around;
    if (chance(`forget ${key}`).next() >= settings.number('forgetRatio')) await this.store.put(key, bytes);
    this.paid.add(key);
    this.#around.emit('chunk.stored', { key, bytes: bytes.length });
  }

  #silent(source: string): void {
    this.queue.wakeSilent(source);
    this.#around.emit(source === 'untracked' ? 'health.overflowed' : 'source.silent', { source });
  }

  #departed(peer: string, reason: string): void {
    this.#around.emit('peer.departed', { peer, reason });
    this.worker.depart(peer);
  }

  #filled(): void {
    if (this.#busySinceMs === undefined || !this.queue.isEmpty) return;
    this.#around.emit('queue.drained', { tookMs: this.#around.clock.nowMs() - this.#busySinceMs });
    this.#busySinceMs = undefined;
  }

  #checkDrained(): void {
    if (this.#joinedAtMs === undefined || this.drainedMs !== undefined || this.#asking) return;
    if (this.pending.size > 0 || !this.queue.isEmpty) return;
    this.drainedMs = this.#around.clock.nowMs() - this.#joinedAtMs;
    const stored = { chunks: this.store.count, bytes: this.store.sizeBytes };
    this.#around.emit('bootstrap.drained', { joiner: this.name, tookMs: this.drainedMs, ...stored });
  }
}

function nowMs({ clock }: NodeSurroundings): () => number {
  return () => clock.nowMs();
}
