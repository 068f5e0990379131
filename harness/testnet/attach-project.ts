import { combineErrors, SquallError } from '../errors/index.ts';
import { type AgentClient, createFaultBoard, startAgent } from '../fault/index.ts';
import { requireNetworkFaults } from '../host/index.ts';
import type { ResolvedTopology } from '../topology/index.ts';
import type { LoopbackGet } from './await-ready.ts';
import { Bed, timingOf } from './bed.ts';
import { type BedOptions, ensureAgentImage } from './bed-frame.ts';
import { COMPOSE_LABEL, type ComposeProject, readComposeProject } from './compose-project.ts';
import { bedLabels } from './container-spec.ts';
import { EventLog } from './event-log.ts';
import { faultPort } from './fault-port.ts';
import { followNode } from './follow-node.ts';
import { LiveNode } from './live-node.ts';
import { nowNs } from './monotonic.ts';
import { currentOwner } from './owner.ts';

export interface AttachOptions extends Omit<BedOptions, 'topology'> {
  /** Name of the compose project. */
  readonly project: string;
  /** An agent, where one is to be used instead of a started one. */
  readonly agent?: AgentClient;
}

/**
 * A bed over a compose project that runs already: its nodes are attached, not owned. Nothing of the project is created,
 * changed or removed, by this or by what is left of it: the one container that is added is the packet agent, which has
 * no network, lifts all faults when this process ends in whatever way, and removes itself. That is why only faults of the
 * packet agent can be applied here; the undo of any other would be lost with this process.
 * @throws SquallError `no-such-project` (input)
 */
export async function attachProject(options: AttachOptions): Promise<Bed> {
  const { engine, project, bedId, runId, signal = new AbortController().signal } = options;
  const beganNs = nowNs();
  requireNetworkFaults(engine.info);
  const since = new Date().toISOString();
  const found = await readComposeProject(engine, project);
  for (const text of found.leftOut) progress(options, `left out: ${text}`);
  const labels = bedLabels({ runId, bedId, owner: currentOwner(), kind: 'agent' });
  const agent =
    options.agent ??
    (await startAgent({ engine, image: await ensureAgentImage(engine, signal), bedId, labels, signal }));
  const life = new AbortController();
  const events = new EventLog(options.logsDir ?? `\`squall logs NODE --bed ${bedId}\``);
  if (options.onEvent) events.subscribe(options.onEvent);
  const followers: Promise<void>[] = [];
  const release = async (): Promise<void> => {
    life.abort(new SquallError(`bed ${bedId} is let go`, { code: 'bed-released' }));
    await agent.close();
    await Promise.all(followers);
  };
  try {
    const nodes = found.nodes.map(({ plan, containerId, imageId, pid }) => {
      const image = { reference: plan.image.kind === 'reference' ? plan.image.reference : '', imageId };
      const onLine = options.onLine ?? (() => undefined);
      const node = new LiveNode({ plan, image, onEvent: (event) => events.append(event), onLine });
      node.containerId = containerId;
      node.began(pid);
      node.readyNs = node.startedNs;
      return node;
    });
    const enroll = async (node: LiveNode): Promise<void> =>
      void (await agent.enroll([{ name: node.name, pid: node.pid, addresses: [] }], signal));
    for (const node of nodes) {
      // What it said before it was attached is nothing of ours, and may be without end.
      followers.push(followNode(engine, node, events, life.signal, { since }));
      await enroll(node);
      progress(options, `${node.name} attached`);
    }
    const loopback: LoopbackGet = async (node, port, path, of) =>
      (await agent.http({ node: node.name, port, method: 'GET', path, timeoutMs: 2_000 }, of)).status;
    const port = faultPort({
      engine,
      bedId,
      agent,
      nodes,
      events,
      networkId: found.networks[0] ?? '',
      networkOf: ({ network }) => network,
      labels: (kind) => bedLabels({ runId, bedId, owner: currentOwner(), kind }),
      enroll,
      loopback,
    });
    const faults = createFaultBoard({ ...port, makers: ['packet agent'] });
    faults.onEvent(({ event, atNs, fields }) => events.append({ node: 'harness', event, atNs, fields }));
    const bed = new Bed({
      id: bedId,
      runId,
      engine,
      topology: topologyOf(project, found),
      subnet: found.networks.join(', '),
      networkIds: found.networks,
      nodes,
      nodeLabels: [`${COMPOSE_LABEL.project}=${project}`],
      attached: true,
      events,
      agent,
      faults,
      generation: 1,
      standingRedirects: 0,
      timing: timingOf(nodes, beganNs),
      environmentsOf: () => new Map(),
      // The nodes stay: what ends is the agent, and with it every fault, lifted in order where there is time.
      remove: async () => {
        const lifted = await faults.liftAll().then(
          () => [],
          (error: unknown) => [error],
        );
        await release();
        const error = combineErrors(`bed ${bedId}: let go, but not all faults were seen to lift`, lifted);
        if (error !== undefined) throw error;
      },
      release,
      handOver: async () => undefined,
    });
    bed.events.emit('bed.ready', { nodes: nodes.length, project, ...bed.timing });
    return bed;
  } catch (error) {
    const left = await release().then(
      () => [],
      (failure: unknown) => [failure],
    );
    throw combineErrors(`compose project ${project}: was not attached`, [error, ...left]);
  }
}

function topologyOf(project: string, { nodes, networks }: ComposeProject): ResolvedTopology {
  return {
    name: project,
    description: `compose project ${project}, attached while it ran`,
    nodes: nodes.map(({ plan }) => plan),
    links: [],
    networks: networks.map((name) => ({ name, ipv6: false })),
    bedPrefix: 20,
    mesh: false,
  };
}

function progress({ onProgress }: AttachOptions, text: string): void {
  onProgress?.({ stage: 'nodes', done: 0, total: 1, text });
}
