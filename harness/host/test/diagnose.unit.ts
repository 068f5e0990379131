import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FakeEngine } from '../../engine/index.ts';
import { FAULT_KINDS } from '../../fault/index.ts';
import { Ledger } from '../../state/index.ts';
import { type CapabilityInput, judgeCapabilities, judgeFaults, whyNoNetworkFaults } from '../capabilities.ts';
import { type DiagnoseInput, diagnose } from '../diagnose.ts';
import { parseKernelConfig, readKernelConfig } from '../kernel-config.ts';
import { readHost } from '../read-host.ts';
import { restorePackages } from '../restore-packages.ts';
import { FakeHost, USUAL } from './fake-host.ts';

const CAPABLE = parseKernelConfig(
  [
    'NF_TABLES',
    'NF_TABLES_IPV4',
    'NETFILTER_NETLINK_QUEUE',
    'NFT_COMPAT',
    'NETFILTER_XT_TARGET_NFQUEUE',
    'INET',
    'NFT_NAT',
    'NF_NAT',
    'NET_NS',
    'CGROUP_FREEZER',
    'MEMCG',
    'CFS_BANDWIDTH',
    'TMPFS',
  ]
    .map((option) => `CONFIG_${option}=y`)
    .join('\n'),
);
const without = (...options: readonly string[]) =>
  new Map([...CAPABLE].filter(([name]) => !options.includes(name)));
const info = (more: object = {}) => new FakeEngine({ info: more }).info;
const FOUND = Object.fromEntries(
  ['nftTable', 'nfqueue', 'rawSocket', 'nat', 'namespaces', 'hostPids'].map((name) => [name, { ok: true }]),
);

describe('a kernel configuration', () => {
  it('is read with what is built in, a module, or left out', () => {
    const config = parseKernelConfig(
      '# comment\nCONFIG_A=y\nCONFIG_B=m\n# CONFIG_C is not set\nCONFIG_D="text"\n',
    );
    expect([...config]).to.deep.equal([
      ['A', 'y'],
      ['B', 'm'],
      ['C', 'n'],
    ]);
  });

  it('of this machine is read where it is shown', () => {
    const config = readKernelConfig();
    if (config) expect(config.size).to.be.above(100);
    else expect(config).to.equal(undefined);
  });
});

describe('what faults need', () => {
  const states = (input: Partial<CapabilityInput>) => {
    const capabilities = judgeCapabilities({ engine: info(), agent: undefined, kernel: CAPABLE, ...input });
    return { capabilities, faults: new Map(judgeFaults(capabilities).map((one) => [one.fault, one])) };
  };

  it('covers every kind of fault that there is', () => {
    expect([...states({}).faults.keys()].sort()).to.deep.equal([...FAULT_KINDS].sort());
  });

  it('believes the agent that tried rather than the configuration', () => {
    const { faults } = states({ kernel: without('NETFILTER_NETLINK_QUEUE'), agent: FOUND });
    expect(faults.get('hold')?.available).to.equal('yes');
    const refused = { ...FOUND, nfqueue: { ok: false, reason: 'operation not permitted' } };
    expect(states({ agent: refused }).faults.get('hold')).to.deep.include({
      available: 'no',
      reason: 'packet queues: operation not permitted',
    });
    expect(states({ agent: refused }).faults.get('throttle')?.available).to.equal('yes');
  });

  it('names the kernel options that are missing, and which faults go without them', () => {
    const { faults } = states({
      kernel: without('NFT_COMPAT', 'MEMCG', 'NFT_NAT'),
      agent: { hostPids: { ok: true } },
    });
    expect(faults.get('hold')).to.deep.include({
      available: 'no',
      reason: 'packet queues: the kernel was built without NFT_COMPAT',
    });
    expect(faults.get('memory-limit')?.reason).to.equal('memory limits: the kernel was built without MEMCG');
    expect(faults.get('slow')?.reason).to.match(/redirection: .* NFT_NAT/);
    expect(faults.get('kill')?.available).to.equal('yes');
  });

  it('does not guess where nothing shows', () => {
    expect(states({ kernel: undefined }).faults.get('hold')?.available).to.equal('unknown');
    expect(states({ engine: info({ host: 'remote' }) }).faults.get('hold')?.available).to.equal('unknown');
  });

  it('refuses network faults on a rootless engine, with the reason, and leaves it the others', () => {
    const rootless = info({ rootless: true });
    const { faults } = states({ engine: rootless });
    expect(faults.get('hold')?.reason).to.match(/the engine is rootless/);
    expect(faults.get('blackhole-stream')?.available).to.equal('no');
    expect(faults.get('pause')?.available).to.equal('yes');
    expect(whyNoNetworkFaults(rootless)).to.match(/rootless/);
    expect(whyNoNetworkFaults(info())).to.equal(undefined);
  });

  it('is nothing at all without an engine', () => {
    for (const fault of states({ engine: undefined }).faults.values()) expect(fault.available).to.equal('no');
  });
});

