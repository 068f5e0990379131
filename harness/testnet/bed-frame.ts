import { setMaxListeners } from 'node:events';
import type { Engine } from '../engine/index.ts';
import { SquallError } from '../errors/index.ts';
import { type AgentClient, createFaultBoard, type FaultBoard, startAgent } from '../fault/index.ts';
import { ensureImage } from '../image/index.ts';
import type { RecordedEvent } from '../record/index.ts';
import { type AddressedNode, addressNodes, type ResolvedTopology, select } from '../topology/index.ts';
import type { LoopbackGet } from './await-ready.ts';
import { Bed, timingOf } from './bed.ts';
import type { BedNetworks } from './bed-networks.ts';
import { bedLabels } from './container-spec.ts';
import { EventLog } from './event-log.ts';
import { faultPort } from './fault-port.ts';
import type { LiveNode } from './live-node.ts';
import { currentOwner } from './owner.ts';
import { pollAdapters } from './poll-adapters.ts';
import { removeBed } from './remove-bed.ts';
import { holdWatchdog, type WatchdogHold } from './start-watchdog.ts';
import { type BedProgress, LABEL, type LineListener } from './types.ts';
import { watchEngine } from './watch-engine.ts';

/** What both ways to a bed, starting one and adopting one, are told. */
export interface BedOptions {
  readonly engine: Engine;
  readonly topology: ResolvedTopology;
  readonly runId: string;
  /** Unique among living beds, in lower case: part of container and network names. */
  readonly bedId: string;
  /** Where node logs are written, for messages; the lines themselves go to `onLine`. */
  readonly logsDir?: string;
  readonly onEvent?: (event: RecordedEvent) => void;
  readonly onLine?: LineListener;
  readonly onProgress?: (progress: BedProgress) => void;
  readonly signal?: AbortSignal;
}

const HTTP_TIMEOUT_MS = 2_000;

/** A bed while it is put together: what exists already, and so what must be removed when the rest fails. */
export class BedFrame {
  readonly options: BedOptions;
  readonly signal: AbortSignal;
  readonly events: EventLog;
  readonly followers: Promise<void>[] = [];
  /** Aborted at the bed's end: log streams and polls stop. */
  readonly life = new AbortController();
  readonly watchdog: Promise<WatchdogHold>;
  readonly #owner = currentOwner();
  networks: BedNetworks | undefined;
  nodes: readonly LiveNode[] = [];
  #agent: Promise<AgentClient> | undefined;

  constructor(options: BedOptions, watchdogScope: { readonly runId: string; readonly bedId?: string }) {
    this.options = options;
    this.signal = options.signal ?? new AbortController().signal;
    // Each node listens to the bed's end several times over.
    setMaxListeners(0, this.life.signal, this.signal);
    this.events = new EventLog(options.logsDir ?? `\`squall logs NODE --bed ${options.bedId}\``);
    if (options.onEvent) this.events.subscribe(options.onEvent);
    this.watchdog = holdWatchdog(options.engine, watchdogScope);
    this.watchdog.catch(() => undefined); // Awaited before anything is created.
  }

  progress(progress: BedProgress): void {
    this.options.onProgress?.(progress);
  }

