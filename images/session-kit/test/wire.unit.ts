import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { identityOf } from '../../../harness/identity/index.ts';
import {
  blake2b,
  encodeNodeRecords,
  INVALID_SWARM_ID,
  nearestSwarm,
  networkListJson,
  nodeIdentity,
  parseAccount,
  parseJson,
  parseNetworkList,
  parseNodeRecords,
  personalAccount,
  ringDistance,
  ringPosition,
  type ServiceNode,
  SwarmMap,
  stringifyWithBigints,
  WireError,
  x25519OfEd25519,
} from '../index.ts';

const utf8 = (text: string): Buffer => Buffer.from(text);

function faultOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof WireError) return error.code;
    throw error;
  }
  return undefined;
}

function serviceNode(name: string, swarmId: bigint): ServiceNode {
  const { ed25519, x25519, legacy } = nodeIdentity('7', name);
  return {
    ed25519,
    x25519,
    legacy,
    swarmId,
    ip: '198.18.3.4',
    httpsPort: 22_021,
    omqPort: 22_020,
    version: [2, 12, 0],
  };
}

describe('the ring of swarms', () => {
  it('places an account by its key without the prefix, its four words XORed', () => {
    const words = [1n, 2n, 4n, 0xff00000000000000n];
    const key = Buffer.alloc(32);
    for (const [index, word] of words.entries()) key.writeBigUInt64BE(word, index * 8);
    expect(ringPosition(key)).to.equal(0xff00000000000007n);
    expect(parseAccount(`05${key.toString('hex')}`)?.position).to.equal(0xff00000000000007n);
  });

  it('tells ids apart that are the same number once they are rounded', () => {
    const [low, high] = [2n ** 63n, 2n ** 63n + 100n];
    expect(Number(low)).to.equal(Number(high));
    expect(nearestSwarm(2n ** 63n + 51n, [low, high])).to.equal(high);
    expect(nearestSwarm(2n ** 63n + 49n, [low, high])).to.equal(low);
  });

  it('gives the lower neighbour what is equally near', () => {
    expect(nearestSwarm(15n, [10n, 20n])).to.equal(10n);
    expect(nearestSwarm(16n, [10n, 20n])).to.equal(20n);
  });

  it('goes over the top, and position 2^64 − 1 is an ordinary one', () => {
    const ids = [100n, 2n ** 64n - 50n];
    expect(nearestSwarm(2n ** 64n - 1n, ids)).to.equal(2n ** 64n - 50n);
    expect(nearestSwarm(20n, ids)).to.equal(2n ** 64n - 50n);
    expect(nearestSwarm(26n, ids)).to.equal(100n);
    expect(ringDistance(2n ** 64n - 1n, 1n)).to.equal(2n);
  });

  it('has one swarm for all accounts when there is one, and none when there is none', () => {
    const account = personalAccount(identityOf('7', 'anna'));
    expect(nearestSwarm(account.position, [])).to.equal(undefined);
    const only = new SwarmMap([serviceNode('a', 5n), serviceNode('b', INVALID_SWARM_ID)]);
    expect(only.swarmOf(account)).to.deep.equal({ id: 5n, nodes: [serviceNode('a', 5n)] });
    expect(new SwarmMap([serviceNode('b', INVALID_SWARM_ID)]).swarmOf(account)).to.equal(undefined);
  });
});

describe('node records', () => {
  it('take 51 bytes a node and keep all 64 bits of the swarm id', () => {
    const nodes = [serviceNode('a', 2n ** 63n + 1n), serviceNode('b', INVALID_SWARM_ID)];
    const bytes = encodeNodeRecords(nodes);
    expect(bytes).to.have.length(102);
    expect(bytes.subarray(32, 51).toString('hex')).to.equal('8000000000000001c612030456055604020c00');
    expect(parseNodeRecords(bytes).map(({ swarmId }) => swarmId)).to.deep.equal([
      2n ** 63n + 1n,
      INVALID_SWARM_ID,
    ]);
    const { legacy: _, x25519: __, ...record } = nodes[0] as ServiceNode;
    expect(parseNodeRecords(bytes)[0]).to.deep.equal(record);
  });

  it('are refused in part, or with a node twice', () => {
    const bytes = encodeNodeRecords([serviceNode('a', 1n)]);
    expect(faultOf(() => parseNodeRecords(bytes.subarray(1)))).to.equal('bad-node-record');
    expect(faultOf(() => parseNodeRecords(Buffer.concat([bytes, bytes])))).to.equal('bad-node-record');
  });
});

