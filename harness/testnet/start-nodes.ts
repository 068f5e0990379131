import { setMaxListeners } from 'node:events';
import type { Engine } from '../engine/index.ts';
import { SquallError } from '../errors/index.ts';
import type { ResolvedNode } from '../topology/index.ts';
import { awaitReady, type LoopbackGet } from './await-ready.ts';
import { Gate } from './bounded.ts';
import { nodeContainer } from './container-spec.ts';
import type { EventLog } from './event-log.ts';
import { followNode } from './follow-node.ts';
import type { LiveNode } from './live-node.ts';

export interface NodeStart {
  readonly engine: Engine;
  readonly bedId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly networkOf: (node: ResolvedNode) => string;
  /** Called when the engine says that a network is not there (any more). */
  readonly mendNetwork: (network: string) => Promise<void>;
  readonly events: EventLog;
  readonly loopback: LoopbackGet;
  /** Makes the node known to the agent. */
  readonly enroll: (node: LiveNode) => Promise<void>;
  readonly concurrency: number;
  readonly onReady: (node: LiveNode) => void;
  /** Told of the first failure as it happens; the requests that are under way are still awaited then. */
  readonly onFailed: (error: unknown) => void;
  /** The bed's life: following goes on until it is aborted. */
  readonly bedSignal: AbortSignal;
  /** Followers that the bed must wait for at its end. */
  readonly followers: Promise<void>[];
}

/**
 * Creates and starts all nodes and waits until each is ready. Creating runs ahead of starting, so that the engine
 * always has `concurrency` of either in hand; a node with `after` is created at once and started when those are ready.
 * The first failure, or an abort, stops what has not begun; a request that is under way is awaited, since the engine would
 * carry it out behind our back and leave something after the clean-up.
 */
export async function startNodes(
  nodes: readonly LiveNode[],
  how: NodeStart,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  setMaxListeners(0, either);
  const gate = new Gate(how.concurrency);
  const ready = new Map<string, Promise<void>>();
  const starts = new Map<string, { resolve: () => void; reject: (reason: unknown) => void }>();
  for (const node of nodes) {
    const promise = new Promise<void>((resolve, reject) => starts.set(node.name, { resolve, reject }));
    promise.catch(() => undefined); // Failures are gathered below; a dependent's await sees them as well.
    ready.set(node.name, promise);
  }
  const results = await Promise.allSettled(
    nodes.map(async (node) => {
      const settle = starts.get(node.name);
      try {
        await startOne(node, how, gate, ready, either);
        settle?.resolve();
      } catch (error) {
        settle?.reject(error);
        if (!either.aborted) {
          how.onFailed(error);
          failed.abort(error);
        }
        throw error;
      }
    }),
  );
  signal.throwIfAborted();
  if (failed.signal.aborted) throw failed.signal.reason;
  const rejected = results.find((result) => result.status === 'rejected');
  if (rejected) throw rejected.reason;
}

async function startOne(
  node: LiveNode,
  how: NodeStart,
  gate: Gate,
  ready: ReadonlyMap<string, Promise<void>>,
  signal: AbortSignal,
): Promise<void> {
  const { plan } = node;
  await gate.pass(async () => {
    signal.throwIfAborted();
    const spec = nodeContainer({
      node: plan,
      address: node.address,
      networkId: how.networkOf(plan),
      image: node.image,
      bedId: how.bedId,
      labels: how.labels,
    });
    node.containerId = await mending(how, plan, () => how.engine.createContainer(spec));
  });
  await Promise.all(plan.after.map((name) => ready.get(name)));
  const readiness = awaitReady(node, plan.readiness, how.loopback, signal);
  readiness.catch(() => undefined); // Awaited below; it may fail while the start is still under way.
  await gate.pass(() => launch(node, how, signal));
  node.readyNs = await readiness;
  how.onReady(node);
}

/** Starts the container, reads its process, follows its log and makes it known to the agent. */
async function launch(node: LiveNode, how: NodeStart, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await mending(how, node.plan, () => how.engine.startContainer(node.containerId));
  const state = await how.engine.inspectContainer(node.containerId);
  if (!state) {
    throw new SquallError(`node ${node.name}: its container vanished as it started; expected it to run`, {
      code: 'node-vanished',
      facts: { node: node.name, containerId: node.containerId },
      hint: 'Somebody else removed it: look for a prune or a sweep on this engine.',
    });
  }
  node.began(state.pid);
  how.followers.push(followNode(how.engine, node, how.events, how.bedSignal));
  if (state.running) await enrollLiving(node, how);
}

/** A process that ended on the way to the agent is no fault of the agent's: the race for readiness says how it ended. */
async function enrollLiving(node: LiveNode, how: NodeStart): Promise<void> {
  try {
    await how.enroll(node);
  } catch (error) {
    if (!(error instanceof SquallError) || error.code !== 'agent-no-process') throw error;
    const state = await how.engine.inspectContainer(node.containerId);
    if (state?.running && state.pid === node.pid) throw error;
  }
}

/** Tries once more after the network was made again (incident 17: a prune took it while nothing was attached). */
async function mending<T>(how: NodeStart, plan: ResolvedNode, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SquallError) || error.code !== 'network-not-found') throw error;
    how.events.noteError(error.message);
    await how.mendNetwork(plan.network);
    return await work();
  }
}
