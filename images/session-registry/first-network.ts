import type { SeededStream } from '../../harness/random/index.ts';
import { nodeIdentity, parseIpv4 } from '../session-kit/index.ts';
import { inputError } from './input-error.ts';
import { type ListedFacts, Network, type RegisteredNode } from './network.ts';

export interface NetworkPlan {
  /** name@address, in the order in which swarms are filled. */
  readonly nodes: readonly string[];
  readonly reserve: readonly string[];
  readonly unproven: readonly string[];
  readonly swarmSize: number;
  readonly swarmIds: 'spread' | 'seeded';
  readonly seed: string;
  readonly facts: ListedFacts;
}

/** The network of the first epoch. @throws SquallError `bad-epoch` (input) */
export function firstNetwork(plan: NetworkPlan, chance: SeededStream): Network {
  const places = plan.nodes.map(parsePlace);
  const names = places.map(({ name }) => name);
  for (const name of [...plan.reserve, ...plan.unproven]) {
    if (!names.includes(name))
      throw inputError(`${name}: no node of that name; expected one of ${names.join(', ')}`);
  }
  const members = names.filter((name) => !plan.reserve.includes(name));
  if (members.length === 0) throw inputError('SQUALL_NODES: no node is registered; expected one or more');
  const count = Math.max(1, Math.floor(members.length / plan.swarmSize));
  const labelOf = (name: string): string =>
    String(Math.min(count, Math.floor(members.indexOf(name) / plan.swarmSize) + 1));
  const nodes = new Map<string, RegisteredNode>(
    places.map(({ name, ip }) => [
      name,
      {
        identity: nodeIdentity(plan.seed, name),
        ip,
        swarm: members.includes(name) ? labelOf(name) : undefined,
        registered: members.includes(name),
        proven: !plan.unproven.includes(name),
      },
    ]),
  );
  const ids = plan.swarmIds === 'spread' ? spread(count) : drawn(count, chance);
  return new Network(nodes, new Map(ids.map((id, index) => [String(index + 1), id])), plan.facts);
}

function parsePlace(text: string): { readonly name: string; readonly ip: string } {
  const [name = '', ip = '', ...more] = text.split('@');
  if (name === '' || more.length > 0 || !parseIpv4(ip))
    throw inputError(`SQUALL_NODES: ${JSON.stringify(text)} found; expected name@address`);
  return { name, ip };
}

function spread(count: number): bigint[] {
  const step = 2n ** 64n / BigInt(count);
  return Array.from({ length: count }, (_, index) => step * BigInt(index) + step / 2n);
}

function drawn(count: number, chance: SeededStream): bigint[] {
  const ids = new Set<bigint>();
  while (ids.size < count) ids.add((Buffer.from(chance.bytes(8)).readBigUInt64BE() >> 1n) << 1n);
  return [...ids];
}
