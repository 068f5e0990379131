import { SquallError } from '../errors/index.ts';
import type { ProblemList } from './problem-list.ts';
import type { NodeGroup } from './schema.ts';
import { type SelectableNode, select } from './selector.ts';

/** Names of the nodes that must be ready before each group's nodes, a group each; a group's own nodes may be among them. */
export function resolveAfter(
  groups: readonly NodeGroup[],
  nodes: readonly SelectableNode[],
  problems: ProblemList,
): string[][] {
  return groups.map((group, groupIndex) => {
    const names = group.after.flatMap((selector, index) => {
      try {
        return select(selector, nodes);
      } catch (error) {
        if (!(error instanceof SquallError)) throw error;
        problems.add(['nodes', groupIndex, 'after', index], error.message);
        return [];
      }
    });
    return [...new Set(names)];
  });
}

/**
 * A cycle in `after`, as names in order with the first again at the end; `undefined` when there is an order to start in.
 */
export function findCycle(after: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const trail: string[] = [];
  const onTrail = new Set<string>();

  const visit = (name: string): string[] | undefined => {
    if (onTrail.has(name)) return [...trail.slice(trail.indexOf(name)), name];
    if (done.has(name)) return undefined;
    trail.push(name);
    onTrail.add(name);
    for (const earlier of after.get(name) ?? []) {
      const cycle = visit(earlier);
      if (cycle) return cycle;
    }
    trail.pop();
    onTrail.delete(name);
    done.add(name);
    return undefined;
  };

  for (const name of after.keys()) {
    const cycle = visit(name);
    if (cycle) return cycle;
  }
  return undefined;
}
