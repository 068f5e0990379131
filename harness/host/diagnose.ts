import type { EngineInfo, EngineSearch, StrategyTrace } from '../engine/index.ts';
import type { LedgerEntry } from '../state/index.ts';
import { formatBytes } from '../units/index.ts';
import {
  type AgentFindings,
  type Capability,
  type FaultAvailability,
  judgeCapabilities,
  judgeFaults,
} from './capabilities.ts';
import type { KernelConfig } from './kernel-config.ts';
import type { HostReadings } from './read-host.ts';

/** The largest bed of the reference suites, which limits are measured against. */
export const REFERENCE_BED = { nodes: 128, neighbourEntries: 128 * 127, followedLogs: 128 } as const;

/** What the reference bed takes: 1.3 GiB of nodes and as much again for the engine and the harness. */
const MEMORY_WANTED_BYTES = 3 * 1024 ** 3;
const DISK_WANTED_BYTES = 2 * 1024 ** 3;
const OPEN_FILES_WANTED = 4_096;

/** Things of an earlier run, or of one that is under way. */
export interface Leftover {
  readonly what: string;
  readonly containers: number;
  readonly networks: number;
  readonly ageMs: number;
  /** Nobody answers for it any more. */
  readonly dead: boolean;
  readonly reason: string;
}

/** One thing to know, with what to do about it. */
export interface Advice {
  /** `problem`: runs cannot work; `warning`: some will not; `note`: worth knowing. */
  readonly level: 'problem' | 'warning' | 'note';
  readonly subject: string;
  readonly found: string;
  readonly remedy: string;
  /** `doctor --fix` does it. */
  readonly fixable: boolean;
}

export interface DoctorReport {
  readonly engine: { readonly trace: readonly StrategyTrace[]; readonly info?: EngineInfo };
  readonly host: HostReadings;
  readonly capabilities: readonly Capability[];
  readonly faults: readonly FaultAvailability[];
  readonly leftovers: readonly Leftover[];
  readonly ledger: readonly LedgerEntry[];
  readonly advice: readonly Advice[];
}

export interface DiagnoseInput {
  readonly search: Pick<EngineSearch, 'trace' | 'error'> & { readonly info?: EngineInfo };
  readonly host: HostReadings;
  readonly kernel: KernelConfig | undefined;
  readonly agent: AgentFindings | undefined;
  /** Why the packet agent could not be asked, when it could not. */
  readonly agentProblem?: string;
  readonly leftovers: readonly Leftover[];
  readonly ledger: readonly LedgerEntry[];
  /** Why an engine cannot be started here either; undefined when it can. */
  readonly embeddedObstacle?: { readonly why: string; readonly hint: string };
}

const advise = (
  level: Advice['level'],
  subject: string,
  found: string,
  remedy: string,
  fixable = false,
): Advice => ({ level, subject, found, remedy, fixable });

function aboutEngine(input: DiagnoseInput): readonly Advice[] {
  const { search, embeddedObstacle } = input;
  if (search.error)
    return [
      advise(
        'problem',
        'engine',
        search.error.message,
        search.error.hint ?? 'Unset DOCKER_HOST, or mend it.',
      ),
    ];
  if (!search.info) {
    return embeddedObstacle
      ? [advise('problem', 'engine', `none answers, and ${embeddedObstacle.why}`, embeddedObstacle.hint)]
      : [advise('problem', 'engine', 'none answers', 'Run `squall engine start --yes`.', true)];
  }
  const advice: Advice[] = [];
  if (search.info.rootless) {
    advice.push(
      advise(
        'problem',
        'engine',
        "it is rootless, so the packet agent cannot enter nodes' networks, and no bed is started",
        'Name an engine that runs as root in DOCKER_HOST.',
      ),
    );
  }
  if (search.info.host !== 'this') {
    const remedy = 'Large meshes may overflow its neighbour table; timing bounds are not judged here.';
    advice.push(
      advise('warning', 'engine', `containers run on another kernel (${search.info.host})`, remedy),
    );
  }
  if (input.agentProblem) {
    advice.push(
      advise(
        'warning',
        'packet agent',
        input.agentProblem,
        'Build it with `squall images build packet-agent`, then look again.',
      ),
    );
  }
  return advice;
}

