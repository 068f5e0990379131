import { SquallError } from '../errors/index.ts';
import { type Placeholder, replacePlaceholders } from './placeholders.ts';
import { select } from './selector.ts';
import type { AddressedNode, ResolvedNode, ResolvedTopology } from './types.ts';

/** Address of a host in a /24 of a network's leased subnet; a lease of one subnet may leave the network's name out. */
export type AddressAt = (slash24: number, hostIndex: number, network: string) => string;

/** The topology's nodes with their addresses, and every placeholder in environment and command replaced. */
export function addressNodes(
  topology: Pick<ResolvedTopology, 'name' | 'nodes'>,
  addressAt: AddressAt,
): readonly AddressedNode[] {
  const { nodes } = topology;
  const addresses = new Map(
    nodes.map((node) => [node.name, addressAt(node.slash24, node.hostIndex, node.network)]),
  );
  requireDifferent(topology.name, addresses);
  const selections = new Map<string, readonly string[]>();
  const selected = (selector: string): readonly string[] => {
    const names = selections.get(selector) ?? select(selector, nodes);
    selections.set(selector, names);
    return names;
  };
  const addressOf = (name: string): string => addresses.get(name) ?? '';

  return nodes.map((node) => {
    const address = addressOf(node.name);
    const fleetAddresses = node.fleet.map((place) => addressAt(place.slash24, place.hostIndex, node.network));
    const resolve = ({ word, selector, text }: Placeholder): string => {
      if (selector !== undefined) {
        const names = selected(selector);
        if (word === 'names') return names.join(',');
        if (word === 'peers') return names.map((name) => `${name}@${addressOf(name)}`).join(',');
        if (word === 'count') return String(names.length);
        return names.map(addressOf).join(',');
      }
      if (word === 'address') return address;
      if (word === 'fleet') return fleetAddresses.join(',');
      if (word === 'name' || word === 'role' || word === 'index') return String(node[word]);
      return text;
    };
    const replace = (text: string): string => replacePlaceholders(text, resolve);
    return { ...node, ...replaceAll(node, replace), address, fleetAddresses };
  });
}

function replaceAll(
  node: ResolvedNode,
  replace: (text: string) => string,
): Partial<ResolvedNode> & Pick<ResolvedNode, 'environment'> {
  return {
    environment: Object.fromEntries(
      Object.entries(node.environment).map(([key, value]) => [key, replace(value)]),
    ),
    ...(node.command === undefined ? {} : { command: node.command.map(replace) }),
  };
}

function requireDifferent(topology: string, addresses: ReadonlyMap<string, string>): void {
  const owners = new Map<string, string>();
  for (const [name, address] of addresses) {
    const other = owners.get(address);
    if (other !== undefined) {
      throw new SquallError(
        `topology ${topology}: ${other} and ${name} got the same address ${address}; expected one each`,
        {
          code: 'address-clash',
          facts: { address, nodes: [other, name] },
        },
      );
    }
    owners.set(address, name);
  }
}
