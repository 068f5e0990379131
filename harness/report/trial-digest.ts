import { counts } from '../check/index.ts';
import type { FaultRecord, TrialRecord } from '../record/index.ts';

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
  readonly faults: readonly FaultRecord[];
  /** Nodes that ended and were not expected to. */
  readonly unexpectedExits: readonly string[];
}

export function digestTrial(trial: TrialRecord, dir: string): TrialDigest {
  const {
    nodes,
    phases: _phases,
    steps: _steps,
    checks: _checks,
    expectations: _expectations,
    ...rest
  } = trial;
  return {
    ...rest,
    dir,
    counted: counts(trial),
    durationMs: (trial.endNs - trial.startNs) / 1e6,
    nodes: nodes.length,
    faults: trial.faults.map(withoutPerNode),
    unexpectedExits: nodes.filter((node) => node.exit && !node.exit.expected).map((node) => node.name),
  };
}

function withoutPerNode(fault: FaultRecord): FaultRecord {
  if (!fault.witness) return fault;
  const { perNode: _perNode, ...witness } = fault.witness;
  return { ...fault, witness };
}
