/**
 * fleet: many clients in one container, an address each.
 *
 *   topology `fleet: 50` ─▶ SQUALL_FLEET ─▶ awaitAddresses ─▶ createFleet ─▶ clients, each with name, address and chance
 *
 * The packet agent adds the addresses to the container's interface when the node is enrolled (nothing inside a container may);
 * a client binds its own as `localAddress`, so that peers see as many callers as there are clients. Used inside images:
 * imports nothing that acts. Not here: which addresses (topology), what a client does (the image).
 */
export { awaitAddresses } from './await-addresses.ts';
export { createFleet, type FleetClient } from './create-fleet.ts';
export { agentFor } from './http-agent.ts';