describe('the list of the network', () => {
  it('carries swarm ids as JSON numbers of 64 bits, and none of their digits is lost', () => {
    const list = {
      height: 7,
      blockHash: 'ab',
      hardfork: [19, 4] as const,
      nodes: [
        serviceNode('a', 2n ** 64n - 2n),
        { ...serviceNode('b', 3n), ip: '0.0.0.0', httpsPort: 0, omqPort: 0, version: [0, 0, 0] as const },
      ],
      labels: new Map([[2n ** 64n - 2n, '1']]),
    };
    const text = stringifyWithBigints(networkListJson(list));
    expect(text).to.include('"swarm_id":18446744073709551614');
    expect(text.match(/public_ip/g)).to.have.length(1);
    expect(parseNetworkList(parseJson(utf8(text), { bigIntegers: 'text' }))).to.deep.equal(list);
    expect(faultOf(() => parseJson(utf8(text)))).to.equal('unsafe-number');
  });

  it('says that nothing changed', () => {
    expect(parseNetworkList({ unchanged: true })).to.equal(undefined);
  });
});

describe('JSON of a stranger', () => {
  const cases: readonly (readonly [string, Uint8Array, string])[] = [
    ['deeper than 32 levels', utf8(`${'['.repeat(33)}${']'.repeat(33)}`), 'too-deep'],
    ['deep without end', utf8('{"a":'.repeat(200_000)), 'too-deep'],
    ['larger than allowed', Buffer.alloc(10 * 1024 ** 2 + 1, 0x20), 'too-large'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'invalid-utf8'],
    ['a number of 2^53', utf8('{"t":9007199254740992}'), 'unsafe-number'],
    ['a number of 2^53 as 1e16', utf8('[1e16]'), 'unsafe-number'],
    ['a number that is infinite', utf8('[1e400]'), 'unsafe-number'],
    ['a number of a million digits', utf8(`[${'9'.repeat(1_000_000)}]`), 'unsafe-number'],
    ['a string without an end', utf8('"abc\\"'), 'not-json'],
    ['nothing', utf8(''), 'not-json'],
  ];
  for (const [what, bytes, fault] of cases) {
    it(`is refused as ${fault}: ${what}`, () => {
      expect(faultOf(() => parseJson(bytes))).to.equal(fault);
    });
  }

  it('is taken with brackets and numbers inside its strings, escaped quotes included', () => {
    const value = { a: '[[[['.repeat(40), b: 'x\\"9007199254740993"', c: -0.5, d: 9_007_199_254_740_991 };
    expect(parseJson(utf8(JSON.stringify(value)))).to.deep.equal(value);
    expect(parseJson(utf8(`${'['.repeat(32)}${']'.repeat(32)}`))).to.be.an('array');
  });

  it('keeps numbers that it may keep as text, wherever they stand', () => {
    const text = '{"a":[18446744073709551615,7],"b":"18446744073709551615","c":-9007199254740993}';
    expect(parseJson(utf8(text), { bigIntegers: 'text' })).to.deep.equal({
      a: ['18446744073709551615', 7],
      b: '18446744073709551615',
      c: '-9007199254740993',
    });
  });
});

describe('keys', () => {
  it('turn from Ed25519 into the X25519 key that belongs to them', () => {
    const identity = identityOf('7', 'anna');
    expect(x25519OfEd25519(identity.ed25519.publicKey)?.equals(identity.x25519.publicKey)).to.equal(true);
    expect(x25519OfEd25519(Buffer.from(`01${'00'.repeat(31)}`, 'hex'))).to.equal(undefined);
    expect(x25519OfEd25519(Buffer.alloc(32, 0xff))).to.equal(undefined);
  });

  it('are hashed by BLAKE2b as Node has it at 64 bytes, and as RFC 7693 at 32', () => {
    for (const size of [0, 1, 96, 127, 128, 129, 256, 300]) {
      const input = Buffer.alloc(size, size);
      expect(blake2b(input, 64).toString('hex'), String(size)).to.equal(
        createHash('blake2b512').update(input).digest('hex'),
      );
    }
    expect(blake2b(utf8(''), 32).toString('hex')).to.equal(
      '0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8',
    );
  });
});
