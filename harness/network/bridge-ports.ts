import { SquallError } from '../errors/index.ts';

/**
 * Ports of a Linux bridge: BR_PORT_BITS is 10, so 1024 (net/bridge/br_private.h), of which port 0 is none. A margin is
 * left for what is not a node: the agent's side-cars, Toxiproxy, a suite's own containers.
 */
export const BRIDGE_NODES_MAX = 1_000;

/** @throws SquallError `bridge-full` (input) when one network is to carry more nodes than a bridge has ports. */
export function checkBridgePorts(network: string, nodes: number): void {
  if (nodes <= BRIDGE_NODES_MAX) return;
  throw new SquallError(
    `network ${network}: ${nodes} nodes do not fit on one Linux bridge; expected at most ${BRIDGE_NODES_MAX}`,
    {
      code: 'bridge-full',
      blame: 'input',
      hint: `Spread the nodes over at least ${Math.ceil(nodes / BRIDGE_NODES_MAX)} networks of the topology.`,
    },
  );
}
