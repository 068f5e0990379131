import { SquallError } from '../../errors/index.ts';
import type { FaultBedPort } from '../fault-bed-port.ts';
import { TimedLease } from '../timed-lease.ts';
import type { FaultKind, FaultPlan, FaultProvider } from '../types.ts';
import { pauseFault } from './pause-fault.ts';
import { isRestartAs, restartFault } from './restart-fault.ts';
import { type NodeRestarted, stopFault } from './stop-fault.ts';

export const PROCESS_KINDS = ['pause', 'kill', 'stop', 'restart'] as const satisfies readonly FaultKind[];

/** A start of a container takes part of a second; many at once on two cores take tens of seconds. */
const LIFT_BUDGET_MS = 60_000;

/** Faults of processes, by the engine: pause, kill, stop, restart (also as another variant or version). */
export function processProvider(bed: FaultBedPort, onRestart: NodeRestarted): FaultProvider {
  return {
    kinds: PROCESS_KINDS,
    check: (plan) => {
      checkProcessPlan(plan);
      if (plan.kind === 'restart' && isRestartAs(plan) && !bed.restartAs)
        throw badPlan(plan, 'this bed cannot start a node again as another variant or version');
    },
    lease: (plan) => {
      const momentary = plan.kind === 'restart' && !isRestartAs(plan);
      return new TimedLease(plan, workOf(plan, bed, onRestart), {
        liftBudgetMs: LIFT_BUDGET_MS,
        momentary,
        endsAtOrder: plan.kind !== 'pause',
      });
    },
  };
}

function workOf(plan: FaultPlan, bed: FaultBedPort, onRestart: NodeRestarted) {
  if (plan.kind === 'pause') return pauseFault(plan, bed);
  return plan.kind === 'restart' ? restartFault(plan, bed, onRestart) : stopFault(plan, bed, onRestart);
}

/** Refuses what can be seen to be wrong before anything starts. @throws SquallError `bad-fault` (input) */
export function checkProcessPlan(plan: FaultPlan): void {
  if (plan.targets.length === 0) throw badPlan(plan, 'no targets; expected at least one node');
  if (plan.kind === 'restart' && !isRestartAs(plan) && plan.forMs !== undefined)
    throw badPlan(plan, 'a restart is over when the node runs again; give no length');
}

function badPlan(plan: FaultPlan, problem: string): SquallError {
  return new SquallError(`fault ${plan.id} (${plan.kind}): ${problem}`, {
    code: 'bad-fault',
    blame: 'input',
  });
}
