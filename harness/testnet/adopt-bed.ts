import { combineErrors, SquallError } from '../errors/index.ts';
import type { Bed } from './bed.ts';
import { BedFrame, type BedOptions, ensureAgentImage } from './bed-frame.ts';
import { BedNetworks } from './bed-networks.ts';
import { mapBounded } from './bounded.ts';
import { followNode } from './follow-node.ts';
import { LiveNode, type NodeLegacy } from './live-node.ts';
import { nowNs } from './monotonic.ts';
import { NodeImages } from './node-images.ts';
import { LABEL } from './types.ts';

const ADOPT_CONCURRENCY = 16;

/** What its last owner knew of a bed and the engine does not. */
export interface BedLegacy {
  /** Lives of the bed so far, see `withGeneration`. */
  readonly generation: number;
  readonly nodes: Readonly<Record<string, NodeLegacy>>;
}

/**
 * Takes over a living bed from its labels: a watchdog of its own, a new agent, the logs from their beginning. Nodes that
 * have ended stay as they are, for whoever looks into why. Removes nothing when it fails: the last owner still owns it.
 * @throws SquallError `bed-not-found`
 */
export async function adoptBed(options: BedOptions & { readonly legacy: BedLegacy }): Promise<Bed> {
  const { engine, topology, runId, bedId, legacy } = options;
  const beganNs = nowNs();
  const frame = new BedFrame(options, { runId, bedId });
  try {
    const [images, agentImage] = await Promise.all([
      NodeImages.ensure(engine, topology, (progress) => frame.progress(progress), frame.signal),
      ensureAgentImage(engine, frame.signal),
      frame.watchdog,
    ]);
    const containers = await engine.listContainers([`${LABEL.bed}=${bedId}`, `${LABEL.kind}=node`]);
    const idByNode = new Map(containers.map(({ id, labels }) => [labels[LABEL.node] ?? '', id]));
    frame.networks = await BedNetworks.find(engine, topology, { bedId, labels: frame.labels('network') });
    frame.startAgent(agentImage);
    frame.nodes = frame.addressed(topology).map((plan) => {
      const node = new LiveNode({
        plan,
        image: images.of(plan.image),
        onEvent: (event) => frame.events.append(event),
        onLine: options.onLine ?? (() => undefined),
      });
      const containerId = idByNode.get(plan.name);
      if (containerId === undefined) throw notFound(bedId, `node ${plan.name}`);
      node.containerId = containerId;
      const inherited = legacy.nodes[plan.name];
      if (inherited) node.inherit(inherited);
      return node;
    });
    await mapBounded(frame.nodes, ADOPT_CONCURRENCY, (node) => adoptNode(frame, node), frame.signal);
    return await frame.assemble(beganNs, legacy.generation);
  } catch (error) {
    const left = await letGo(frame).then(
      () => [],
      (release: unknown) => [release],
    );
    throw combineErrors(`bed ${bedId}: was not taken over`, [error, ...left]);
  }
}

/** The bed is still its last owner's: only what this process added goes. */
async function letGo(frame: BedFrame): Promise<void> {
  await frame.release();
  const watchdog = await frame.watchdog.catch(() => undefined);
  await watchdog?.release({ allRemoved: true });
}

async function adoptNode(frame: BedFrame, node: LiveNode): Promise<void> {
  const { engine } = frame.options;
  const state = await engine.inspectContainer(node.containerId);
  if (!state) throw notFound(frame.options.bedId, `node ${node.name}`);
  node.began(state.pid);
  node.readyNs = node.startedNs;
  frame.followers.push(followNode(engine, node, frame.events, frame.life.signal));
  if (state.running) await frame.enroll(node);
}

function notFound(bedId: string, what: string): SquallError {
  return new SquallError(`bed ${bedId}: ${what} is not there; expected a living bed`, {
    code: 'bed-not-found',
    facts: { bedId },
    hint: 'It may have been swept; start it anew.',
  });
}
