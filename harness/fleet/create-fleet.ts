import type { SeededStream } from '../random/index.ts';

/** One client of a fleet. */
export interface FleetClient {
  /** `node/1`, `node/2`, … */
  readonly name: string;
  /** 1-based. */
  readonly index: number;
  /** Bind it: `localAddress` of a socket, or `agentFor` of a request. */
  readonly address: string;
  /** The client's own chance, the same in each repetition. */
  readonly chance: SeededStream;
}

/**
 * @param node the node's name
 * @param addresses one for each client
 * @param chance the node's stream of the concern `fleet`
 */
export function createFleet(node: string, addresses: readonly string[], chance: SeededStream): FleetClient[] {
  return addresses.map((address, position) => {
    const index = position + 1;
    return { name: `${node}/${index}`, index, address, chance: chance.derive(String(index)) };
  });
}
