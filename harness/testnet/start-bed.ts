import { combineErrors, describeError } from '../errors/index.ts';
import { bedNeeds, raiseHostLimits, requireNetworkFaults } from '../host/index.ts';
import type { Bed } from './bed.ts';
import { BedFrame, type BedOptions, ensureAgentImage } from './bed-frame.ts';
import { BedNetworks } from './bed-networks.ts';
import { withGeneration } from './container-spec.ts';
import { LiveNode } from './live-node.ts';
import { nowNs } from './monotonic.ts';
import { NodeImages } from './node-images.ts';
import { startNodes } from './start-nodes.ts';

/** Containers created or started at once: 4 reach what two cores can do, more do no harm and serve bigger hosts. */
export const START_CONCURRENCY = 8;

export interface StartBedOptions extends BedOptions {
  readonly seed: string;
  readonly concurrency?: number;
}

/**
 * Starts a bed: images, host limits, subnet, network, agent and nodes, each labelled at its creation, with a watchdog
 * standing before the first of them. Resolves when every node is ready; removes all of it when anything fails.
 * @throws SquallError of the step that failed; `node-exited` and `node-not-ready` carry the node's last lines
 */
export async function startBed(options: StartBedOptions): Promise<Bed> {
  const { engine, topology, runId, bedId } = options;
  const beganNs = nowNs();
  requireNetworkFaults(engine.info);
  const frame = new BedFrame(options, { runId });
  const { signal } = frame;
  let told = false;
  // Whoever waits hears why at once: removing what there is of a large bed takes its time.
  const tellFailure = (error: unknown): void => {
    if (told || signal.aborted) return;
    told = true;
    frame.progress({ stage: 'failed', done: 0, total: 1, text: describeError(error) });
  };
  try {
    // Images first: a network that waits for a slow image is prey to somebody's `network prune`.
    const [images, agentImage] = await Promise.all([
      NodeImages.ensure(engine, topology, (progress) => frame.progress(progress), signal),
      ensureAgentImage(engine, signal),
      frame.watchdog,
      raiseHostLimits(bedNeeds({ nodes: topology.nodes.length, mesh: topology.mesh }), undefined, {
        engineHost: engine.info.host,
        onProgress: (text) => frame.progress({ stage: 'host', done: 0, total: 1, text }),
      }),
    ]);
    signal.throwIfAborted();
    const labels = frame.labels('network');
    const networks = await BedNetworks.lease(engine, topology, { runId, bedId, labels });
    frame.networks = networks;
    frame.progress({ stage: 'network', done: 0, total: 1, text: `network ${networks.subnet}` });
    await networks.create();
    frame.startAgent(agentImage);
    frame.nodes = frame.addressed(topology).map(
      (plan) =>
        new LiveNode({
          plan:
            plan.image.kind === 'ours' ? { ...plan, environment: withGeneration(plan.environment, 1) } : plan,
          image: images.of(plan.image),
          onEvent: (event) => frame.events.append(event),
          onLine: options.onLine ?? (() => undefined),
        }),
    );
    await startAll(frame, networks, options.concurrency ?? START_CONCURRENCY, tellFailure);
    const bed = await frame.assemble(beganNs);
    bed.events.emit('bed.ready', { nodes: frame.nodes.length, ...bed.timing });
    return bed;
  } catch (error) {
    tellFailure(error);
    const left = await frame.remove().then(
      () => [],
      (removal: unknown) => [removal],
    );
    throw combineErrors(`bed ${bedId}: did not start, and was not removed entirely`, [error, ...left]);
  }
}

async function startAll(
  frame: BedFrame,
  networks: BedNetworks,
  concurrency: number,
  onFailed: (error: unknown) => void,
): Promise<void> {
  const { nodes, events, followers } = frame;
  let ready = 0;
  await startNodes(
    nodes,
    {
      engine: frame.options.engine,
      bedId: frame.options.bedId,
      labels: frame.labels('node'),
      networkOf: (node) => networks.referenceOf(node),
      mendNetwork: (name) => networks.mend(name),
      events,
      loopback: frame.loopback,
      enroll: (node) => frame.enroll(node),
      concurrency,
      bedSignal: frame.life.signal,
      followers,
      onFailed,
      onReady: (node) => {
        ready += 1;
        frame.progress({ stage: 'nodes', done: ready, total: nodes.length, text: `${node.name} ready` });
      },
    },
    frame.signal,
  );
}
