import { z } from 'zod';
import { SquallError } from '../../errors/index.ts';
import type { FaultBedPort } from '../fault-bed-port.ts';
import { onEachNode, witnessOf } from '../on-each-node.ts';
import type { PlannedBed } from '../planned-bed.ts';
import { pause } from '../process/container-watch.ts';
import { requireNode } from '../require-node.ts';
import { type FaultWork, TimedLease } from '../timed-lease.ts';
import type { FaultKind, FaultPlan, FaultProvider } from '../types.ts';

export const STORM_KINDS = ['storm-421'] as const satisfies readonly FaultKind[];

const LIFT_BUDGET_MS = 30_000;

/** What an image of ours answers at `/storm`: whether it is on, and the requests it has answered with 421 so far. */
const stormSchema = z.looseObject({ on: z.boolean(), answered: z.number().int().min(0) });
type StormState = z.infer<typeof stormSchema>;

/** 421 storm: switched on at the node, so that living connections meet it. */
export function stormProvider(bed: FaultBedPort): FaultProvider {
  return {
    kinds: STORM_KINDS,
    check: (plan) => checkStormPlan(plan, bed),
    lease: (plan) => new TimedLease(plan, stormFault(plan, bed), { liftBudgetMs: LIFT_BUDGET_MS }),
  };
}

/** Refuses nodes without the switch, before anything starts. @throws SquallError `fault-unavailable` (input) */
export function checkStormPlan(plan: FaultPlan, bed: Pick<PlannedBed, 'nodes'>): void {
  for (const name of plan.targets) {
    const node = requireNode(bed, name);
    const hasPort = node.imageKind === 'ours' && node.adminPort !== undefined;
    const why = hasPort ? node.cannot?.['storm-421'] : 'it has no /storm switch';
    if (why === undefined) continue;
    throw new SquallError(`fault ${plan.id} (storm-421): ${name} runs ${node.image}: ${why}`, {
      code: 'fault-unavailable',
      blame: 'input',
      hint: 'Only images of ours whose image.json says `storms: true` can be told to answer 421.',
    });
  }
}

function stormFault(plan: FaultPlan, bed: FaultBedPort): FaultWork {
  const before = new Map<string, number>();
  const touched = new Set<string>();

  const ask = async (name: string, method: 'GET' | 'POST', request?: unknown, signal?: AbortSignal) => {
    const answer = await bed.adminRequest(name, method, '/storm', request, signal);
    if (answer.status === 200) return stormSchema.parse(JSON.parse(answer.body));
    throw new SquallError(`node ${name}: /storm answered ${answer.status}; expected 200`, {
      code: answer.status === 404 ? 'fault-unavailable' : 'storm-refused',
      facts: { body: answer.body.slice(0, 200) },
    });
  };
  const switchOn = async (name: string, signal: AbortSignal): Promise<StormState> => {
    touched.add(name);
    return ask(name, 'POST', stormRequest(plan), signal);
  };
  /** A node that does not run answers nothing, 421 included; its next process starts with the storm off. */
  const isRunning = async (name: string) =>
    (await bed.engine.inspectContainer(requireNode(bed, name).containerId))?.running ?? false;

  return {
    arm: async (signal) => {
      await onEachNode(plan.targets, async (name) =>
        before.set(name, (await ask(name, 'GET', undefined, signal)).answered),
      );
    },
    apply: (signal) => onEachNode(plan.targets, (name) => switchOn(name, signal)),
    undo: async (signal) => {
      await onEachNode([...touched], async (name) => {
        if (await isRunning(name)) await ask(name, 'POST', { on: false }, signal);
      });
    },
    remains: async (signal) => {
      const { results } = await onEachNode([...touched], async (name) =>
        (await isRunning(name)) && (await ask(name, 'GET', undefined, signal)).on
          ? [`${name} still answers 421`]
          : [],
      );
      return results.flat();
    },
    witness: async (signal) => {
      const { results } = await onEachNode(plan.targets, async (name) => {
        if (!(await isRunning(name))) return [name, { storm421: 0 }] as const;
        const since = (await ask(name, 'GET', undefined, signal)).answered - (before.get(name) ?? 0);
        return [name, { storm421: Math.max(0, since) }] as const;
      });
      return witnessOf('node', Object.fromEntries(results));
    },
    reapply: async (name, signal) => {
      before.set(name, 0);
      await untilServing(() => switchOn(name, signal), signal);
    },
  };
}

/** What a node is told: settings that mean "as it is" are left out. */
function stormRequest({ settings, seed }: FaultPlan): Readonly<Record<string, unknown>> {
  const { at, account, named, ...rest } = settings;
  return {
    on: true,
    ...rest,
    at: String(at).split(','),
    ...(account === '' ? {} : { account }),
    ...(named === 0 ? {} : { count: named }),
    seed,
  };
}

const RETRY_MS = 50;

/** A process that has just started refuses connections for a moment. */
async function untilServing(work: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof SquallError && error.code === 'agent-http-failed')) throw error;
    }
    await pause(RETRY_MS, signal);
  }
}
