import { randomBytes } from 'node:crypto';
import type { EngineInfo } from '../engine/index.ts';
import { planRun, type RunPlan, type ScenarioSelection } from '../scenario/index.ts';
import { hostClass } from './host-class.ts';
import { squallVersion } from './squall-version.ts';
import { type TopologyResolver, topologyResolver } from './topology-resolver.ts';

export interface PlanRequest {
  readonly selections: readonly ScenarioSelection[];
  /** Drawn at random when absent. */
  readonly seed?: string;
  /** Of selections that name none; 1 when absent. */
  readonly warp?: number;
  readonly runId?: string;
  /** Arguments after `squall`. */
  readonly command: readonly string[];
  readonly engine?: EngineInfo;
  readonly cwd?: string;
  /** Of a caller that makes many plans, so that images and topologies are read once. */
  readonly resolver?: TopologyResolver;
}

/** Plans a run. Nothing is started. @throws SquallError (input) for whatever is wrong with it */
export function makePlan(request: PlanRequest): RunPlan {
  const startedAt = new Date();
  return planRun(request.selections, {
    runId: request.runId ?? newRunId(startedAt),
    seed: request.seed ?? randomBytes(4).readUInt32BE().toString(),
    warp: request.warp ?? 1,
    squallVersion: squallVersion(),
    startedAt: startedAt.toISOString(),
    command: request.command,
    host: hostClass(request.engine),
    resolveTopology:
      request.resolver ?? topologyResolver({ ...(request.cwd !== undefined && { cwd: request.cwd }) }),
  });
}

/** Sorts by time, and two runs of one second differ: `20261130-013122-7f3a`. */
export function newRunId(now: Date): string {
  const digits = now.toISOString().replaceAll(/[-:]/g, '').slice(0, 15).replace('T', '-');
  return `${digits}-${randomBytes(2).toString('hex')}`;
}
