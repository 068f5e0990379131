import type { ContainerState, ContainerSummary, Engine } from '../engine/index.ts';
import { SquallError } from '../errors/index.ts';
import type { AddressedNode } from '../topology/index.ts';

/** Labels that docker-compose gives its containers, in both of its generations. */
export const COMPOSE_LABEL = {
  project: 'com.docker.compose.project',
  service: 'com.docker.compose.service',
  number: 'com.docker.compose.container-number',
  oneOff: 'com.docker.compose.oneoff',
} as const;

/** A container of a running project, as a node. */
export interface ProjectNode {
  readonly plan: AddressedNode;
  readonly containerId: string;
  readonly imageId: string;
  readonly pid: number;
}

export interface ComposeProject {
  readonly nodes: readonly ProjectNode[];
  /** Names of the networks that its nodes have addresses in. */
  readonly networks: readonly string[];
  /** A sentence for each container that cannot be a node. */
  readonly leftOut: readonly string[];
}

/**
 * The running containers of a compose project, read and not touched: services are roles, `SERVICE-NUMBER` are nodes. One
 * without an address of its own is left out, since it shares the host's network or another container's, and a fault
 * would meet those.
 * @throws SquallError `no-such-project` (input) with the projects that there are
 */
export async function readComposeProject(engine: Engine, project: string): Promise<ComposeProject> {
  const listed = await engine.listContainers([`${COMPOSE_LABEL.project}=${project}`]);
  if (listed.length === 0) throw await noSuchProject(engine, project);
  const leftOut: string[] = [];
  const nodes: ProjectNode[] = [];
  const networks = new Set<string>();
  for (const container of [...listed].sort(byServiceAndNumber)) {
    const state = await engine.inspectContainer(container.id);
    const found = state && asNode(container, state);
    if (typeof found === 'object') {
      nodes.push(found);
      networks.add(found.plan.network);
    } else leftOut.push(`container ${container.name}: ${found ?? 'is gone'}`);
  }
  requireDistinct(project, nodes);
  if (nodes.length > 0) return { nodes, networks: [...networks], leftOut };
  throw new SquallError(`compose project ${project}: has no container that can be a node`, {
    code: 'no-such-project',
    blame: 'input',
    facts: { leftOut },
    hint: `${leftOut.join('; ')}.`,
  });
}

/** The node, or why it cannot be one. */
function asNode({ id, image, labels }: ContainerSummary, state: ContainerState): ProjectNode | string {
  if (labels[COMPOSE_LABEL.oneOff]?.toLowerCase() === 'true') return 'was started for one command alone';
  if (!state.running || state.pid === 0) return 'does not run';
  if (state.paused) return 'is paused';
  const [first] = state.addresses;
  if (!first) return 'has no address of its own (it shares a network namespace, or has none)';
  const service = labels[COMPOSE_LABEL.service] ?? '';
  const role = roleOf(service);
  const index = Number(labels[COMPOSE_LABEL.number] ?? 1);
  if (role === '' || !Number.isInteger(index) || index < 1) return 'has no service and number of compose';
  return {
    containerId: id,
    imageId: state.imageId,
    pid: state.pid,
    plan: {
      name: `${role}-${index}`,
      role,
      index,
      image: { kind: 'reference', reference: image },
      environment: {},
      labels: { service },
      network: first.network,
      address: first.address,
      fleetAddresses: [],
      hostIndex: 0,
      slash24: 0,
      fleet: [],
      resources: {},
      ports: {},
      readiness: { kind: 'started', timeoutMs: 0 },
      adapters: [],
      after: [],
    },
  };
}

/** A service's name as selectors can say it: `web_server` is `web-server`. */
function roleOf(service: string): string {
  const name = service.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return name.replaceAll(/^[^a-z]+|-+$/g, '');
}

function byServiceAndNumber(a: ContainerSummary, b: ContainerSummary): number {
  const key = ({ labels }: ContainerSummary): string => labels[COMPOSE_LABEL.service] ?? '';
  const number = ({ labels }: ContainerSummary): number => Number(labels[COMPOSE_LABEL.number] ?? 0);
  return key(a).localeCompare(key(b)) || number(a) - number(b);
}

function requireDistinct(project: string, nodes: readonly ProjectNode[]): void {
  const names = nodes.map(({ plan }) => plan.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new SquallError(`compose project ${project}: two containers would both be node ${twice}`, {
    code: 'ambiguous-project',
    blame: 'input',
    hint: 'Their services differ in signs only that node names cannot have; rename one.',
  });
}

async function noSuchProject(engine: Engine, project: string): Promise<SquallError> {
  const all = await engine.listContainers([COMPOSE_LABEL.project]);
  const known = [...new Set(all.map(({ labels }) => labels[COMPOSE_LABEL.project] ?? ''))].sort();
  return new SquallError(`compose project ${project}: has no container on this engine`, {
    code: 'no-such-project',
    blame: 'input',
    facts: { known },
    hint: known.length > 0 ? `There are: ${known.join(', ')}.` : 'No compose project runs on it.',
  });
}
