import type { SeededStream } from '../../harness/random/index.ts';
import {
  type Account,
  type AnswerFacts,
  type ServiceNode,
  type Swarm,
  swarmJson,
} from '../session-kit/index.ts';
import type { NetworkView } from './network-view.ts';
import type { StormSpec } from './storm-spec.ts';

/** Nodes that are made up when a storm does not say how many. */
const UNKNOWN_COUNT = 6;
const FALSE_IP = '198.19.255.254';
const FALSE_PORT = 9;

export interface StormScene {
  readonly spec: StormSpec;
  readonly view: NetworkView;
  /** Who answers. */
  readonly own: string;
  /** Undefined where a relay forges without knowing whom the request is about. */
  readonly account: Account | undefined;
  readonly facts: AnswerFacts;
  readonly ownEcho: boolean;
  readonly chance: SeededStream;
}

/** The body of a stormy answer. */
export function stormBody(scene: StormScene): unknown {
  if (scene.spec.redirect === 'garbage') return { snodes: { a: [1] }, swarm: 7, pubkey: ['x'] };
  const { id, nodes } = namedSwarm(scene);
  const limited = scene.spec.count === undefined ? nodes : nodes.slice(0, scene.spec.count);
  return swarmJson({ id, nodes: limited }, scene.facts, echoOf(scene));
}

function namedSwarm({ spec, view, own, account, chance }: StormScene): Swarm<ServiceNode> {
  const honest = (account && view.swarmOf(account)) ?? {
    id: view.swarmId,
    nodes: view.swarms.members(view.swarmId),
  };
  const self = view.find(own);
  switch (spec.redirect) {
    case 'none':
      return { id: honest.id, nodes: [] };
    case 'itself':
      return { id: honest.id, nodes: self ? [self] : [] };
    case 'other-swarm':
      return neighbour(view, honest.id);
    case 'unknown':
      return { id: honest.id, nodes: madeUp(spec.count ?? UNKNOWN_COUNT, chance) };
    case 'partly-unknown': {
      const half = Math.ceil((spec.count ?? honest.nodes.length) / 2);
      return { id: honest.id, nodes: [...honest.nodes.slice(0, half), ...madeUp(UNKNOWN_COUNT, chance)] };
    }
    case 'duplicates':
      return {
        id: honest.id,
        nodes: honest.nodes.flatMap((node) => [
          node,
          { ...node, ip: '0.0.0.0', httpsPort: 0, omqPort: 0 },
          node,
        ]),
      };
    case 'bounce':
      return bounce({ spec, view, own });
    case 'false-addresses':
      return {
        id: honest.id,
        nodes: honest.nodes.map((node) => ({
          ...node,
          ip: FALSE_IP,
          httpsPort: FALSE_PORT,
          omqPort: FALSE_PORT,
        })),
      };
    default:
      return honest;
  }
}

/** The other of two groups: those named, or this node's swarm and its neighbour on the ring. */
function bounce({ spec, view, own }: Pick<StormScene, 'spec' | 'view' | 'own'>): Swarm<ServiceNode> {
  const [first, second] = spec.groups;
  if (!first || !second) return neighbour(view, view.swarmId);
  const to = first.includes(own) ? second : first;
  return { id: view.swarmId, nodes: to.flatMap((key) => view.find(key) ?? []) };
}

/** The next swarm up the ring. */
function neighbour(view: NetworkView, id: bigint): Swarm<ServiceNode> {
  const { ids } = view.swarms;
  const next = ids.find((other) => other > id) ?? ids[0] ?? id;
  return { id: next, nodes: view.swarms.members(next) };
}

function madeUp(count: number, chance: SeededStream): ServiceNode[] {
  const key = (): string => Buffer.from(chance.bytes(32)).toString('hex');
  return Array.from({ length: count }, (_, index) => ({
    ed25519: key(),
    x25519: key(),
    legacy: key(),
    swarmId: 0n,
    ip: `198.19.254.${(index % 254) + 1}`,
    httpsPort: 22_021,
    omqPort: 22_020,
    version: [2, 12, 0] as const,
  }));
}

function echoOf({ spec, account, ownEcho, chance }: StormScene): string | undefined {
  if (spec.echo === 'other') return `05${Buffer.from(chance.bytes(32)).toString('hex')}`;
  const echoes = spec.echo === 'account' || (spec.echo === 'own' && ownEcho);
  return echoes ? account?.id : undefined;
}