  labels(kind: 'node' | 'agent' | 'network' | 'toxiproxy'): Readonly<Record<string, string>> {
    const { runId, bedId } = this.options;
    return bedLabels({ runId, bedId, owner: this.#owner, kind });
  }

  /** Begins the start of the agent; `agent` awaits it. An abort lets it finish: half a start cannot be cleaned up. */
  startAgent(image: string): void {
    const { engine, bedId } = this.options;
    this.#agent = startAgent({ engine, image, bedId, labels: this.labels('agent') });
    this.#agent.catch(() => undefined); // Awaited by every enrolment and by `assemble`.
  }

  agent(): Promise<AgentClient> {
    if (this.#agent) return this.#agent;
    throw new SquallError('bed: its agent was not started', { code: 'no-agent' });
  }

  /**
   * Makes a node's process known to the agent, and gives its fleet of clients their addresses. Until the bed is assembled
   * that ends with the start's signal; later, when a fault has begun the node anew, only with the bed.
   */
  async enroll(node: LiveNode, signal: AbortSignal = this.signal): Promise<void> {
    const agent = await this.agent();
    const addresses = node.plan.fleetAddresses;
    await agent.enroll([{ name: node.name, pid: node.pid, addresses }], signal);
  }

  readonly loopback: LoopbackGet = async (node, port, path, signal) => {
    const agent = await this.agent();
    const request = { node: node.name, port, method: 'GET', path, timeoutMs: HTTP_TIMEOUT_MS };
    return (await agent.http(request, signal)).status;
  };

  addressed(topology: ResolvedTopology): readonly AddressedNode[] {
    return addressNodes(topology, this.#networks().addressAt);
  }

  /** The finished bed over everything gathered here. */
  async assemble(beganNs: number, generation = 1): Promise<Bed> {
    const { engine, topology, runId, bedId } = this.options;
    const agent = await this.agent();
    const networks = this.#networks();
    const { nodes, events } = this;
    this.followers.push(watchEngine(engine, bedId, events, this.life.signal));
    this.followers.push(pollAdapters({ nodes, agent, events, signal: this.life.signal }));
    const port = faultPort({
      engine,
      bedId,
      agent,
      nodes,
      events,
      networkId: networks.names[0] ?? '',
      networkOf: (node) => networks.referenceOf(node),
      labels: (kind) => this.labels(kind),
      enroll: (node) => this.enroll(node, this.life.signal),
      loopback: this.loopback,
    });
    const faults = createFaultBoard(port);
    faults.onEvent(({ event, atNs, fields }) => events.append({ node: 'harness', event, atNs, fields }));
    const standingRedirects = await this.#openLinks(faults, agent);
    return new Bed({
      id: bedId,
      runId,
      engine,
      topology,
      subnet: networks.subnet,
      networkIds: networks.ids,
      nodes,
      nodeLabels: [`${LABEL.bed}=${bedId}`, `${LABEL.kind}=node`],
      events,
      agent,
      faults,
      generation,
      standingRedirects,
      timing: timingOf(nodes, beganNs),
      environmentsOf: (of) => new Map(this.addressed(of).map((node) => [node.name, node.environment])),
      restartAs: port.restartAs,
      remove: (signal) => this.remove(signal),
      release: () => this.release(),
      handOver: () => this.handOver(),
    });
  }

  /** Leads the links that the topology sends through Toxiproxy on their way; how many redirections stand for it. */
  async #openLinks(faults: FaultBoard, agent: AgentClient): Promise<number> {
    const { topology } = this.options;
    const links = topology.links
      .filter(({ path }) => path === 'toxiproxy')
      .map(({ from, to, port }) => ({
        from: select(from, topology.nodes),
        to: select(to, topology.nodes),
        port,
      }));
    if (links.length === 0) return 0;
    await faults.openLinks(links, this.signal);
    return (await agent.snapshot(this.signal)).redirects.length;
  }

  /**
   * Removes everything of the bed and lets go of the watchdog. Safe at any stage, and again after a failure; what a signal
   * stopped is the watchdog's when this process ends.
   */
  async remove(signal: AbortSignal = new AbortController().signal): Promise<void> {
    const { engine, bedId } = this.options;
    await removeBed({
      engine,
      bedId,
      nodes: this.nodes,
      agent: await this.#agent?.catch(() => undefined), // Why it did not start is thrown by the start.
      followers: this.followers,
      life: this.life,
      networks: this.networks,
      progress: (progress) => this.progress(progress),
      signal,
    });
    const watchdog = await this.watchdog.catch(() => undefined);
    await watchdog?.release({ allRemoved: true });
  }

  /** Lets go of a living bed without touching it: log streams end, and the agent leaves, which lifts every fault. */
  async release(): Promise<void> {
    this.life.abort(new SquallError(`bed ${this.options.bedId} is let go`, { code: 'bed-released' }));
    const agent = await this.#agent?.catch(() => undefined);
    await agent?.close();
    await Promise.all(this.followers);
  }

  /** The bed has another owner from now on: our watchdog leaves it alone when this process ends. */
  async handOver(): Promise<void> {
    const hold = await this.watchdog;
    hold.watchdog.spare(this.options.bedId);
    await hold.release({ allRemoved: false });
  }

  #networks(): BedNetworks {
    if (this.networks) return this.networks;
    throw new SquallError('bed: its networks were not leased', { code: 'no-networks' });
  }
}

/** The packet agent's image, built or found. */
export async function ensureAgentImage(engine: Engine, signal: AbortSignal): Promise<string> {
  return (await ensureImage(engine, { kind: 'ours', name: 'packet-agent' }, { signal })).reference;
}
