import type { Engine } from '../engine/index.ts';
import { SquallError } from '../errors/index.ts';
import { type AgentClient, type FaultBedPort, type FaultNode, ToxiproxySupply } from '../fault/index.ts';
import { ensureImage } from '../image/index.ts';
import { stream } from '../random/index.ts';
import { type AddressedNode, select } from '../topology/index.ts';
import { adminRequest } from './admin-request.ts';
import type { LoopbackGet } from './await-ready.ts';
import type { EventLog } from './event-log.ts';
import type { LiveNode } from './live-node.ts';
import { restoreEnvironment } from './reset-nodes.ts';
import { restartNodeAs } from './restart-as.ts';

export interface FaultPortParts {
  readonly engine: Engine;
  readonly bedId: string;
  readonly agent: AgentClient;
  readonly nodes: readonly LiveNode[];
  readonly events: EventLog;
  /** Network where Toxiproxy stands. */
  readonly networkId: string;
  readonly networkOf: (node: AddressedNode) => string;
  readonly labels: (kind: 'node' | 'toxiproxy') => Readonly<Record<string, string>>;
  readonly enroll: (node: LiveNode) => Promise<void>;
  readonly loopback: LoopbackGet;
}

/** The bed as the fault board sees it. Toxiproxy, when some fault or link starts it, is removed with the bed. */
export function faultPort(parts: FaultPortParts): FaultBedPort {
  const { engine, agent, nodes, events, bedId } = parts;
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const live = (name: string): LiveNode => {
    const node = byName.get(name);
    if (node) return node;
    throw new SquallError(`node "${name}": not in bed ${bedId}`, { code: 'no-such-node', blame: 'input' });
  };
  const supply = new ToxiproxySupply({
    engine,
    agent,
    networkId: parts.networkId,
    bedId,
    labels: parts.labels('toxiproxy'),
    image: async () => (await ensureImage(engine, { kind: 'ours', name: 'toxiproxy' })).reference,
  });
  return {
    bedId,
    engine,
    agent,
    nodes: () => nodes.map(faultNode),
    select: (selector, seed) =>
      select(
        selector,
        nodes.map((node) => node.plan),
        stream(seed, 'targets'),
      ),
    async refreshNode(name, signal) {
      const node = live(name);
      const state = await engine.inspectContainer(node.containerId);
      if (!state?.running) {
        throw new SquallError(
          `node ${name}: is ${state ? 'not running' : 'gone'}; expected it to run again`,
          {
            code: 'node-not-running',
            facts: { node: name, state },
          },
        );
      }
      if (state.pid !== node.pid || node.exit) {
        node.began(state.pid);
        events.emit('node.restarted', { pid: state.pid }, name);
        await parts.enroll(node);
        if (node.isOverridden)
          await restoreEnvironment({ agent, events, node, ...(signal ? { signal } : {}) });
      }
      return faultNode(node);
    },
    expectExit: (name) => live(name).expectExit('a fault of ours'),
    toxiproxy: () => supply.get(),
    adminRequest: (name, method, path, body, signal) =>
      adminRequest(agent, live(name), { method, path, body, ...(signal ? { signal } : {}) }),
    async restartAs(name, as, signal) {
      const node = live(name);
      await restartNodeAs(node, as, {
        ...parts,
        labels: parts.labels('node'),
        signal: signal ?? new AbortController().signal,
      });
      events.emit('node.restarted', { pid: node.pid, ...as }, name);
      return faultNode(node);
    },
  };
}

function faultNode(node: LiveNode): FaultNode {
  const { name, containerId, pid, startedNs, address, image, imageKind, adminPort } = node.describe();
  return {
    name,
    containerId,
    pid,
    startedNs,
    address,
    fleetAddresses: node.plan.fleetAddresses,
    image,
    imageKind,
    ...(adminPort === undefined ? {} : { adminPort }),
  };
}
