import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import {
  type ImageDescription,
  parseTopology,
  resolveTopology,
  resolveTopologyText,
  type TopologyOverrides,
} from '../index.ts';

const RELAY: ImageDescription = {
  name: 'relay-node',
  roles: ['relay', 'proxy', 'client'],
  ports: { smp: 5223 },
  settings: [
    { name: 'retryMs', env: 'SQUALL_RETRY_MS', type: 'duration', unit: 'ms', minimum: 1, default: 2000 },
    { name: 'timeout', env: 'SQUALL_TIMEOUT_MS', type: 'duration', unit: 'ms', default: 30_000 },
    { name: 'stickyProxy', env: 'SQUALL_STICKY_PROXY', type: 'boolean', default: false },
    { name: 'relays', env: 'SQUALL_RELAYS', type: 'list', default: '' },
    { name: 'slots', env: 'SQUALL_SLOTS', type: 'integer', minimum: 1, maximum: 64, default: 12 },
    { name: 'mode', env: 'SQUALL_MODE', type: 'choice', choices: ['always', 'never'], default: 'always' },
    { name: 'bind', env: 'SQUALL_BIND', type: 'text', default: '' },
    { name: 'variant', env: 'SQUALL_VARIANT', type: 'text', default: 'shipped' },
  ],
  variants: { shipped: { settings: {} }, sticky: { settings: { stickyProxy: true, retryMs: 500 } } },
  mutants: { 'sticky-forgets': { settings: { stickyProxy: true, slots: 1 } } },
};

function resolve(text: string, overrides: TopologyOverrides = {}) {
  return resolveTopologyText(text, 'bed.yaml', overrides, { images: [RELAY] });
}

/** Problem lines without the file's name, or an empty list. */
function problemsOf(text: string, overrides: TopologyOverrides = {}): string[] {
  try {
    resolve(text, overrides);
    return [];
  } catch (error) {
    expect(error).to.be.instanceOf(SquallError).that.includes({ code: 'invalid-document', blame: 'input' });
    return (error as SquallError).message
      .split('\n')
      .slice(1)
      .map((line) => line.replace('  bed.yaml:', ''));
  }
}

