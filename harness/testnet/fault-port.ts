import type { Engine } from '../engine/index.ts';
import { SquallError } from '../errors/index.ts';
import type { AgentClient, FaultBedPort, FaultNode } from '../fault/index.ts';
import { stream } from '../random/index.ts';
import { select } from '../topology/index.ts';
import { adminRequest } from './admin-request.ts';
import type { BedNetworks } from './bed-networks.ts';
import type { EventLog } from './event-log.ts';
import type { LiveNode } from './live-node.ts';

/** The bed as the fault board sees it. */
export function faultPort(of: {
  readonly engine: Engine;
  readonly bedId: string;
  readonly agent: AgentClient;
  readonly nodes: readonly LiveNode[];
  readonly events: EventLog;
  readonly networks: BedNetworks;
  readonly labels: Readonly<Record<string, string>>;
}): FaultBedPort {
  const { engine, agent, nodes, events } = of;
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const live = (name: string): LiveNode => {
    const node = byName.get(name);
    if (node) return node;
    throw new SquallError(`node "${name}": not in bed ${of.bedId}`, { code: 'no-such-node', blame: 'input' });
  };
  return {
    bedId: of.bedId,
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
        await agent.enroll([{ name, pid: state.pid }], signal);
      }
      return faultNode(node);
    },
    expectExit(name) {
      const node = live(name);
      node.expectExit = 'a fault of ours';
      return () => {
        node.expectExit = undefined;
      };
    },
    toxiproxy() {
      throw new SquallError('toxiproxy: this bed starts none yet', {
        code: 'fault-unavailable',
        blame: 'input',
      });
    },
    adminRequest: (name, method, path, body, signal) =>
      adminRequest(agent, live(name), { method, path, body, ...(signal ? { signal } : {}) }),
  };
}

function faultNode(node: LiveNode): FaultNode {
  const { name, containerId, pid, address, image, imageKind, adminPort } = node.describe();
  return {
    name,
    containerId,
    pid,
    address,
    image,
    imageKind,
    ...(adminPort === undefined ? {} : { adminPort }),
  };
}
