import type { EngineInfo } from '../engine/index.ts';
import { SquallError } from '../errors/index.ts';
import type { KernelConfig } from './kernel-config.ts';

/** What the packet agent found when it tried, by its own names. */
export type AgentFindings = Readonly<
  Record<string, { readonly ok: boolean; readonly reason?: string | undefined }>
>;

/** One thing that faults need, whether this machine has it, and which faults it is needed for. */
export interface Capability {
  readonly name: string;
  readonly state: 'yes' | 'no' | 'unknown';
  /** How it was found out, or why it is not there. */
  readonly reason: string;
  readonly faults: readonly string[];
}

export interface CapabilityInput {
  readonly engine: EngineInfo | undefined;
  readonly agent: AgentFindings | undefined;
  readonly kernel: KernelConfig | undefined;
}

const AGENT_FAULTS = [
  'hold',
  'drop',
  'loss',
  'delay',
  'duplicate',
  'reorder',
  'corrupt',
  'rate',
  'blackhole-connect',
];
const PROXY_FAULTS = [
  'blackhole-stream',
  'blackhole-after',
  'refuse',
  'reset',
  'slow',
  'slice',
  'limit',
  'throttle',
  'stand-in',
];
const ALL_FAULTS = [
  ...AGENT_FAULTS,
  ...PROXY_FAULTS,
  'storm-421',
  'pause',
  'kill',
  'stop',
  'restart',
  'disk-full',
  'memory-limit',
  'cpu-quota',
  'clock-offset',
];

interface Need {
  readonly name: string;
  readonly faults: readonly string[];
  /** Agent's name for it, when the agent tries it. */
  readonly agent?: string;
  /** Any of these sets of kernel options will do. */
  readonly kernel: readonly (readonly string[])[];
}

const NEEDS: readonly Need[] = [
  {
    name: 'nftables',
    faults: [...AGENT_FAULTS, ...PROXY_FAULTS],
    agent: 'nftTable',
    kernel: [['NF_TABLES', 'NF_TABLES_IPV4']],
  },
  {
    name: 'packet queues',
    faults: AGENT_FAULTS,
    agent: 'nfqueue',
    // nft's own queue, or the xtables target through nft_compat.
    kernel: [
      ['NETFILTER_NETLINK_QUEUE', 'NFT_QUEUE'],
      ['NETFILTER_NETLINK_QUEUE', 'NFT_COMPAT', 'NETFILTER_XT_TARGET_NFQUEUE'],
    ],
  },
  { name: 'raw sockets', faults: AGENT_FAULTS, agent: 'rawSocket', kernel: [['INET']] },
  { name: 'redirection', faults: PROXY_FAULTS, agent: 'nat', kernel: [['NF_TABLES', 'NFT_NAT', 'NF_NAT']] },
  {
    name: 'network namespaces',
    faults: [...AGENT_FAULTS, ...PROXY_FAULTS],
    agent: 'namespaces',
    kernel: [['NET_NS']],
  },
  {
    name: "the agent sees the host's processes",
    faults: [...AGENT_FAULTS, ...PROXY_FAULTS],
    agent: 'hostPids',
    kernel: [],
  },
  { name: 'freezing', faults: ['pause'], kernel: [['CGROUP_FREEZER'], ['CGROUPS']] },
  { name: 'memory limits', faults: ['memory-limit'], kernel: [['MEMCG']] },
  { name: 'CPU quotas', faults: ['cpu-quota'], kernel: [['CFS_BANDWIDTH']] },
  { name: 'file systems in memory', faults: ['disk-full'], kernel: [['TMPFS']] },
];

function fromKernel(need: Need, kernel: KernelConfig | undefined): Omit<Capability, 'name' | 'faults'> {
  if (need.kernel.length === 0) return { state: 'unknown', reason: 'only the packet agent can tell' };
  if (!kernel) return { state: 'unknown', reason: 'this kernel does not show its configuration' };
  const has = (option: string): boolean => (kernel.get(option) ?? 'n') !== 'n';
  const met = need.kernel.find((options) => options.every(has));
  if (met) return { state: 'yes', reason: `the kernel was built with ${met.join(', ')}` };
  const missing = need.kernel[need.kernel.length - 1]?.filter((option) => !has(option)) ?? [];
  return { state: 'no', reason: `the kernel was built without ${missing.join(', ')}` };
}

