import { lstat, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SquallError } from '../../errors/index.ts';
import type { FaultBedPort } from '../fault-bed-port.ts';
import { onEachNode, witnessOf } from '../on-each-node.ts';
import { requireRunning } from '../process/require-running.ts';
import { requireNode } from '../require-node.ts';
import type { FaultWork } from '../timed-lease.ts';
import type { FaultPlan } from '../types.ts';
import { clockSupport } from './clock-support.ts';
import { nodePath } from './node-files.ts';

const MS_PER_S = 1_000;

/** The wall clock of a node is wrong by an offset, written where the preloaded libfaketime reads it. */
export function clockOffsetFault(plan: FaultPlan, bed: FaultBedPort): FaultWork {
  const wanted = `${(plan.settings.offsetMs as number) >= 0 ? '+' : ''}${Number(plan.settings.offsetMs) / MS_PER_S}`;
  const before = new Map<string, string | undefined>();
  const touched = new Set<string>();
  const isRunning = async (name: string) =>
    (await bed.engine.inspectContainer(requireNode(bed, name).containerId))?.running ?? false;

  const fileOf = async (name: string): Promise<string> => {
    const { pid } = requireNode(bed, name);
    const support = clockSupport(pid);
    if ('why' in support) throw noClock(plan, name, support.why);
    const file = join(
      await nodePath(name, pid, dirname(support.file)),
      support.file.split('/').at(-1) as string,
    );
    const entry = await lstat(file).catch(() => undefined);
    if (entry?.isSymbolicLink()) throw noClock(plan, name, `${support.file} is a symbolic link`);
    return file;
  };

  const offsetOf = async (name: string): Promise<string | undefined> => {
    try {
      return (await readFile(await fileOf(name), 'utf8')).trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  };

  const setOffset = async (name: string) => {
    touched.add(name);
    await writeFile(await fileOf(name), `${wanted}\n`);
  };

  return {
    arm: async () => {
      await requireRunning(bed, plan);
      await onEachNode(plan.targets, async (name) => before.set(name, await offsetOf(name)));
    },
    apply: () => onEachNode(plan.targets, setOffset),
    undo: async () => {
      await onEachNode([...touched], async (name) => {
        if (!(await isRunning(name))) return;
        const old = before.get(name);
        if (old === undefined) await rm(await fileOf(name), { force: true });
        else await writeFile(await fileOf(name), `${old}\n`);
      });
    },
    remains: async () => {
      const { results } = await onEachNode([...touched], async (name) => {
        if (!(await isRunning(name))) return [];
        const now = await offsetOf(name);
        return now === before.get(name) ? [] : [`${name} still has the offset ${now}`];
      });
      return results.flat();
    },
    witness: async () => {
      const { results } = await onEachNode(plan.targets, async (name) => {
        const offset = (await isRunning(name)) ? await offsetOf(name) : undefined;
        return [name, { offset: offset === wanted ? 1 : 0 }] as const;
      });
      return witnessOf('node', Object.fromEntries(results));
    },
    reapply: setOffset,
  };
}

export function noClock(plan: FaultPlan, name: string, why: string): SquallError {
  return new SquallError(`fault ${plan.id} (clock-offset): ${name}: ${why}`, {
    code: 'fault-unavailable',
    blame: 'input',
    hint: 'Images of ours have an injected clock instead: POST /clock.',
  });
}
