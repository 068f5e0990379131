import type { ProblemPath } from '../document/index.ts';
import { resolveAdapters } from './adapters.ts';
import { checkOverrides } from './check-overrides.ts';
import { checkPlaceholders } from './check-placeholders.ts';
import type { ImageDescription } from './image-description.ts';
import { NameRegister, wrongName } from './node-names.ts';
import { NetworkPlaces, type Place24, placeGroup } from './placement.ts';
import type { ProblemList } from './problem-list.ts';
import { resolveReadiness } from './readiness.ts';
import { resolveImage } from './resolve-image.ts';
import { resolveLinks } from './resolve-links.ts';
import type { NodeGroup, TopologyDocument } from './schema.ts';
import { findCycle, resolveAfter } from './start-order.ts';
import type { ResolvedNode, ResolvedTopology, TopologyOverrides } from './types.ts';

const DEFAULT_NETWORK = 'bed';
/** A Linux bridge has 1,024 ports; the engine and the gateway need a few. */
const MAX_NODES_PER_NETWORK = 1_000;

interface NamedNode {
  readonly name: string;
  readonly role: string;
  readonly index: number;
  readonly group: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** Document → topology; whatever is wrong goes into `problems`, and the result counts only when there is none. */
export function resolveDocument(
  document: TopologyDocument,
  overrides: TopologyOverrides,
  images: readonly ImageDescription[],
  problems: ProblemList,
): ResolvedTopology {
  checkOverrides(overrides, document.nodes, images, problems);
  const networks = resolveNetworks(document, problems);
  const counts = document.nodes.map((group) => overrides.counts?.[group.role] ?? group.count);
  const named = nameNodes(document.nodes, counts, problems);
  if (named.length === 0 && !problems.within(['nodes']))
    problems.add(['nodes'], 'the topology has no node; expected at least one');

  const placed = placeNodes(document, counts, networks, problems);
  const after = resolveAfter(document.nodes, named, problems);
  const parts = document.nodes.map((group, index) =>
    resolveGroup(group, ['nodes', index], overrides, images, named, problems),
  );

  const nodes = named.map((node, ordinal): ResolvedNode => {
    const group = document.nodes[node.group] as NodeGroup;
    const part = parts[node.group] as ReturnType<typeof resolveGroup>;
    const place = placed.nodes[ordinal] ?? { slash24: 0, hostIndex: 0 };
    return {
      name: node.name,
      role: node.role,
      index: node.index,
      labels: node.labels,
      ...part,
      network: group.network ?? networks[0]?.name ?? DEFAULT_NETWORK,
      ...place,
      fleet: placed.fleets[ordinal] ?? [],
      after: (after[node.group] ?? []).filter((name) => name !== node.name),
    };
  });
  const cycle = findCycle(new Map(nodes.map((node) => [node.name, node.after])));
  if (cycle) {
    const first = named.find((node) => node.name === cycle[0])?.group ?? 0;
    problems.add(['nodes', first, 'after'], `no order to start in: ${cycle.join(' waits for ')}`);
  }
  return {
    name: document.name ?? '',
    description: document.description,
    nodes,
    links: resolveLinks(document.links, nodes, problems),
    networks,
    bedPrefix: document.prefix,
    mesh: document.mesh,
  };
}

function resolveNetworks(document: TopologyDocument, problems: ProblemList): ResolvedTopology['networks'] {
  const register = new NameRegister(problems);
  for (const [index, network] of document.networks.entries()) {
    const path = ['networks', index, 'name'];
    const wrong = network.name === '' ? undefined : wrongName(network.name);
    if (wrong) problems.add(path, wrong);
    register.claim(network.name, `network ${index + 1}`, path);
  }
  return document.networks.length > 0 ? document.networks : [{ name: DEFAULT_NETWORK, ipv6: false }];
}

/** `role-1`, `role-2`, … through all groups of a role, or a group's own name. */
function nameNodes(
  groups: readonly NodeGroup[],
  counts: readonly number[],
  problems: ProblemList,
): NamedNode[] {
  const register = new NameRegister(problems);
  const lastIndex = new Map<string, number>();
  const nodes: NamedNode[] = [];
  for (const [groupIndex, group] of groups.entries()) {
    const count = counts[groupIndex] ?? 0;
    const path: ProblemPath = ['nodes', groupIndex];
    if (group.role === '') continue;
    if (group.name !== undefined && count > 1) {
      problems.add([...path, 'name'], `one name for ${count} nodes; expected a count of 1`);
    }
    register.claim(group.role, `role "${group.role}"`, [...path, 'role']);
    const wrong =
      wrongName(group.role) ??
      (group.name === undefined ? wrongName(`${group.role}-${count}`) : wrongName(group.name));
    if (wrong)
      problems.add([...path, group.name === undefined || wrongName(group.role) ? 'role' : 'name'], wrong);
    const labels = Object.fromEntries(
      Object.entries(group.labels ?? {}).map(([key, value]) => [key, String(value)]),
    );
    for (let turn = 0; turn < count; turn += 1) {
      const index = (lastIndex.get(group.role) ?? 0) + 1;
      lastIndex.set(group.role, index);
      const name = group.name !== undefined && turn === 0 ? group.name : `${group.role}-${index}`;
      // A group of one may carry its role's own name; then both mean the same node.
      if (name !== group.role || count > 1) {
        register.claim(name, `node "${name}" of group ${groupIndex + 1}`, [
          ...path,
          group.name === undefined ? 'role' : 'name',
        ]);
      }
      nodes.push({ name, role: group.role, index, group: groupIndex, labels });
    }
  }
  return nodes;
}

/** Places in the order of the nodes; fixed ones are reserved first, so that no automatic one takes them. */
function placeNodes(
  document: TopologyDocument,
  counts: readonly number[],
  networks: ResolvedTopology['networks'],
  problems: ProblemList,
): { readonly nodes: readonly Place24[]; readonly fleets: readonly (readonly Place24[])[] } {
  const places = new Map(networks.map((network) => [network.name, new NetworkPlaces(document.prefix)]));
  const nodesIn = new Map<string, number>();
  const networkOf = (group: NodeGroup): string => group.network ?? networks[0]?.name ?? DEFAULT_NETWORK;
  for (const [index, group] of document.nodes.entries()) {
    const network = networkOf(group);
    if (!places.has(network)) {
      problems.add(
        ['nodes', index, 'network'],
        `no network is called "${network}"; expected one of ${[...places.keys()].join(', ')}`,
      );
    }
    nodesIn.set(network, (nodesIn.get(network) ?? 0) + (counts[index] ?? 0));
    if (!group.at) continue;
    if ((counts[index] ?? 0) > 1)
      problems.add(['nodes', index, 'at'], `one place for ${counts[index]} nodes; expected a count of 1`);
    const wrong = places.get(network)?.reserve({ slash24: group.at.slash24, hostIndex: group.at.host });
    if (wrong) problems.add(['nodes', index, 'at'], wrong);
  }
  for (const [network, count] of nodesIn) {
    if (count > MAX_NODES_PER_NETWORK) {
      problems.add(
        ['nodes'],
        `network "${network}" has ${count} nodes; expected at most ${MAX_NODES_PER_NETWORK} on one bridge, and further networks for more`,
      );
    }
  }
  const nodes: Place24[] = [];
  const fleets: Place24[][] = [];
  for (const [index, group] of document.nodes.entries()) {
    const own = places.get(networkOf(group));
    const count = group.role === '' ? 0 : (counts[index] ?? 0);
    if (!own || count === 0) {
      for (let turn = 0; turn < count; turn += 1) nodes.push({ slash24: 0, hostIndex: 0 });
      continue;
    }
    const found = group.at
      ? [{ slash24: group.at.slash24, hostIndex: group.at.host }]
      : placeGroup(group, count, own);
    if (typeof found === 'string') problems.add(['nodes', index], found);
    for (let turn = 0; turn < count; turn += 1) {
      nodes.push((typeof found === 'string' ? undefined : found[turn]) ?? { slash24: 0, hostIndex: 0 });
    }
  }
  for (const [index, group] of document.nodes.entries()) {
    for (let turn = 0; turn < (group.role === '' ? 0 : (counts[index] ?? 0)); turn += 1) {
      const fleet = Array.from({ length: group.fleet }, () => places.get(networkOf(group))?.nextSpread());
      const found = fleet.filter((place) => place !== undefined);
      if (found.length < fleet.length && turn === 0) {
        problems.add(
          ['nodes', index, 'fleet'],
          `${group.fleet} addresses for each of ${counts[index]} nodes do not fit into the subnet (/${document.prefix})`,
        );
      }
      fleets.push(found);
    }
  }
  return { nodes, fleets };
}

/** What all nodes of a group have in common. */
function resolveGroup(
  group: NodeGroup,
  path: ProblemPath,
  overrides: TopologyOverrides,
  images: readonly ImageDescription[],
  named: readonly NamedNode[],
  problems: ProblemList,
) {
  const resolved = resolveImage(group, overrides, images, path, problems);
  const adapters = resolveAdapters(group.adapters, [...path, 'adapters'], problems);
  const ours = resolved.image.kind === 'ours';
  checkPorts(resolved.ports, resolved.adminPort, path, problems);
  checkPlaceholders(group, path, named, problems);
  const { memory, cpus, tmpfs, pids } = group.resources;
  return {
    image: resolved.image,
    environment: resolved.environment,
    ports: resolved.ports,
    ...(group.command === undefined ? {} : { command: group.command }),
    ...(resolved.adminPort === undefined ? {} : { adminPort: resolved.adminPort }),
    resources: {
      ...(memory === undefined ? {} : { memoryBytes: memory }),
      ...(cpus === undefined ? {} : { cpus }),
      ...(tmpfs === undefined ? {} : { tmpfsBytes: tmpfs }),
      ...(pids === undefined ? {} : { pids }),
    },
    readiness: resolveReadiness(
      group,
      resolved.known ? ours : undefined,
      adapters,
      [...path, 'readiness'],
      problems,
    ),
    adapters,
  };
}

function checkPorts(
  ports: Readonly<Record<string, number>>,
  adminPort: number | undefined,
  path: ProblemPath,
  problems: ProblemList,
): void {
  const owners = new Map<number, string>(adminPort === undefined ? [] : [[adminPort, 'the admin port']]);
  for (const [name, port] of Object.entries(ports)) {
    const other = owners.get(port);
    if (other)
      problems.add([...path, 'ports', name], `port ${port} clashes with ${other}; expected one each`);
    owners.set(port, `port "${name}"`);
  }
}
