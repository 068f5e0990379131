import type { ProblemPath } from '../document/index.ts';
import { NameRegister, wrongName } from './node-names.ts';
import type { ProblemList } from './problem-list.ts';
import type { NodeGroup } from './schema.ts';

export interface NamedNode {
  readonly name: string;
  readonly role: string;
  readonly index: number;
  readonly group: number;
  /** 0-based within its group. */
  readonly ordinal: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** `role-1`, `role-2`, … through all groups of a role, or a group's own name. */
export function nameNodes(
  groups: readonly NodeGroup[],
  counts: readonly number[],
  problems: ProblemList,
): NamedNode[] {
  const register = new NameRegister(problems);
  const lastIndex = new Map<string, number>();
  const nodes: NamedNode[] = [];
  for (const [groupIndex, group] of groups.entries()) {
    const count = counts[groupIndex] ?? 0;
    const path: ProblemPath = ['nodes', groupIndex];
    if (group.role === '') {
      problems.addEmpty([...path, 'role'], 'what these nodes do');
      // It has no names but its own, with which others may clash, and that links may name.
      if (group.name === undefined) continue;
    }
    if (group.name !== undefined && count > 1) {
      problems.add([...path, 'name'], `one name for ${count} nodes; expected a count of 1`);
    }
    if (group.role !== '') register.claim(group.role, `role "${group.role}"`, [...path, 'role']);
    const wrongRole = group.role === '' ? undefined : wrongName(group.role);
    const wrong =
      wrongRole ?? (group.name === undefined ? wrongName(`${group.role}-${count}`) : wrongName(group.name));
    if (wrong) problems.add([...path, group.name === undefined || wrongRole ? 'role' : 'name'], wrong);
    const labels = Object.fromEntries(
      Object.entries(group.labels ?? {}).map(([key, value]) => [key, String(value)]),
    );
    for (let turn = 0; turn < count; turn += 1) {
      const index = (lastIndex.get(group.role) ?? 0) + 1;
      lastIndex.set(group.role, index);
      const name = group.name !== undefined && turn === 0 ? group.name : `${group.role}-${index}`;
      // A group of one may carry its role's own name; then both mean the same node.
      if (name !== group.role || count > 1) {
        register.claim(name, `node "${name}" of group ${groupIndex + 1}`, [
          ...path,
          group.name === undefined ? 'role' : 'name',
        ]);
      }
      nodes.push({ name, role: group.role, index, group: groupIndex, ordinal: turn, labels });
    }
  }
  return nodes;
}