describe('a diagnosis', () => {
  const roomy = {
    ...USUAL,
    '/proc/self/limits': 'Max open files            65536                524288               files\n',
  };
  const input = (more: Partial<DiagnoseInput> = {}): DiagnoseInput => ({
    search: { trace: [], info: info() },
    host: readHost(new FakeHost({ ...roomy, ...RAISED })),
    kernel: CAPABLE,
    agent: FOUND,
    leftovers: [],
    ledger: [],
    ...more,
  });
  const RAISED = {
    '/proc/sys/net/ipv4/neigh/default/gc_thresh2': '32768\n',
    '/proc/sys/fs/inotify/max_user_instances': '512\n',
    '/proc/sys/net/core/netdev_max_backlog': '65536\n',
  };
  const advice = (more: Partial<DiagnoseInput>) => diagnose(input(more)).advice;

  it('has nothing to say of a host that is well', () => {
    expect(advice({})).to.deep.equal([]);
  });

  it('puts what stops everything first, with what to do', () => {
    const [first] = advice({
      search: { trace: [] },
      leftovers: [
        { what: 'bed-1', containers: 3, networks: 1, ageMs: 1, dead: true, reason: 'its owner is dead' },
      ],
      embeddedObstacle: { why: 'this user is not root', hint: 'Start Docker.' },
    });
    expect(first).to.deep.include({
      level: 'problem',
      subject: 'engine',
      found: 'none answers, and this user is not root',
      remedy: 'Start Docker.',
    });
  });

  it('offers to start an engine where that is possible', () => {
    expect(advice({ search: { trace: [] } })[0]).to.include({
      remedy: 'Run `squall engine start --yes`.',
      fixable: true,
    });
  });

  it('warns of limits that the largest bed would overflow', () => {
    const subjects = advice({ host: readHost(new FakeHost(USUAL)) }).map((one) => one.subject);
    expect(subjects).to.deep.equal([
      'neighbour table (gc_thresh2)',
      'inotify instances',
      'packets that may wait on an interface (netdev_max_backlog)',
      'open files of this process',
    ]);
  });

  it('warns of what a usual machine has enough of, where there is less', () => {
    const small = {
      ...roomy,
      ...RAISED,
      '/proc/sys/fs/inotify/max_user_watches': '100\n',
      '/proc/sys/net/netfilter/nf_conntrack_max': '16384\n',
      '/proc/sys/fs/file-nr': '99000\t0\t100000\n',
    };
    const found = advice({ host: readHost(new FakeHost(small)) });
    expect(found.map(({ subject, fixable }) => [subject, fixable])).to.deep.equal([
      ['inotify watches', true],
      ['connection tracking table', true],
      ['open files of this host', false],
    ]);
    expect(found[1]?.found).to.equal('16384; a bed of 128 nodes wants 65536 for 32512 tracked flows');
  });

  it('warns of a connection table that is nearly full, and of little memory', () => {
    const full = {
      ...roomy,
      ...RAISED,
      '/proc/sys/net/netfilter/nf_conntrack_count': '250000\n',
      '/proc/meminfo': 'MemAvailable: 1024 kB\n',
    };
    const subjects = advice({ host: readHost(new FakeHost(full)) }).map((one) => one.subject);
    expect(subjects).to.deep.equal(['memory available', 'connection tracking']);
  });

  it('counts what dead runs left, and leaves living ones alone', () => {
    const bed = { what: 'b', containers: 2, networks: 1, ageMs: 1, reason: '' };
    const found = advice({
      leftovers: [
        { ...bed, dead: true },
        { ...bed, dead: false },
      ],
    });
    expect(found).to.have.length(1);
    expect(found[0]).to.deep.include({
      subject: 'leftovers',
      found: '1 bed of runs that are gone: 2 containers, 1 networks',
      fixable: true,
    });
  });

  it('tells of a missing capability, a rootless engine and an agent that could not be asked', () => {
    const found = advice({
      search: { trace: [], info: info({ rootless: true }) },
      agent: undefined,
      agentProblem: 'its image is not built',
      kernel: without('MEMCG'),
    });
    expect(found[0]).to.include({ level: 'problem', subject: 'engine' });
    expect(found.map((one) => one.subject)).to.include.members([
      'engine',
      'packet agent',
      'memory limits',
      "reach into nodes' networks",
    ]);
  });
});

describe('restoring packages', () => {
  it('removes what was installed, and forgets it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'squall-host-'));
    try {
      const ledger = new Ledger(folder);
      await ledger.add({ kind: 'packages-installed', packages: ['docker.io', 'iptables'] });
      const ran: string[] = [];
      const failing = async () => ({ exitCode: 100, tail: ['E: broken'] });
      const outcome = await restorePackages(ledger, undefined, failing).catch((error: unknown) => error);
      expect(outcome).to.include({ code: 'restore-failed' });
      expect(ledger.entries()).to.have.length(1);
      await restorePackages(ledger, undefined, async (command) => {
        ran.push(command.join(' '));
        return { exitCode: 0, tail: [] };
      });
      expect(ran).to.deep.equal(['apt-get remove -y docker.io iptables']);
      expect(ledger.entries()).to.deep.equal([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