describe('resolveTopology', () => {
  it('names, addresses and completes every node', () => {
    const { nodes, links, networks, bedPrefix, mesh, name } = resolve(`
nodes:
  - {role: relay, count: 3, image: relay-node}
  - {role: client, image: relay-node@sticky, settings: {relays: '{addresses:relay}'}, after: [relay]}
links:
  - {from: client, to: relay, port: smp, path: toxiproxy}
`);
    expect(name).to.equal('bed');
    expect(nodes.map((node) => node.name)).to.deep.equal(['relay-1', 'relay-2', 'relay-3', 'client-1']);
    expect(nodes.map((node) => [node.slash24, node.hostIndex])).to.deep.equal([
      [0, 10],
      [1, 10],
      [2, 10],
      [3, 10],
    ]);
    expect(nodes[3]).to.deep.include({
      image: { kind: 'ours', name: 'relay-node', variant: 'sticky' },
      adminPort: 7100,
      readiness: { kind: 'event', event: 'ready', timeoutMs: 60_000 },
      after: ['relay-1', 'relay-2', 'relay-3'],
      ports: { smp: 5223 },
      network: 'bed',
    });
    expect(links).to.deep.equal([
      {
        name: 'client-relay-smp',
        from: 'client',
        to: 'relay',
        port: 5223,
        protocol: 'tcp',
        path: 'toxiproxy',
      },
    ]);
    expect({ networks, bedPrefix, mesh }).to.deep.equal({
      networks: [{ name: 'bed', ipv6: false }],
      bedPrefix: 20,
      mesh: false,
    });
  });

  it('writes every setting into the environment, so that a reset leaves nothing of the variant before', () => {
    const text = 'nodes: [{role: relay, image: relay-node}]';
    const keys = (overrides: TopologyOverrides) =>
      Object.keys(resolve(text, overrides).nodes[0]?.environment ?? {}).sort();
    expect(keys({ variant: 'sticky' })).to.deep.equal(keys({}));
    const { environment } = resolve(text, { variant: 'sticky-forgets' }).nodes[0]!;
    expect(environment).to.deep.include({
      SQUALL_STICKY_PROXY: 'true',
      SQUALL_SLOTS: '1',
      SQUALL_RETRY_MS: '2000',
      SQUALL_VARIANT: 'sticky-forgets',
      SQUALL_WARP: '1',
      SQUALL_ADMIN_PORT: '7100',
    });
  });

  it('lets the caller’s settings win over the file’s, and those over the variant’s', () => {
    const text =
      'nodes: [{role: relay, image: relay-node, variant: sticky, settings: {retryMs: 300, timeout: 2s}}]';
    expect(resolve(text).nodes[0]?.environment).to.include({
      SQUALL_RETRY_MS: '300',
      SQUALL_TIMEOUT_MS: '2000',
    });
    const overrides = { settings: { relay: { retryMs: '1s', timeout: 40_000 } }, warp: 4, seed: 's' };
    expect(resolve(text, overrides).nodes[0]?.environment).to.include({
      SQUALL_RETRY_MS: '1000',
      SQUALL_TIMEOUT_MS: '40000',
      SQUALL_WARP: '4',
      SQUALL_SEED: 's',
    });
  });

  it('takes any other reference as a foreign image, left as it is', () => {
    const { nodes } = resolve(`
nodes:
  - role: node
    image: registry.example:5000/team/app:1.2@sha256:${'0'.repeat(64)}
    env: {PEERS: '{address:node-1}', RETRIES: 3}
    readiness: {log: 'listening on \\d+', timeout: 5s}
    adapters: [{source: stdout, match: {regex: 'lost (?<peer>\\S+)'}, event: peer.lost, fields: {peer: peer}}]
`);
    expect(nodes[0]?.environment).to.deep.equal({ PEERS: '{address:node-1}', RETRIES: '3' });
    expect(nodes[0]?.readiness).to.deep.equal({
      kind: 'log',
      pattern: 'listening on \\d+',
      timeoutMs: 5_000,
    });
    expect(nodes[0]?.adapters[0]?.match).to.deep.equal({ kind: 'regex', expression: 'lost (?<peer>\\S+)' });
    expect(nodes[0]).not.to.have.property('adminPort');
  });

  it('changes counts where the caller says so', () => {
    const text = 'nodes: [{role: relay, count: 3, image: relay-node}]';
    expect(resolve(text, { counts: { relay: 5 } }).nodes).to.have.length(5);
  });

  it('continues a role’s numbers through its groups', () => {
    const { nodes } = resolve(`
nodes:
  - {role: relay, count: 2, image: relay-node, labels: {side: old}}
  - {role: relay, count: 2, image: relay-node@sticky, labels: {side: new}}
`);
    expect(nodes.map((node) => node.name)).to.deep.equal(['relay-1', 'relay-2', 'relay-3', 'relay-4']);
    expect(nodes[2]?.labels).to.deep.equal({ side: 'new' });
  });

  it('gives five problems for five mistakes, each with its place', () => {
    const text = `# five mistakes
nodes:
  - role: relay
    cuont: 3
    image: relay-node@stiky
    settings: {retryMs: soon, sloots: 3}
    after: [relais]
`;
    expect(problemsOf(text)).to.deep.equal([
      '4:5 nodes[0].cuont: unknown key; did you mean "count"?',
      '5:12 nodes[0].image: relay-node has no variant "stiky"; did you mean "sticky"?',
      '6:25 nodes[0].settings.retryMs: duration "soon": not understood; expected a number with a unit. Write it as 250ms, 40s, 1m30s, 2h or 0.',
      '6:31 nodes[0].settings.sloots: relay-node has no setting "sloots"; did you mean "slots"?',
      '7:13 nodes[0].after[0]: selector "relais": no role or node is called "relais"; did you mean "relay"?',
    ]);
  });

  const one = (rest: string): string => `nodes: [{role: relay, image: relay-node, ${rest}}]`;
  const refused: readonly [string, string, RegExp, TopologyOverrides?][] = [
    ['an empty file', '', /the document is empty/],
    ['a list where a map belongs', '- a', /^1:1 \["a"\] found; expected a map/],
    ['no nodes', 'name: x', /nodes: missing; expected a list/],
    ['an empty list of nodes', 'nodes: []', /no node; expected at least one/],
    ['only groups of zero', one('count: 0'), /no node; expected at least one/],
    ['a negative count', one('count: -1'), /count: -1 found; expected at least 0/],
    ['a count that is no whole number', one('count: 1.5'), /count: .*whole number/],
    [
      'a duplicate key',
      'nodes: [{role: relay, image: relay-node, role: proxy}]',
      /^1:42 nodes\[0\](\.role)?: duplicate key/,
    ],
    ['a key of another language', 'nodes: [{role: relay, image: relay-node}]\nname: !!js/function x', /tag/],
    ['a second document', 'nodes: [{role: relay, image: relay-node}]\n---\nname: x', /a second document/],
    ['text that is no YAML', 'nodes: "a', /^1:/],
    ['a missing image', 'nodes: [{role: relay}]', /nodes\[0\]\.image: missing; expected a text/],
    ['a missing role', 'nodes: [{image: relay-node}]', /nodes\[0\]\.role: missing; expected a text/],
    ['a role with capitals', 'nodes: [{role: Relay, image: relay-node}]', /cannot be a DNS label/],
    [
      'a role that makes names over 63 characters',
      `nodes: [{role: ${'r'.repeat(62)}, image: a/b}]`,
      /64 characters found; expected at most 63/,
    ],
    [
      'roles that differ by case only',
      'nodes: [{role: relay, image: a/b}, {role: RELAY, image: a/b}]',
      /clashes with role "relay"/,
    ],
    [
      'a node called like a role',
      'nodes: [{role: relay, image: a/b}, {role: proxy, name: relay, image: a/b}]',
      /clashes with role "relay"/,
    ],
    [
      'a node called like another',
      'nodes: [{role: relay, image: a/b}, {role: proxy, name: relay-1, image: a/b}]',
      /clashes with node "relay-1"/,
    ],
    ['one name for two', one('name: r, count: 2'), /one name for 2 nodes/],
    ['a name of Squall’s own', 'nodes: [{role: toxiproxy, image: a/b}]', /name of Squall’s own/],
    ['a misspelt image', 'nodes: [{role: relay, image: relay-nod}]', /did you mean "relay-node"/],
    [
      'a variant of an unknown image',
      'nodes: [{role: relay, image: relay-nodes@sticky}]',
      /none of our images, and only they have variants; did you mean "relay-node"/,
    ],
    ['a reference with spaces', 'nodes: [{role: relay, image: "a b/c"}]', /no image reference/],
    [
      'a role that the image does not have',
      'nodes: [{role: relays, image: relay-node}]',
      /has no role "relays"; did you mean "relay"/,
    ],
    [
      'two different variants',
      'nodes: [{role: relay, image: relay-node@sticky, variant: shipped}]',
      /differ; expected one of them/,
    ],
    ['a setting out of bounds', one('settings: {slots: 65}'), /slots: 65 found; expected at most 64/],
    [
      'a setting of the wrong type',
      one('settings: {stickyProxy: maybe}'),
      /"maybe" found; expected true or false/,
    ],
    ['a bare number for a duration', one('settings: {timeout: 30}'), /duration "30": not understood/],
    ['an unknown choice', one('settings: {mode: sometimes}'), /expected one of always, never/],
    ['a setting that Squall gives', one('settings: {bind: 127.0.0.1}'), /Squall sets SQUALL_BIND itself/],
    ['an environment that is a setting', one('env: {SQUALL_SLOTS: 3}'), /this is the setting "slots"/],
    [
      'settings for a foreign image',
      'nodes: [{role: a, image: b/c, settings: {x: 1}}]',
      /only our own images have settings/,
    ],
    ['a bad size', one('resources: {memory: lots}'), /size "lots": not understood/],
    [
      'a bad duration of readiness',
      one('readiness: {timeout: 1 fortnight}'),
      /duration "1 fortnight": not understood/,
    ],
    ['no time to become ready', one('readiness: {timeout: 0}'), /0 found; expected a duration|some time/],
    ['two kinds of readiness', one('readiness: {log: x, started: true}'), /log and started found together/],
    ['an empty readiness', one('readiness: {}'), /says nothing/],
    ['a log pattern that is no regular expression', one('readiness: {log: "("}'), /no regular expression/],
    [
      'an event that nothing makes',
      'nodes: [{role: a, image: b/c, readiness: {event: up}}]',
      /no adapter makes "up"/,
    ],
    ['an http path without a slash', one('readiness: {http: {port: 80, path: health}}'), /begins with \//],
    [
      'an adapter without a match',
      one('adapters: [{source: stdout, match: {}, event: a}]'),
      /expected regex, jsonpath or both/,
    ],
    [
      'an adapter’s field without its group',
      one('adapters: [{source: stdout, match: {regex: "(?<peer>a)"}, event: a, fields: {p: per}}]'),
      /no group "per"; did you mean "peer"/,
    ],
    [
      'metrics without an address',
      one('adapters: [{source: metrics, match: {regex: a}, event: a}]'),
      /expected a url on the node’s own loopback/,
    ],
    [
      'an unknown adapter source',
      one('adapters: [{source: stdot, match: {regex: a}, event: a}]'),
      /"stdot" is not known; did you mean "stdout"/,
    ],
    ['an unknown network', one('network: red'), /no network is called "red"; expected one of bed/],
    [
      'two networks of one name',
      'networks: [{name: a}, {name: a}]\nnodes: [{role: relay, image: relay-node}]',
      /networks\[1\]\.name: the name "a" clashes/,
    ],
    [
      'a place that is taken',
      'nodes: [{role: relay, image: relay-node, at: {slash24: 0, host: 20}}, {role: proxy, image: relay-node, at: {slash24: 0, host: 20}}]',
      /nodes\[1\]\.at: the place 0\/20 is taken/,
    ],
    ['a place outside the subnet', one('at: {slash24: 16, host: 20}'), /not in the subnet; expected 0 to 15/],
    ['the gateway’s place', one('at: {slash24: 0, host: 1}'), /host 1 is not for nodes/],
    ['one place for two', one('count: 2, at: {slash24: 0, host: 20}'), /one place for 2 nodes/],
    ['shares that do not add up', one('count: 4, placement: [50%, 30%]'), /add up to 80%; expected 100%/],
    ['a placement that is not known', one('placement: everywhere'), /`spread`, `one`, or a list of shares/],
    [
      'more nodes than the subnet holds',
      `prefix: 24\n${one('count: 183')}`,
      /183 nodes do not fit; the subnet holds 182/,
    ],
    ['more nodes than a bridge takes', one('count: 1001'), /at most 1000 on one bridge/],
    ['a fleet that does not fit', `prefix: 24\n${one('fleet: 182')}`, /do not fit into the subnet/],
    ['two ports of one number', one('ports: {a: 80, b: 80}'), /port 80 clashes with port "a"/],
    ['a port that is the admin port', one('ports: {a: 7100}'), /clashes with the admin port/],
    ['a port beyond 65535', one('ports: {a: 70000}'), /70000 found; expected a port number/],
    [
      'a cycle in after',
      'nodes: [{role: relay, image: relay-node, after: [proxy]}, {role: proxy, image: relay-node, after: [relay]}]',
      /no order to start in: relay-1 waits for proxy-1 waits for relay-1/,
    ],
    ['a random selector in after', one('after: ["pick(1,relay)"]'), /draws by chance/],
    [
      'an unknown placeholder',
      one("env: {A: '{adress}'}"),
      /unknown placeholder \{adress\}; did you mean "address"/,
    ],
    [
      'a placeholder for nobody',
      one("settings: {relays: '{addresses:member}'}"),
      /no role or node is called "member"/,
    ],
    [
      'one address of many',
      one("count: 2, settings: {relays: '{address:relay}'}"),
      /means 2 nodes; expected one/,
    ],
    [
      'a link to nobody',
      'nodes: [{role: relay, image: relay-node}]\nlinks: [{from: relay, to: rela, port: 1}]',
      /links\[0\]\.to: .*did you mean "relay"/,
    ],
    [
      'a link to an unknown port',
      'nodes: [{role: relay, image: relay-node}]\nlinks: [{from: relay, to: relay, port: smpp}]',
      /no port called "smpp"; did you mean "smp"/,
    ],
    [
      'udp through Toxiproxy',
      'nodes: [{role: relay, image: relay-node}]\nlinks: [{from: relay, to: relay, port: 1, protocol: udp, path: toxiproxy}]',
      /Toxiproxy carries TCP only/,
    ],
    [
      'two links on one wire',
      'nodes: [{role: relay, image: relay-node}]\nlinks: [{name: a, from: relay, to: relay, port: 1}, {name: b, from: relay, to: relay, port: 1}]',
      /port clashes with link "a"/,
    ],
    [
      'an override of an unknown role',
      one('count: 1'),
      /overrides\.counts\.rely: .*did you mean "relay"/,
      { counts: { rely: 3 } },
    ],
    [
      'an override with an unknown variant',
      one('count: 1'),
      /no image of the topology has a variant "stky"; did you mean "sticky"/,
      { variant: 'stky' },
    ],
    [
      'an override with an unknown setting',
      one('count: 1'),
      /has no setting "slot"; did you mean "slots"/,
      { settings: { relay: { slot: 3 } } },
    ],
    [
      'a count of a role in two groups',
      'nodes: [{role: relay, image: relay-node}, {role: relay, image: relay-node}]',
      /declared in 2 groups/,
      { counts: { relay: 3 } },
    ],
    [
      'an adapter whose values are of no field',
      'nodes: [{role: a, image: b/c, adapters: [{source: stdout, match: {jsonpath: $.a}, event: e.e, fields: {reason: $.r}, values: {reson: {x: y}}}]}]',
      /no field "reson"; did you mean "reason"/,
    ],
    [
      'the rest of what is no document',
      'nodes: [{role: a, image: b/c, adapters: [{source: stdout, match: {regex: x}, event: e.e, rest: true}]}]',
      /only a JSON text has other fields/,
    ],
    [
      'a warp on a foreign image',
      'nodes: [{role: a, image: b/c}]',
      /foreign image, whose timers no warp reaches/,
      { warp: 4 },
    ],
  ];
  for (const [what, text, message, overrides] of refused) {
    it(`refuses ${what}`, () => {
      const problems = problemsOf(text, overrides);
      expect(problems.join('\n')).to.match(message);
      expect(problems, problems.join('\n')).to.have.length(1);
    });
  }

  it('refuses a text that is empty, and says no more of one that it refused already', () => {
    const empty = (group: string, link: string, network = 'bed') =>
      problemsOf(
        `name: bed\nnetworks: [{name: "${network}"}]\nnodes:\n  - {role: relay, image: relay-node}\n  - {${group}}\nlinks:\n  - {${link}}`,
      );
    const whole = 'from: relay, to: relay, port: smp';
    for (const [problems, said] of [
      [
        empty('role: "", image: relay-node', whole),
        ['5:12 nodes[1].role: is empty; expected what these nodes do'],
      ],
      [
        empty('role: client, image: ""', whole),
        ['5:27 nodes[1].image: is empty; expected one of our images or a Docker reference'],
      ],
      [
        empty('role: client, image: relay-node', 'from: "", to: relay, port: smp'),
        ['7:12 links[0].from: is empty; expected a selector'],
      ],
      [
        empty('role: client, image: relay-node', 'from: relay, to: "", port: 1'),
        ['7:23 links[0].to: is empty; expected a selector'],
      ],
      [
        empty('role: client, image: relay-node', whole, ''),
        ['2:19 networks[0].name: is empty; expected a name'],
      ],
      [empty('image: relay-node', whole), ['5:5 nodes[1].role: missing; expected a text']],
    ] as const)
      expect(problems).to.deep.equal(said);
    expect(problemsOf('nodes:\n  - {role: relay, image: relay-node}\n  - 5')).to.deep.equal([
      '3:5 nodes[1]: 5 found; expected a map of keys and values',
    ]);
  });

  it('holds the name of a group whose role it refused against all others, and finds it for links', () => {
    expect(
      problemsOf(`nodes:
  - {role: relay, image: relay-node}
  - {role: 7, name: relay-1, image: relay-node}
  - {role: 7, name: lone, image: relay-node, netwrok: bed}
  - {role: client, name: lone, image: relay-node}
links:
  - {from: lone, to: relay, port: smp}
  - {from: alone, to: relay, port: smp}`),
    ).to.deep.equal([
      '3:12 nodes[1].role: 7 found; expected a text',
      '3:21 nodes[1].name: the name "relay-1" clashes with node "relay-1" of group 1 (names must differ in more than case)',
      '4:12 nodes[2].role: 7 found; expected a text',
      '4:46 nodes[2].netwrok: unknown key; did you mean "network"?',
      '5:26 nodes[3].name: the name "lone" clashes with node "lone" of group 3 (names must differ in more than case)',
      '8:12 links[1].from: selector "alone": no role or node is called "alone"; did you mean "lone"?',
    ]);
  });

  it('asks the nodes of a group what it names for their diagnosis, at the admin port where no other is named', () => {
    const { nodes } = resolve(`nodes:
  - role: relay
    image: relay-node
    diagnosis: [{http: {path: /queues}}, {http: {port: 9000, path: /debug?all=1}}, {command: [relay, status]}]
  - {role: other, image: 'registry.example/x:1'}`);
    expect(nodes.map(({ diagnosis }) => diagnosis)).to.deep.equal([
      [
        { kind: 'http', port: 7100, path: '/queues' },
        { kind: 'http', port: 9000, path: '/debug?all=1' },
        { kind: 'command', command: ['relay', 'status'] },
      ],
      undefined,
    ]);
  });

  it('refuses a diagnosis that asks nothing, two things, or nobody', () => {
    expect(
      problemsOf(`nodes:
  - role: other
    image: registry.example/x:1
    diagnosis:
      - {}
      - {http: {port: 1, path: /}, command: [x]}
      - {command: []}
      - {http: {port: 1, path: state}}
      - {http: {path: /state}}
      - {htpp: {path: /state}}`),
    ).to.deep.equal([
      '5:9 nodes[0].diagnosis[0]: says nothing; expected one of http and command',
      '6:9 nodes[0].diagnosis[1]: http and command found together; expected one of http and command',
      '7:19 nodes[0].diagnosis[2].command: is empty; expected a program and its arguments',
      '8:32 nodes[0].diagnosis[3].http.path: "state" found; expected a path that begins with /',
      '9:16 nodes[0].diagnosis[4].http: names no port, and the group has no adminPort; expected one of them',
      '10:10 nodes[0].diagnosis[5].htpp: unknown key; did you mean "http"?',
    ]);
  });

  it('gives the nodes of an image the adapters that it brings along, and tells of mistakes in those', () => {
    const wrapped = (adapters: readonly unknown[]) =>
      resolveTopologyText(
        'nodes: [{role: a, image: wrapped}]',
        'bed.yaml',
        {},
        {
          images: [{ ...RELAY, name: 'wrapped', roles: [], adapters }],
        },
      );
    const own = { source: 'stdout', match: { jsonpath: '$.a' }, event: 'a.seen' };
    expect(wrapped([own]).nodes[0]?.adapters).to.have.length(1);
    expect(() => wrapped([{ ...own, event: 'Not an event' }])).to.throw(
      /wrapped: its adapter .*no event name/,
    );
    expect(() => wrapped([{ ...own, mach: {} }])).to.throw(/wrapped: its adapter/);
  });

  it('stops an alias bomb', () => {
    const bomb = Array.from(
      { length: 12 },
      (_, index) =>
        `a${index}: &a${index} [${Array(9)
          .fill(index === 0 ? 'x' : `*a${index - 1}`)
          .join(', ')}]`,
    );
    expect(problemsOf(bomb.join('\n')).join('\n')).to.match(/aliases expand to too much/);
  });

  it('lets anchors save typing', () => {
    const { nodes } = resolve(
      'nodes: [{role: relay, image: relay-node, resources: &r {memory: 64MiB}}, {role: proxy, image: relay-node, resources: *r}]',
    );
    expect(nodes[1]?.resources).to.deep.equal({ memoryBytes: 64 * 1024 ** 2 });
  });

  it('says when the file cannot be read', () => {
    expect(() => resolveTopology('no/such.yaml', {}, { images: [] }))
      .to.throw(SquallError, 'no/such.yaml: cannot be read')
      .that.includes({ code: 'topology-not-found', blame: 'input' });
  });
});

describe('the text of a topology', () => {
  it('is read once, however often it is resolved, and each text for itself', () => {
    const text = 'name: one\nnodes: [{role: a, image: x}]\n';
    expect(parseTopology(text)).to.equal(parseTopology(text));
    expect(parseTopology(text.replace('one', 'two')).value?.name).to.equal('two');
    const counts = [2, 3].map(
      (count) => resolveTopologyText(text, 'one.yaml', { counts: { a: count } }, { images: [] }).nodes.length,
    );
    expect(counts).to.deep.equal([2, 3]);
  });
});
