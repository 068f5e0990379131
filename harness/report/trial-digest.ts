import { counts } from '../check/index.ts';
import type { FaultRecord, PcapRecord, TrialRecord } from '../record/index.ts';

/** What reports show of a trial: the record without its nodes and witnesses a node, so that thousands fit in memory. */
export interface TrialDigest
  extends Pick<
    TrialRecord,
    | 'suite'
    | 'scenario'
    | 'point'
    | 'pointId'
    | 'trial'
    | 'seed'
    | 'warp'
    | 'bed'
    | 'startedAt'
    | 'startNs'
    | 'overheadMs'
    | 'outcome'
    | 'reasons'
    | 'host'
    | 'cleanAfter'
    | 'measures'
    | 'events'
  > {
  readonly dir: string;
  readonly counted: boolean;
  /** Real time, warm-up to settle. */
  readonly durationMs: number;
  readonly nodes: number;
  readonly ran: readonly RanImage[];
  readonly faults: readonly FaultRecord[];
  /** Nodes that ended and were not expected to. */
  readonly unexpectedExits: readonly string[];
  /** Where packets were captured, or were to be. */
  readonly pcap?: PcapDigest;
}

/** What so many nodes of a role ran. */
export interface RanImage {
  readonly role: string;
  readonly image: string;
  readonly imageId: string;
  readonly count: number;
}

/** A trial's captures in short; its trial.json has them file by file. */
export interface PcapDigest {
  readonly files: number;
  readonly bytes: number;
  /** Files in which packets are missing. */
  readonly incomplete: number;
  readonly problems: readonly string[];
}

export function digestTrial(trial: TrialRecord, dir: string): TrialDigest {
  const {
    nodes,
    phases: _phases,
    steps: _steps,
    checks: _checks,
    expectations: _expectations,
    pcap,
    ...rest
  } = trial;
  return {
    ...rest,
    dir,
    counted: counts(trial),
    durationMs: (trial.endNs - trial.startNs) / 1e6,
    nodes: nodes.length,
    ran: ranImages(nodes),
    faults: trial.faults.map(withoutPerNode),
    unexpectedExits: nodes.filter((node) => node.exit && !node.exit.expected).map((node) => node.name),
    ...(pcap && { pcap: digestPcap(pcap) }),
  };
}

function ranImages(nodes: TrialRecord['nodes']): RanImage[] {
  const ran = new Map<string, RanImage>();
  for (const { role, image, imageId } of nodes) {
    const key = `${role} ${image} ${imageId}`;
    ran.set(key, { role, image, imageId, count: (ran.get(key)?.count ?? 0) + 1 });
  }
  return [...ran.values()];
}

function digestPcap({ files, problems }: PcapRecord): PcapDigest {
  return {
    files: files.length,
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    incomplete: files.filter((file) => !file.complete).length,
    problems,
  };
}

function withoutPerNode(fault: FaultRecord): FaultRecord {
  if (!fault.witness) return fault;
  const { perNode: _perNode, ...witness } = fault.witness;
  return { ...fault, witness };
}
