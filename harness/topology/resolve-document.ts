import type { ProblemPath } from '../document/index.ts';
import { imageAdapters, resolveAdapters } from './adapters.ts';
import { checkOverrides } from './check-overrides.ts';
import { checkPlaceholders } from './check-placeholders.ts';
import type { ImageDescription } from './image-description.ts';
import { type NamedNode, nameNodes } from './name-nodes.ts';
import { NameRegister, wrongName } from './node-names.ts';
import { placeNodes } from './place-nodes.ts';
import type { ProblemList } from './problem-list.ts';
import { resolveReadiness } from './readiness.ts';
import { resolveDiagnosis } from './resolve-diagnosis.ts';
import { resolveImage } from './resolve-image.ts';
import { resolveLinks } from './resolve-links.ts';
import type { NodeGroup, TopologyDocument } from './schema.ts';
import { findCycle, resolveAfter } from './start-order.ts';
import type { ResolvedNode, ResolvedTopology, TopologyOverrides } from './types.ts';

const DEFAULT_NETWORK = 'bed';

/** Document → topology; whatever is wrong goes into `problems`, and the result counts only when there is none. */
export function resolveDocument(
  written: TopologyDocument,
  overrides: TopologyOverrides,
  images: readonly ImageDescription[],
  problems: ProblemList,
): ResolvedTopology {
  const document = withImages(written, overrides.images);
  checkOverrides(overrides, document.nodes, images, problems);
  const networks = resolveNetworks(document, problems);
  const counts = document.nodes.map((group) => overrides.counts?.[group.role] ?? group.count);
  const named = nameNodes(document.nodes, counts, problems);
  if (named.length === 0 && !problems.within(['nodes']))
    problems.add(['nodes'], 'the topology has no node; expected at least one');

  const networkOf = (group: NodeGroup): string => group.network ?? networks[0]?.name ?? DEFAULT_NETWORK;
  const placed = placeNodes(
    document.nodes.map((group, index) => ({
      group,
      count: counts[index] ?? 0,
      network: networkOf(group),
    })),
    networks.map((network) => network.name),
    document.prefix,
    problems,
  );
  const after = resolveAfter(document.nodes, named, problems);
  const parts = document.nodes.map((group, index) =>
    resolveGroup(group, networkOf(group), ['nodes', index], overrides, images, named, problems),
  );

  const nodes = named.map(({ group: groupIndex, ordinal, name, role, index, labels }): ResolvedNode => {
    const part = parts[groupIndex] as ReturnType<typeof resolveGroup>;
    return {
      name,
      role,
      index,
      labels,
      ...part,
      // Where no place was found, a problem says so and the topology is not used.
      ...(placed[groupIndex]?.nodes[ordinal] ?? { slash24: 0, hostIndex: 0 }),
      fleet: placed[groupIndex]?.fleets[ordinal] ?? [],
      after: (after[groupIndex] ?? []).filter((earlier) => earlier !== name),
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

/** The topology with other images in the place of some roles' own. */
function withImages(document: TopologyDocument, images: TopologyOverrides['images']): TopologyDocument {
  if (!images) return document;
  const nodes = document.nodes.map((group) => ({ ...group, image: images[group.role] ?? group.image }));
  return { ...document, nodes };
}

function resolveNetworks(document: TopologyDocument, problems: ProblemList): ResolvedTopology['networks'] {
  const register = new NameRegister(problems);
  for (const [index, network] of document.networks.entries()) {
    const path = ['networks', index, 'name'];
    if (network.name === '') {
      problems.addEmpty(path, 'a name');
      continue;
    }
    const wrong = wrongName(network.name);
    if (wrong) problems.add(path, wrong);
    register.claim(network.name, `network ${index + 1}`, path);
  }
  return document.networks.length > 0 ? document.networks : [{ name: DEFAULT_NETWORK, ipv6: false }];
}

/** What all nodes of a group have in common. */
function resolveGroup(
  group: NodeGroup,
  network: string,
  path: ProblemPath,
  overrides: TopologyOverrides,
  images: readonly ImageDescription[],
  named: readonly NamedNode[],
  problems: ProblemList,
) {
  const resolved = resolveImage(group, overrides, images, path, problems);
  const adapters = [
    ...resolveAdapters(group.adapters, [...path, 'adapters'], problems),
    ...imageAdapters(resolved.image, images, path, problems),
  ];
  const ours = resolved.image.kind === 'ours';
  checkPorts(resolved.ports, resolved.adminPort, path, problems);
  checkPlaceholders(group, path, named, problems);
  const { memory, cpus, pids } = group.resources;
  const tmpfs = overrides.tmpfsBytes?.[group.role] ?? group.resources.tmpfs;
  return {
    image: resolved.image,
    network,
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
    ...(group.diagnosis.length > 0 && {
      diagnosis: resolveDiagnosis(group, resolved.adminPort, [...path, 'diagnosis'], problems),
    }),
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