function judgeNeed(need: Need, input: CapabilityInput): Capability {
  const { name, faults } = need;
  const found = need.agent ? input.agent?.[need.agent] : undefined;
  if (found) {
    const reason = found.ok ? 'tried by the packet agent' : (found.reason ?? 'the packet agent could not');
    return { name, faults, state: found.ok ? 'yes' : 'no', reason };
  }
  // Another kernel's configuration says nothing about the one that containers run on.
  if (input.engine && input.engine.host !== 'this') {
    return { name, faults, state: 'unknown', reason: 'containers run on another kernel' };
  }
  return { name, faults, ...fromKernel(need, input.kernel) };
}

function judgeEngine(engine: EngineInfo | undefined): Capability {
  const common = { name: 'a container engine', faults: ALL_FAULTS };
  if (!engine) return { ...common, state: 'no', reason: 'none was found' };
  return { ...common, state: 'yes', reason: `${engine.version} at ${engine.endpoint}` };
}

/** Faults in a node's network namespace need an engine whose namespaces the agent can enter. */
function judgeNamespaces(engine: EngineInfo | undefined): Capability {
  const common = { name: "reach into nodes' networks", faults: [...AGENT_FAULTS, ...PROXY_FAULTS] };
  if (!engine) return { ...common, state: 'unknown', reason: 'no engine' };
  if (engine.rootless) {
    return {
      ...common,
      state: 'no',
      reason:
        "the engine is rootless: nodes' network namespaces lie inside its own, where no helper with host PIDs can enter them",
    };
  }
  if (engine.host === 'vm')
    return {
      ...common,
      state: 'yes',
      reason: "through the engine's virtual machine; its host limits cannot be raised from here",
    };
  if (engine.host === 'remote')
    return {
      ...common,
      state: 'yes',
      reason: 'through the remote engine; its host limits cannot be raised from here',
    };
  return { ...common, state: 'yes', reason: 'the engine runs on this kernel' };
}

/** What this machine can do, each with how it is known. */
export function judgeCapabilities(input: CapabilityInput): readonly Capability[] {
  return [
    judgeEngine(input.engine),
    judgeNamespaces(input.engine),
    ...NEEDS.map((need) => judgeNeed(need, input)),
  ];
}

/** A fault's availability: the first capability that is missing decides, else the first that is not known. */
export interface FaultAvailability {
  readonly fault: string;
  readonly available: 'yes' | 'no' | 'unknown';
  readonly reason: string;
}

/** What only the node's image or its plan can decide, said beside the fault. */
const FURTHER_NEEDS: Readonly<Record<string, string>> = {
  'clock-offset': 'needs libfaketime in the image and a dynamically linked program',
  'disk-full': 'needs a file system of limited size in the topology',
  'storm-421': 'needs an image of ours that can storm',
};

export function judgeFaults(capabilities: readonly Capability[]): readonly FaultAvailability[] {
  return ALL_FAULTS.map((fault) => {
    const needed = capabilities.filter((capability) => capability.faults.includes(fault));
    const missing = needed.find((capability) => capability.state === 'no');
    if (missing) return { fault, available: 'no', reason: `${missing.name}: ${missing.reason}` };
    const unsure = needed.find((capability) => capability.state === 'unknown');
    if (unsure) return { fault, available: 'unknown', reason: `${unsure.name}: ${unsure.reason}` };
    return { fault, available: 'yes', reason: FURTHER_NEEDS[fault] ?? '' };
  });
}

/** Why no fault of the packet agent can work with an engine, before anything is started; undefined when some may. */
export function whyNoNetworkFaults(engine: EngineInfo): string | undefined {
  const found = judgeNamespaces(engine);
  return found.state === 'no' ? found.reason : undefined;
}

/**
 * Refuses an engine on which no bed can stand, since each has a packet agent that enters its nodes' networks.
 * @throws SquallError `engine-rootless` (input)
 */
export function requireNetworkFaults(engine: EngineInfo): void {
  const why = whyNoNetworkFaults(engine);
  if (why === undefined) return;
  throw new SquallError(`engine ${engine.endpoint}: no bed can be started on it: ${why}.`, {
    code: 'engine-rootless',
    blame: 'input',
    facts: { endpoint: engine.endpoint, origin: engine.origin },
    hint: 'Name an engine that runs as root in DOCKER_HOST (unix:///var/run/docker.sock is the usual one); `squall doctor` shows what was tried.',
  });
}
