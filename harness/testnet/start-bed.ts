import { setMaxListeners } from 'node:events';
import type { Engine } from '../engine/index.ts';
import { combineErrors } from '../errors/index.ts';
import { type AgentClient, createFaultBoard, startAgent } from '../fault/index.ts';
import { type HostNeeds, raiseHostLimits } from '../host/index.ts';
import { ensureImage } from '../image/index.ts';
import type { RecordedEvent } from '../record/index.ts';
import { addressNodes, type ImageSource, type ResolvedTopology } from '../topology/index.ts';
import type { LoopbackGet } from './await-ready.ts';
import { Bed, timingOf } from './bed.ts';
import { BedNetworks } from './bed-networks.ts';
import { mapBounded } from './bounded.ts';
import { bedLabels, withGeneration } from './container-spec.ts';
import { EventLog } from './event-log.ts';
import { faultPort } from './fault-port.ts';
import { imageText, LiveNode, type NodeImage } from './live-node.ts';
import { nowNs } from './monotonic.ts';
import { currentOwner } from './owner.ts';
import { pollAdapters } from './poll-adapters.ts';
import { removeBed } from './remove-bed.ts';
import { startNodes } from './start-nodes.ts';
import { holdWatchdog } from './start-watchdog.ts';
import type { BedProgress, LineListener } from './types.ts';

/** Containers created or started at once: what this engine does best (see docs, "Speed"). */
export const START_CONCURRENCY = 8;

