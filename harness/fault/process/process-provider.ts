import { SquallError } from '../../errors/index.ts';
import type { FaultBedPort } from '../fault-bed-port.ts';
import { TimedLease } from '../timed-lease.ts';
import type { FaultPlan, FaultProvider } from '../types.ts';
import { pauseFault } from './pause-fault.ts';
import { isRestartAs, restartFault } from './restart-fault.ts';
import { type NodeRestarted, stopFault } from './stop-fault.ts';

/** A start of a container takes part of a second; many at once on two cores take tens of seconds. */
const LIFT_BUDGET_MS = 60_000;

/** Faults of processes, by the engine: pause, kill, stop, restart (also as another variant or version). */
export function processProvider(bed: FaultBedPort, onRestart: NodeRestarted): FaultProvider {
  return {
    kinds: ['pause', 'kill', 'stop', 'restart'],
    check: (plan) => checkProcessPlan(plan, bed),
    lease: (plan) => {
      const momentary = plan.kind === 'restart' && !isRestartAs(plan);
      return new TimedLease(plan, workOf(plan, bed, onRestart), { liftBudgetMs: LIFT_BUDGET_MS, momentary });
    },
  };
}

function workOf(plan: FaultPlan, bed: FaultBedPort, onRestart: NodeRestarted) {
  if (plan.kind === 'pause') return pauseFault(plan, bed);
  return plan.kind === 'restart' ? restartFault(plan, bed, onRestart) : stopFault(plan, bed, onRestart);
}

function checkProcessPlan(plan: FaultPlan, bed: FaultBedPort): void {
  const problem = processProblem(plan, bed);
  if (problem === undefined) return;
  throw new SquallError(`fault ${plan.id} (${plan.kind}): ${problem}`, { code: 'bad-fault', blame: 'input' });
}

function processProblem(plan: FaultPlan, bed: FaultBedPort): string | undefined {
  if (plan.targets.length === 0) return 'no targets; expected at least one node';
  if (plan.kind !== 'restart') return undefined;
  if (!isRestartAs(plan)) {
    return plan.forMs === undefined
      ? undefined
      : 'a restart is over when the node runs again; give no length';
  }
  return bed.restartAs ? undefined : 'this bed cannot start a node again as another variant or version';
}
