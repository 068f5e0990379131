import {
  hasAddress,
  INVALID_SWARM_ID,
  type NetworkList,
  type ServiceNode,
  SwarmMap,
} from '../session-kit/index.ts';

/** What a new list means to a node that had another, by the rules of the storage server. */
export interface SwarmChange {
  /** INVALID_SWARM_ID: it is in no swarm now. */
  readonly swarmId: bigint;
  readonly moved: boolean;
  /** Its old swarm is no more: everything it has goes to whoever owns it now. */
  readonly dissolved: boolean;
  /** New members of its swarm, who get everything. */
  readonly joined: readonly ServiceNode[];
  /** Swarms that were not there before: they get what is theirs now. */
  readonly newSwarms: readonly bigint[];
}

/**
 * A node that starts in a swarm does nothing; one that was moved does nothing, unless its swarm was dissolved, since the members
 * who stayed have the same data; one that stayed looks after new members and new swarms.
 * @param own the node's Ed25519 key
 */
export function swarmChange(before: NetworkList | undefined, after: NetworkList, own: string): SwarmChange {
  const [was, is] = [swarmIdIn(before, own), swarmIdIn(after, own)];
  const idle = { swarmId: is, moved: was !== is, dissolved: false, joined: [], newSwarms: [] };
  if (before === undefined || is === INVALID_SWARM_ID || was === INVALID_SWARM_ID) return idle;
  const [old, now] = [new SwarmMap(before.nodes), new SwarmMap(after.nodes)];
  if (was !== is) return { ...idle, dissolved: !now.has(was) };
  const known = new Set(old.members(was).map(({ ed25519 }) => ed25519));
  return {
    ...idle,
    joined: now.members(is).filter(({ ed25519 }) => ed25519 !== own && !known.has(ed25519)),
    newSwarms: now.ids.filter((id) => !old.has(id)),
  };
}

/** A node that is listed without an address keeps the one that it had. */
export function keepAddresses(before: NetworkList | undefined, after: NetworkList): NetworkList {
  const known = new Map(before?.nodes.filter(hasAddress).map((node) => [node.ed25519, node]));
  const nodes = after.nodes.map((node) => {
    const old = hasAddress(node) ? undefined : known.get(node.ed25519);
    return old ? { ...node, ip: old.ip, httpsPort: old.httpsPort, omqPort: old.omqPort } : node;
  });
  return { ...after, nodes };
}

function swarmIdIn(list: NetworkList | undefined, own: string): bigint {
  return list?.nodes.find(({ ed25519 }) => ed25519 === own)?.swarmId ?? INVALID_SWARM_ID;
}
