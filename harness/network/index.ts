/**
 * network: which addresses a bed has.
 *
 *     198.18.0.0/15 − engine's 198.18.240.0/20 − engine's networks − host's routes − living leases ─▶ /20 ─▶ layout
 *
 * Defaults: /20 a bed; gateway the last usable address; the last /26 for containers without a fixed address; nodes in
 * the rest, spread over the /24s. Not here: creating networks (testnet, through the engine) and redirection (fault).
 */
export { BRIDGE_NODES_MAX, checkBridgePorts } from './bridge-ports.ts';
export { readHostRoutes } from './host-routes.ts';
export { type Block, formatBlock, overlaps, parseBlock } from './ipv4.ts';
export {
  type LeaseOptions,
  leaseSubnet,
  listSubnetLeases,
  type SubnetHolder,
  type SubnetLease,
} from './lease-subnet.ts';
export { candidateBlocks, DEFAULT_BED_PREFIX, layoutSubnet, type SubnetLayout } from './subnet-plan.ts';
