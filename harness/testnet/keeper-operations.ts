import { z } from 'zod';
import { SquallError } from '../errors/index.ts';
import { FAULT_KINDS, type FaultRequest } from '../fault/index.ts';
import type { Bed } from './bed.ts';
import { readBedStatus } from './bed-status.ts';
import type { KeeperCard } from './keeper-files.ts';
import type { KeeperOperation } from './keeper-server.ts';
import type { LineHub } from './line-hub.ts';

/** Records of faults that are over, kept for `fault.list`. */
const FINISHED_SHOWN = 20;

/** Read of a node's log at once, when nobody says how much. */
const MOST_LOG_LINES = 100_000;

const logsParams = z.object({
  selector: z.string(),
  follow: z.boolean().default(false),
  /** Begin with so many of the last lines. */
  tail: z.number().int().min(0).optional(),
});
const execParams = z.object({
  node: z.string(),
  command: z.array(z.string()).min(1),
  stdin: z.string().optional(),
});
const adminParams = z.object({
  selector: z.string(),
  method: z.enum(['GET', 'POST']).default('GET'),
  path: z.string(),
  body: z.unknown().optional(),
});
const resetParams = z.object({
  selector: z.string().default('*'),
  env: z.record(z.string(), z.string()).default({}),
});
const applyParams = z.object({
  request: z.looseObject({ kind: z.enum(FAULT_KINDS), seed: z.string().optional() }),
  afterMs: z.number().optional(),
  /** Answers only when the fault has lifted, with its record; needs `forMs`. */
  wait: z.boolean().default(false),
});
const liftParams = z.union([
  z.object({ id: z.string() }).strict(),
  z.object({ all: z.literal(true) }).strict(),
]);

/** Everything that a client may ask of a bed's keeper. */
export function keeperOperations(of: {
  readonly bed: Bed;
  readonly card: KeeperCard;
  readonly lines: LineHub;
  readonly seed: string;
  /** Removes the bed and ends the keeper after the answer. */
  readonly down: () => Promise<void>;
}): ReadonlyMap<string, KeeperOperation> {
  const { bed, card, lines, seed } = of;
  let draws = 0;
  const pick = (selector: string): readonly string[] => bed.select(selector, `${seed}/${draws++}`);
  const operations: Record<string, KeeperOperation> = {
    status: async () => ({ ...card, ...(await readBedStatus(bed)) }),

    logs: async (raw, { chunk, signal }) => {
      const { selector, follow, tail } = params(logsParams, raw);
      const nodes = pick(selector);
      if (!follow) {
        for (const node of nodes) {
          const read = await bed.engine.readLogs(bed.node(node).containerId, tail ?? MOST_LOG_LINES);
          for (const line of read) chunk({ node, stream: 'stdout', line });
        }
        return undefined;
      }
      for (const line of lines.last(nodes, tail ?? MOST_LOG_LINES)) chunk(line);
      await lines.follow(nodes, chunk, signal);
      return undefined;
    },

    exec: async (raw, { signal }) => {
      const { node, command, stdin } = params(execParams, raw);
      const { containerId } = bed.node(node);
      return await bed.engine.exec(containerId, command, {
        ...(stdin === undefined ? {} : { stdin }),
        signal,
      });
    },

    admin: async (raw, { signal }) => {
      const { selector, method, path, body } = params(adminParams, raw);
      const nodes = pick(selector);
      return await Promise.all(
        nodes.map(async (node) => ({ node, ...(await bed.admin(node, method, path, body, { signal })) })),
      );
    },

    reset: async (raw, { signal }) => {
      const { selector, env } = params(resetParams, raw);
      const nodes = pick(selector);
      await bed.reset(selector === '*' ? '*' : nodes, { env }, signal);
      return { nodes };
    },

    'fault.apply': async (raw, { signal }) => {
      const { request, afterMs, wait } = params(applyParams, raw);
      const plan = bed.faults.plan({ seed: `${seed}/fault-${draws++}`, ...request } as FaultRequest);
      if (wait && plan.forMs === undefined) {
        throw new SquallError(`fault ${plan.kind}: has no length to wait for; expected "for"`, {
          code: 'bad-fault',
          blame: 'input',
          hint: 'Give --for, or do not wait and lift it with `squall lift`.',
        });
      }
      // Once asked for, a fault is the bed's: a client that goes away neither stops nor lifts it.
      const life = wait ? new AbortController().signal : signal;
      const [applied] = await bed.faults.apply([plan], life, afterMs === undefined ? {} : { afterMs });
      if (!applied) return { plan };
      const { appliedNs, liftsAtNs, lifted } = applied;
      const record = wait ? await lifted : undefined;
      return {
        plan,
        appliedNs,
        ...(liftsAtNs === undefined ? {} : { liftsAtNs }),
        ...(record ? { record } : {}),
      };
    },

    'fault.list': async () => {
      const active = await bed.faults.list();
      const ids = new Set(active.map(({ id }) => id));
      const records = await bed.faults.records();
      return { active, finished: records.filter(({ id }) => !ids.has(id)).slice(-FINISHED_SHOWN) };
    },

    'fault.lift': async (raw) => {
      const wanted = params(liftParams, raw);
      if ('id' in wanted) return { lifted: [await bed.faults.lift(wanted.id)] };
      const ids = new Set((await bed.faults.list()).map(({ id }) => id));
      await bed.faults.liftAll();
      return { lifted: (await bed.faults.records()).filter(({ id }) => ids.has(id)) };
    },

    down: async () => {
      const nodes = bed.nodes().length;
      await of.down();
      return { nodes };
    },
  };
  return new Map(Object.entries(operations));
}

function params<T>(schema: z.ZodType<T>, raw: unknown): T {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw new SquallError(`keeper: parameters not understood: ${z.prettifyError(parsed.error)}`, {
    code: 'bad-request',
    blame: 'input',
  });
}