export interface StartBedOptions {
  readonly engine: Engine;
  readonly topology: ResolvedTopology;
  readonly runId: string;
  /** Unique among living beds, in lower case: part of container and network names. */
  readonly bedId: string;
  readonly seed: string;
  /** Where node logs are written, for messages; the lines themselves go to `onLine`. */
  readonly logsDir?: string;
  readonly concurrency?: number;
  readonly onEvent?: (event: RecordedEvent) => void;
  readonly onLine?: LineListener;
  readonly onProgress?: (progress: BedProgress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Starts a bed: images, host limits, subnet, network, agent and nodes, each labelled at its creation, with a watchdog
 * standing before the first of them. Resolves when every node is ready; removes all of it when anything fails.
 * @throws SquallError of the step that failed; `node-exited` and `node-not-ready` carry the node's last lines
 */
export async function startBed(options: StartBedOptions): Promise<Bed> {
  const { engine, topology, runId, bedId } = options;
  const signal = options.signal ?? new AbortController().signal;
  const progress = options.onProgress ?? (() => undefined);
  const beganNs = nowNs();
  const owner = currentOwner();
  const life = new AbortController();
  // Each node listens to the bed's end several times over.
  setMaxListeners(0, life.signal);
  const events = new EventLog(options.logsDir ?? `\`squall logs NODE --bed ${bedId}\``);
  if (options.onEvent) events.subscribe(options.onEvent);
  const watchdogHold = holdWatchdog(engine, { runId });
  const followers: Promise<void>[] = [];
  let networks: BedNetworks | undefined;
  let agentStart: Promise<AgentClient> | undefined;
  let nodes: readonly LiveNode[] = [];

  const remove = async (): Promise<void> => {
    const agent = await agentStart?.catch(() => undefined); // Why it did not start is thrown by the start.
    const watchdog = await watchdogHold.catch(() => undefined);
    await removeBed({ engine, bedId, nodes, agent, followers, life, networks, progress });
    await watchdog?.release({ allRemoved: true });
  };

  try {
    const [images, agentImage] = await Promise.all([
      ensureImages(engine, topology, progress, signal),
      ensureImage(engine, { kind: 'ours', name: 'packet-agent' }, { signal }),
      watchdogHold,
      raiseHostLimits(hostNeeds(topology), undefined, {
        engineHost: engine.info.host,
        onProgress: (text) => progress({ stage: 'host', done: 0, total: 1, text }),
      }),
    ]);
    signal.throwIfAborted();
    const labels = (kind: 'node' | 'agent' | 'network' | 'toxiproxy') =>
      bedLabels({ runId, bedId, owner, kind });
    networks = await BedNetworks.lease(engine, topology, { runId, bedId, labels: labels('network') });
    const bedNetworks = networks;
    progress({ stage: 'network', done: 0, total: 1, text: `network ${bedNetworks.subnet}` });
    await bedNetworks.create();
    agentStart = startAgent({ engine, image: agentImage.reference, bedId, labels: labels('agent'), signal });
    agentStart.catch(() => undefined); // Awaited below and by every enrolment.
    const agentStarting = agentStart;

    const addressed = (of: ResolvedTopology) => addressNodes(of, bedNetworks.addressAt);
    nodes = addressed(topology).map(
      (plan) =>
        new LiveNode({
          plan: withGeneration(plan, 1),
          image: images.get(imageKey(plan.image)) as NodeImage,
          onEvent: (event) => events.append(event),
          onLine: options.onLine ?? (() => undefined),
        }),
    );
    const enroll = async (node: LiveNode): Promise<void> => {
      const agent = await agentStarting;
      await agent.enroll([{ name: node.name, pid: node.pid }], signal);
    };
    const loopback: LoopbackGet = async (node, port, path, getSignal) => {
      const agent = await agentStarting;
      const { status } = await agent.http(
        { node: node.name, port, method: 'GET', path, timeoutMs: 2_000 },
        getSignal,
      );
      return status;
    };
    let readyCount = 0;
    await startNodes(
      nodes,
      {
        engine,
        bedId,
        labels: labels('node'),
        networkOf: (node) => bedNetworks.referenceOf(node),
        mendNetwork: (name) => bedNetworks.mend(name),
        events,
        loopback,
        enroll,
        concurrency: options.concurrency ?? START_CONCURRENCY,
        bedSignal: life.signal,
        followers,
        onReady: (node) => {
          readyCount += 1;
          progress({ stage: 'nodes', done: readyCount, total: nodes.length, text: `${node.name} ready` });
        },
      },
      signal,
    );
    const agent = await agentStarting;
    followers.push(pollAdapters({ nodes, agent, events, signal: life.signal }));
    const port = faultPort({
      engine,
      bedId,
      agent,
      nodes,
      events,
      networks: bedNetworks,
      labels: labels('toxiproxy'),
    });
    const faults = createFaultBoard(port);
    faults.onEvent(({ event, atNs, fields }) => events.append({ node: 'harness', event, atNs, fields }));
    const timing = timingOf(nodes, beganNs);
    const bed = new Bed({
      id: bedId,
      runId,
      engine,
      topology,
      subnet: bedNetworks.subnet,
      networkIds: bedNetworks.ids,
      nodes,
      events,
      agent,
      faults,
      timing,
      environmentsOf: (of) => new Map(addressed(of).map((node) => [node.name, node.environment])),
      remove,
    });
    events.emit('bed.ready', { nodes: nodes.length, ...timing });
    return bed;
  } catch (error) {
    const left = await remove().then(
      () => [],
      (removal: unknown) => [removal],
    );
    throw combineErrors(`bed ${bedId}: did not start, and was not removed entirely`, [error, ...left]);
  }
}

/** In a mesh every node talks to every other: entries and flows grow with the square. */
function hostNeeds(topology: ResolvedTopology): HostNeeds {
  const count = topology.nodes.length;
  const pairs = count * (count - 1);
  return {
    followedLogs: count + 1,
    ...(topology.mesh ? { neighbourEntries: pairs, trackedFlows: 2 * pairs } : {}),
  };
}

function imageKey(source: ImageSource): string {
  // Variants are settings of one image.
  return source.kind === 'ours'
    ? `ours:${source.name}:${source.version ?? ''}`
    : `reference:${source.reference}`;
}

async function ensureImages(
  engine: Engine,
  topology: ResolvedTopology,
  progress: (progress: BedProgress) => void,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, NodeImage>> {
  const sources = new Map(topology.nodes.map(({ image }) => [imageKey(image), image]));
  const images = new Map<string, NodeImage>();
  await mapBounded([...sources], 2, async ([key, source]) => {
    const report = (text: string): void =>
      progress({
        stage: 'images',
        done: images.size,
        total: sources.size,
        text: `${imageText(source)}: ${text}`,
      });
    const { reference, imageId, outcome } = await ensureImage(engine, source, { onProgress: report, signal });
    images.set(key, { reference, imageId });
    report(outcome);
  });
  return images;
}