function atLeast(
  subject: string,
  value: number | undefined,
  wanted: number,
  remedy: string,
  show: (value: number) => string = String,
  fixable = false,
): readonly Advice[] {
  if (value === undefined || value >= wanted) return [];
  return [
    advise(
      'warning',
      subject,
      `${show(value)}; a bed of ${REFERENCE_BED.nodes} nodes wants ${show(wanted)}`,
      remedy,
      fixable,
    ),
  ];
}

function aboutHost({ host }: DiagnoseInput): readonly Advice[] {
  const raised = 'Raised when a bed needs it, where allowed; or now with `squall doctor --fix`.';
  const advice = [
    ...atLeast(
      'neighbour table (gc_thresh2)',
      host.neighbour.gcThresh2,
      REFERENCE_BED.neighbourEntries,
      raised,
      String,
      true,
    ),
    ...atLeast(
      'inotify instances',
      host.inotify.instancesMax,
      REFERENCE_BED.followedLogs + 128,
      raised,
      String,
      true,
    ),
    ...atLeast(
      'open files of this process',
      host.files.processMax,
      OPEN_FILES_WANTED,
      'Raise it with `ulimit -n`.',
    ),
    ...atLeast(
      'memory available',
      host.memoryAvailableBytes,
      MEMORY_WANTED_BYTES,
      'Use fewer nodes, or end other programs.',
      formatBytes,
    ),
    ...atLeast(
      'disk free for images and logs',
      host.diskFreeBytes,
      DISK_WANTED_BYTES,
      'Free some; `squall images prune` removes older builds.',
      formatBytes,
    ),
  ];
  const { entries, max } = host.conntrack;
  if (entries !== undefined && max !== undefined && entries > max * 0.8) {
    advice.push(
      advise(
        'warning',
        'connection tracking',
        `${entries} of ${max} entries in use; packets are lost when it is full`,
        'Raise net.netfilter.nf_conntrack_max.',
      ),
    );
  }
  return advice;
}

function aboutRest(input: DiagnoseInput, capabilities: readonly Capability[]): readonly Advice[] {
  const advice = capabilities
    .filter((capability) => capability.state === 'no' && capability.name !== 'a container engine')
    .map(({ name, reason, faults }) =>
      advise('warning', name, reason, `Not available: ${faults.join(', ')}.`),
    );
  const dead = input.leftovers.filter((leftover) => leftover.dead);
  if (dead.length > 0) {
    const containers = dead.reduce((sum, one) => sum + one.containers, 0);
    const networks = dead.reduce((sum, one) => sum + one.networks, 0);
    const found = `${dead.length} ${dead.length === 1 ? 'bed' : 'beds'} of runs that are gone: ${containers} containers, ${networks} networks`;
    advice.push(advise('warning', 'leftovers', found, 'Remove them with `squall sweep`.', true));
  }
  if (input.ledger.length > 0) {
    const found = `${input.ledger.length} ${input.ledger.length === 1 ? 'change' : 'changes'} of ours to this host stand`;
    advice.push(advise('note', 'host ledger', found, 'Undo them with `squall doctor --restore`.'));
  }
  return advice;
}

const WEIGHT = { problem: 0, warning: 1, note: 2 } as const;

/** Everything found, put together, with what to do about each. Pure: all looking was done before. */
export function diagnose(input: DiagnoseInput): DoctorReport {
  const { search, host, leftovers, ledger } = input;
  const capabilities = judgeCapabilities({ engine: search.info, agent: input.agent, kernel: input.kernel });
  const advice = [...aboutEngine(input), ...aboutHost(input), ...aboutRest(input, capabilities)];
  return {
    engine: { trace: search.trace, ...(search.info ? { info: search.info } : {}) },
    host,
    capabilities,
    faults: judgeFaults(capabilities),
    leftovers,
    ledger,
    advice: advice.sort((a, b) => WEIGHT[a.level] - WEIGHT[b.level]),
  };
}
