import { freemem } from 'node:os';
import { SquallError } from '../errors/index.ts';
import { candidateBlocks } from '../network/index.ts';
import {
  areLight,
  type CaptureRequest,
  estimateQuietMs,
  estimateRun,
  isLight,
  type PlanEstimate,
  type PlannedPoint,
  type RunPlan,
} from '../scenario/index.ts';
import { measuredCosts } from './measured-costs.ts';
import { defaultParallelBeds } from './parallel-beds.ts';

export interface PlanCosts extends PlanEstimate {
  readonly parallelBeds: number;
  /** Beds besides these, for light points. */
  readonly lightBeds: number;
  /** What limits the number of beds at once. */
  readonly why: string;
  /** Where the figures come from. */
  readonly basis: string;
  /** The most that packet captures may take on the disk, besides `diskBytes`; absent without captures. */
  readonly captureBytes?: number;
}

/** What a plan costs: a model of the reference machine, corrected by what earlier runs on this one took. */
export async function planCosts(
  plan: RunPlan,
  wantedBeds?: number,
  reportsDir = 'reports',
  capture?: CaptureRequest,
): Promise<PlanCosts> {
  const { costs, basis, trialMsOf } = await measuredCosts(reportsDir);
  const room = defaultBeds(plan, costs.memoryBytesPerNode);
  const parallelBeds = wantedBeds ?? room.beds;
  if (wantedBeds !== undefined) requireSubnets(plan, wantedBeds);
  const lightBeds = wantedBeds === undefined ? room.lightBeds : 0;
  const estimate = estimateRun(costsOf(plan.points, trialMsOf), parallelBeds, costs, lightBeds);
  return {
    ...estimate,
    parallelBeds,
    lightBeds,
    why: wantedBeds === undefined ? room.why : 'as asked',
    basis,
    ...(capture && { captureBytes: captureBytes(plan, capture) }),
  };
}

/** Every file of every trial at its full size; repeats of void trials come on top. */
export function captureBytes(plan: RunPlan, capture: CaptureRequest): number {
  const files = plan.points.reduce((sum, { trials, topology }) => sum + trials * topology.nodes.length, 0);
  return files * capture.fileBytes;
}

/** What the estimate needs to know of the points of one plan. @param trialMsOf as their steps say, when absent */
export function costsOf(
  points: readonly PlannedPoint[],
  trialMsOf: (point: PlannedPoint) => number | undefined = () => undefined,
): Parameters<typeof estimateRun>[0] {
  const apart = !areLight(points);
  return points.map((planned) => {
    const { scenario, point, trials, topology, bed, warp, phasesMs } = planned;
    return {
      trials,
      nodes: topology.nodes.length,
      trialMs: trialMsOf(planned) ?? phasesMs,
      freshBed: bed === 'fresh',
      light: isLight(planned),
      ...(apart && { quietMs: estimateQuietMs(scenario, point, warp) }),
    };
  });
}

/**
 * @param asked beds at once; a run starts no more than it has trials
 * @throws SquallError `too-many-beds` (input) when so many beds at once cannot all have their subnets
 */
export function requireSubnets(plan: RunPlan, asked: number): void {
  const beds = Math.min(asked, plan.trials.length);
  for (const { topology } of plan.points) {
    const { most, each, all } = subnetRoom(topology);
    if (beds <= most) continue;
    throw new SquallError(
      `--parallel-beds ${asked}: expected ${most} at most; beds of ${topology.name} take ${each} of the ${all} subnets /${topology.bedPrefix} that there are.`,
      {
        code: 'too-many-beds',
        blame: 'input',
        hint: 'Ask for fewer, or give the topology a longer `prefix` (24 holds 250 nodes).',
      },
    );
  }
}

/** How many beds of a topology can stand at once, each with a subnet for each of its networks. */
function subnetRoom({ bedPrefix, networks }: PlannedPoint['topology']): {
  readonly most: number;
  readonly each: number;
  readonly all: number;
} {
  const [all, each] = [candidateBlocks(bedPrefix).length, networks.length];
  return { most: Math.floor(all / each), each, all };
}

/** Beds side by side that this host has room for; in a plan of both kinds, light ones beside the others. */
export function defaultBeds(
  plan: RunPlan,
  memoryBytesPerNode: number,
): { readonly beds: number; readonly lightBeds: number; readonly why: string } {
  const alone = plan.points.find(({ scenario }) => scenario.oneBedAtATime);
  if (alone) return { beds: 1, lightBeds: 0, why: `${alone.scenario.name} wants the host to itself` };
  const subnetBeds = Math.min(...plan.points.map(({ topology }) => subnetRoom(topology).most));
  const room = roomFor(plan, memoryBytesPerNode, subnetBeds);
  const light = plan.points.filter(isLight);
  const lightBeds =
    light.length === plan.points.length
      ? 0
      : Math.max(0, Math.min(light.length, plan.record.host.cpus, subnetBeds - room.beds));
  return { ...room, lightBeds };
}

function roomFor(
  plan: RunPlan,
  memoryBytesPerNode: number,
  subnetBeds: number,
): { readonly beds: number; readonly why: string } {
  const nodes = Math.max(...plan.points.map((point) => point.topology.nodes.length));
  const mesh = plan.points.some((point) => point.topology.mesh);
  return defaultParallelBeds({
    cpus: plan.record.host.cpus,
    freeMemoryBytes: freemem(),
    light: areLight(plan.points),
    bedMemoryBytes: nodes * memoryBytesPerNode,
    // The testnet raises the table as beds come; where it may not, it refuses with the figure.
    neighbourLimit: Number.POSITIVE_INFINITY,
    bedNeighbours: mesh ? nodes * (nodes - 1) : 0,
    subnetBeds,
  });
}
