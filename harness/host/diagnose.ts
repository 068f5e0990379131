import type { EngineInfo, EngineSearch, StrategyTrace } from '../engine/index.ts';
import type { LedgerEntry } from '../state/index.ts';
import { formatBytes } from '../units/index.ts';
import { REFERENCE_BED } from './bed-needs.ts';
import {
  type AgentFindings,
  type Capability,
  type FaultAvailability,
  judgeCapabilities,
  judgeFaults,
} from './capabilities.ts';
import type { KernelConfig } from './kernel-config.ts';
import {
  BACKLOG_LIMIT_PATH,
  CONNTRACK_LIMIT_PATH,
  INOTIFY_LIMIT_PATH,
  INOTIFY_WATCHES_PATH,
  NEIGH,
  planLimits,
} from './limits.ts';
import { type HostReadings, limitIn } from './read-host.ts';

/** What the reference bed takes: 1.3 GiB of nodes and as much again for the engine and the harness. */
const MEMORY_WANTED_BYTES = 3 * 1024 ** 3;
const DISK_WANTED_BYTES = 2 * 1024 ** 3;
const OPEN_FILES_WANTED = 4_096;
/** Measured: 59 open files of the host for each of 388 containers that ran, their shims and the engine included. */
const FILES_PER_NODE = 64;

/** Limits by name. The three thresholds of the neighbour table are raised together and told of once. */
const SUBJECTS: Readonly<Record<string, string>> = {
  [`${NEIGH}/gc_thresh2`]: 'neighbour table (gc_thresh2)',
  [INOTIFY_LIMIT_PATH]: 'inotify instances',
  [INOTIFY_WATCHES_PATH]: 'inotify watches',
  [CONNTRACK_LIMIT_PATH]: 'connection tracking table',
  [BACKLOG_LIMIT_PATH]: 'packets that may wait on an interface (netdev_max_backlog)',
};

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
): readonly Advice[] {
  if (value === undefined || value >= wanted) return [];
  return [
    advise(
      'warning',
      subject,
      `${show(value)}; a bed of ${REFERENCE_BED.nodes} nodes wants ${show(wanted)}`,
      remedy,
    ),
  ];
}

/** Exactly what a start of the reference bed would raise, so that `doctor --fix` leaves none of it. */
function aboutLimits(host: HostReadings): readonly Advice[] {
  const limit = limitIn(host);
  const targets = planLimits(REFERENCE_BED, { limit, neighbourEntries: host.neighbour.entries });
  return targets.flatMap(({ path, wanted, why }) => {
    const subject = SUBJECTS[path];
    if (subject === undefined) return [];
    const found = `${limit(path)}; a bed of ${REFERENCE_BED.nodes} nodes wants ${wanted} for ${why}`;
    return [
      advise(
        'warning',
        subject,
        found,
        'Raised when a bed needs it, where allowed; or now with `squall doctor --fix`.',
        true,
      ),
    ];
  });
}

function aboutFiles({ open, max }: HostReadings['files']): readonly Advice[] {
  const wanted = REFERENCE_BED.nodes * FILES_PER_NODE;
  if (open === undefined || max === undefined || max - open >= wanted) return [];
  const found = `${open} of ${max} in use; a bed of ${REFERENCE_BED.nodes} nodes opens about ${wanted}`;
  return [advise('warning', 'open files of this host', found, 'Raise fs.file-max with sysctl.')];
}

function aboutHost({ host }: DiagnoseInput): readonly Advice[] {
  const advice = [
    ...aboutLimits(host),
    ...aboutFiles(host.files),
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
