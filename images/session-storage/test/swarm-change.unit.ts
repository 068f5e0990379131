import { expect } from 'chai';
import {
  INVALID_SWARM_ID,
  type NetworkList,
  nodeIdentity,
  type ServiceNode,
} from '../../session-kit/index.ts';
import { keepAddresses, swarmChange } from '../swarm-change.ts';

const keyOf = (name: string): string => nodeIdentity('7', name).ed25519;

function node(name: string, swarmId: bigint): ServiceNode {
  const { ed25519, x25519, legacy } = nodeIdentity('7', name);
  return {
    ed25519,
    x25519,
    legacy,
    swarmId,
    ip: '198.18.0.1',
    httpsPort: 1,
    omqPort: 2,
    version: [2, 12, 0],
  };
}

/** `{a: 1}`: node a in the swarm of id 1; 0 for none. */
function listOf(swarms: Readonly<Record<string, number>>): NetworkList {
  const nodes = Object.entries(swarms).map(([name, id]) =>
    node(name, id === 0 ? INVALID_SWARM_ID : BigInt(id)),
  );
  return { height: 1, blockHash: '', hardfork: [19, 4], labels: new Map(), nodes };
}

describe('what a new list means to a node', () => {
  const change = (before: Record<string, number> | undefined, after: Record<string, number>) => {
    const { swarmId, joined, ...rest } = swarmChange(before && listOf(before), listOf(after), keyOf('a'));
    return { ...rest, swarmId, joined: joined.map(({ ed25519 }) => ed25519) };
  };
  const idle = { swarmId: 1n, moved: false, dissolved: false, joined: [], newSwarms: [] };

  it('is nothing when it has just started, or nothing changed', () => {
    expect(change(undefined, { a: 1, b: 1 })).to.deep.equal({ ...idle, moved: true });
    expect(change({ a: 1, b: 1 }, { a: 1, b: 1 })).to.deep.equal(idle);
    expect(change({ a: 0, b: 1 }, { a: 1, b: 1 })).to.deep.equal({ ...idle, moved: true });
  });

  it('is new members, and new swarms, when it stays', () => {
    expect(change({ a: 1, b: 1, c: 2 }, { a: 1, b: 1, c: 1 })).to.deep.equal({
      ...idle,
      joined: [keyOf('c')],
    });
    expect(change({ a: 1, b: 1 }, { a: 1, b: 3 })).to.deep.equal({ ...idle, newSwarms: [3n] });
    expect(change({ a: 1, b: 1, c: 2 }, { a: 1, b: 1 })).to.deep.equal(idle);
  });

  it('is nothing when it is moved while others stay, and everything when its swarm is dissolved', () => {
    const moved = { ...idle, swarmId: 2n, moved: true };
    expect(change({ a: 1, b: 1, c: 2 }, { a: 2, b: 1, c: 2 })).to.deep.equal(moved);
    expect(change({ a: 1, b: 1, c: 2 }, { a: 2, b: 2, c: 2 })).to.deep.equal({ ...moved, dissolved: true });
  });

  it('is nothing to do when it is in no swarm any more', () => {
    expect(change({ a: 1, b: 1 }, { a: 0, b: 1 })).to.deep.equal({
      ...idle,
      swarmId: INVALID_SWARM_ID,
      moved: true,
    });
    expect(change({ a: 1, b: 1 }, { b: 1 })).to.deep.equal({
      ...idle,
      swarmId: INVALID_SWARM_ID,
      moved: true,
    });
  });

  it('keeps the address of a node that is listed without one', () => {
    const bare = { ip: '0.0.0.0', httpsPort: 0, omqPort: 0 };
    const after: NetworkList = {
      ...listOf({}),
      nodes: [
        { ...node('a', 1n), ...bare },
        { ...node('new', 1n), ...bare },
      ],
    };
    const kept = keepAddresses(listOf({ a: 1 }), after);
    expect(kept.nodes.map(({ ip, httpsPort }) => [ip, httpsPort])).to.deep.equal([
      ['198.18.0.1', 1],
      ['0.0.0.0', 0],
    ]);
  });
});
