import { NetworkPlaces, type Place24, placeGroup } from './placement.ts';
import type { ProblemList } from './problem-list.ts';
import type { NodeGroup } from './schema.ts';

/** A Linux bridge has 1,024 ports; the engine and the gateway need a few. */
const MAX_NODES_PER_NETWORK = 1_000;

/** A group as far as its places are concerned. */
export interface PlaceableGroup {
  readonly group: NodeGroup;
  readonly count: number;
  readonly network: string;
}

/** Places of a group's nodes, and of the clients inside each of them. */
export interface GroupPlaces {
  readonly nodes: readonly Place24[];
  readonly fleets: readonly (readonly Place24[])[];
}

/**
 * Places for every group, in their order. Fixed ones are reserved first, so that no automatic one takes them, and fleets
 * come last, so that a larger fleet moves no node.
 */
export function placeNodes(
  groups: readonly PlaceableGroup[],
  networks: readonly string[],
  prefix: number,
  problems: ProblemList,
): GroupPlaces[] {
  const places = new Map(networks.map((name) => [name, new NetworkPlaces(prefix)]));
  checkNetworks(groups, networks, problems);
  for (const [index, { group, count, network }] of groups.entries()) {
    if (!group.at) continue;
    const path = ['nodes', index, 'at'];
    if (count > 1) problems.add(path, `one place for ${count} nodes; expected a count of 1`);
    const wrong = places.get(network)?.reserve({ slash24: group.at.slash24, hostIndex: group.at.host });
    if (wrong) problems.add(path, wrong);
  }
  const nodes = groups.map((placeable, index): readonly Place24[] => {
    const found = placesOf(placeable, places.get(placeable.network));
    if (typeof found !== 'string') return found;
    problems.add(['nodes', index], found);
    return [];
  });
  return groups.map((placeable, index) => ({
    nodes: nodes[index] ?? [],
    fleets: fleetsOf(placeable, places.get(placeable.network), index, problems),
  }));
}

function checkNetworks(
  groups: readonly PlaceableGroup[],
  networks: readonly string[],
  problems: ProblemList,
): void {
  for (const [index, { network }] of groups.entries()) {
    if (networks.includes(network)) continue;
    problems.add(
      ['nodes', index, 'network'],
      `no network is called "${network}"; expected one of ${networks.join(', ')}`,
    );
  }
  for (const network of networks) {
    const count = groups.reduce((sum, group) => sum + (group.network === network ? group.count : 0), 0);
    if (count <= MAX_NODES_PER_NETWORK) continue;
    problems.add(
      ['nodes'],
      `network "${network}" has ${count} nodes; expected at most ${MAX_NODES_PER_NETWORK} on one bridge, and further networks for more`,
    );
  }
}

function placesOf({ group, count }: PlaceableGroup, places: NetworkPlaces | undefined): Place24[] | string {
  if (!places || count === 0) return [];
  if (group.at) return [{ slash24: group.at.slash24, hostIndex: group.at.host }];
  return placeGroup(group, count, places);
}

function fleetsOf(
  { group, count }: PlaceableGroup,
  places: NetworkPlaces | undefined,
  index: number,
  problems: ProblemList,
): Place24[][] {
  const fleets = Array.from({ length: count }, () =>
    Array.from({ length: group.fleet }, () => places?.nextSpread()).filter((place) => place !== undefined),
  );
  if (places && fleets.some((fleet) => fleet.length < group.fleet)) {
    problems.add(
      ['nodes', index, 'fleet'],
      `${group.fleet} addresses for each of ${count} nodes do not fit into the subnet, which holds ${places.capacity}`,
    );
  }
  return fleets;
}
