import { readdirSync, readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  addressNodes,
  type ImageDescription,
  resolveTopology,
  resolveTopologyText,
  topologySchema,
} from '../index.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MEMBERLIST = JSON.parse(
  readFileSync(`${ROOT}images/memberlist-node/image.json`, 'utf8'),
) as ImageDescription;
const addressAt = (slash24: number, hostIndex: number) => `198.18.${slash24}.${hostIndex}`;

function resolve(text: string) {
  return resolveTopologyText(text, 'bed.yaml', {}, { images: [] });
}

describe('addressNodes', () => {
  it('replaces every placeholder, and nothing else', () => {
    const topology = resolve(`
nodes:
  - {role: relay, count: 3, image: a/relay}
  - role: client
    image: a/client
    fleet: 2
    command: [run, '--relay={address:relay[2]}', '--me={name}/{role}/{index}', '\${HOME}', '{{name}}', '{"a":{"b":1}}']
    env: {PEERS: '{addresses:relay,!relay[2]}', NAMES: '{names:*}', PEERS_BY_NAME: '{peers:relay[1..2]}', N: '{count:relay}', ME: '{address}', ALL: '{fleet}'}
`);
    const client = addressNodes(topology, addressAt).at(-1);
    expect(client?.command).to.deep.equal([
      'run',
      '--relay=198.18.1.10',
      '--me=client-1/client/1',
      '${HOME}',
      '{name}',
      '{"a":{"b":1}}',
    ]);
    expect(client?.environment).to.deep.equal({
      PEERS: '198.18.0.10,198.18.2.10',
      NAMES: 'relay-1,relay-2,relay-3,client-1',
      PEERS_BY_NAME: 'relay-1@198.18.0.10,relay-2@198.18.1.10',
      N: '3',
      ME: '198.18.3.10',
      ALL: '198.18.4.10,198.18.5.10',
    });
    expect(client?.fleetAddresses).to.deep.equal(['198.18.4.10', '198.18.5.10']);
  });

  it('gives every node and every client of a fleet an address of its own', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.integer({ min: 1, max: 60 }),
            fc.constantFrom('spread', 'one', '[50%, 30%, 20%]'),
            fc.integer({ min: 0, max: 3 }),
          ),
          {
            minLength: 1,
            maxLength: 4,
          },
        ),
        (groups) => {
          const text = `nodes:\n${groups.map(([count, placement, fleet], index) => `  - {role: r${index}x, count: ${count}, placement: ${placement}, fleet: ${fleet}, image: a/b}`).join('\n')}`;
          const nodes = addressNodes(resolve(text), addressAt);
          const all = nodes.flatMap((node) => [node.address, ...node.fleetAddresses]);
          expect(new Set(all).size).to.equal(all.length);
          expect(nodes).to.have.length(groups.reduce((sum, [count]) => sum + count, 0));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('spreads over the /24s, keeps a rack in one, and follows shares', () => {
    const slash24s = (placement: string) =>
      resolve(`nodes: [{role: a, count: 8, placement: ${placement}, image: a/b}]`).nodes.map(
        (node) => node.slash24,
      );
    expect(slash24s('spread')).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(slash24s('one')).to.deep.equal([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(slash24s('[50%, 25%, 25%]')).to.deep.equal([0, 0, 0, 0, 1, 1, 2, 2]);
  });

  it('never gives away a place that another node has by name', () => {
    const { nodes } = resolve(
      'nodes: [{role: a, count: 3, placement: [100%], image: a/b}, {role: b, image: a/b, at: {slash24: 0, host: 11}}]',
    );
    expect(nodes.map((node) => node.hostIndex)).to.deep.equal([10, 12, 13, 11]);
  });

  it('refuses a lease that gives one address twice', () => {
    expect(() =>
      addressNodes(resolve('nodes: [{role: a, count: 2, image: a/b}]'), () => '198.18.0.9'),
    ).to.throw('got the same address 198.18.0.9');
  });
});

describe('the topologies that come with Squall', () => {
  const files = readdirSync(`${ROOT}topologies`).filter((file) => file.endsWith('.yaml'));

  for (const [file, count] of [
    ['memberlist-16.yaml', 16],
    ['memberlist-128.yaml', 128],
  ] as const) {
    it(`${file} gives ${count} members that know whom to join and how many to expect`, () => {
      const topology = resolveTopology(`${ROOT}topologies/${file}`, {}, { images: [MEMBERLIST] });
      const nodes = addressNodes(topology, addressAt);
      expect(topology.mesh).to.equal(true);
      expect(nodes).to.have.length(count);
      for (const { environment } of nodes) {
        expect(environment).to.include({
          SQUALL_EXPECTED: String(count),
          SQUALL_SUSPICION_MULT: '5',
          SQUALL_VARIANT: 'shipped',
        });
        const peers = environment['SQUALL_JOIN']?.split(',') ?? [];
        expect(peers.length).to.be.above(1);
        expect(peers.every(isIPv4)).to.equal(true);
      }
    });

    it(`${file} follows another count`, () => {
      const topology = resolveTopology(
        `${ROOT}topologies/${file}`,
        { counts: { member: 6 } },
        { images: [MEMBERLIST] },
      );
      expect(addressNodes(topology, addressAt)[0]?.environment).to.include({ SQUALL_EXPECTED: '6' });
    });
  }

  it('are explained by an example that resolves', () => {
    const readme = readFileSync(`${ROOT}topologies/README.md`, 'utf8');
    const example = /```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const probeNode = JSON.parse(
      readFileSync(`${ROOT}images/probe-node/image.json`, 'utf8'),
    ) as ImageDescription;
    const topology = resolveTopologyText(example, 'README.md', {}, { images: [probeNode] });
    expect(topology.nodes.map(({ name }) => name)).to.deep.equal([
      'relay-1',
      'relay-2',
      'client-1',
      'watcher-1',
    ]);
    expect(addressNodes(topology, addressAt)[2]?.fleetAddresses).to.have.length(20);
  });

  it('all name the schema that editors complete them with, wherever they lie', () => {
    const everywhere = ['topologies', 'docs', 'harness', 'suites'].flatMap((folder) =>
      readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.yaml'))
        .map((file) => `${folder}/${file}`)
        .filter((file) => /^nodes:/m.test(readFileSync(ROOT + file, 'utf8'))),
    );
    expect(everywhere).to.include.members(files.map((file) => `topologies/${file}`));
    expect(everywhere).to.include.members(['docs/example/topologies/members.yaml']);
    for (const file of everywhere) {
      const [first = ''] = readFileSync(ROOT + file, 'utf8').split('\n');
      const schema = /^# yaml-language-server: \$schema=(\S+)$/.exec(first)?.[1] ?? '(none)';
      // A project of its own has Squall among its packages.
      const found = schema.startsWith('../node_modules/squall/')
        ? schema.slice('../node_modules/squall/'.length)
        : posix.join(posix.dirname(file), schema);
      expect(found, file).to.equal('topologies/topology.schema.json');
    }
  });

  it('come with the schema that the code has today', () => {
    const written: unknown = JSON.parse(readFileSync(`${ROOT}topologies/topology.schema.json`, 'utf8'));
    expect(
      written,
      'write it again: npx squall schema topology > topologies/topology.schema.json',
    ).to.deep.equal(JSON.parse(JSON.stringify(topologySchema())));
  });
});
