import { suggestionFor } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import type { SeededStream } from '../random/index.ts';
import { parseSelector, type Selector, type SelectorAtom, type SelectorFilter } from './parse-selector.ts';

/** What a selector looks at. */
export interface SelectableNode {
  readonly name: string;
  readonly role: string;
  /** 1-based within the role. */
  readonly index: number;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Names of the nodes that a selector means, each once, in the order of `nodes`.
 *
 * A comma joins, and what any `!` names is taken away from the whole: `a,!a[1]` and `!a[1],a` are the same, and
 * `!a` alone means everybody but a. An index beyond a role's nodes and an unknown name are refused even where other
 * parts match, since such a selector does not say what its author thinks.
 *
 * `pick(n,…)` and `share(r,…)` draw from `chance`: with the same stream, `pick(1,…)` is among `pick(8,…)`. A share is
 * rounded, and never to nobody.
 *
 * @param chance stream of the concern `targets`; only random selectors need it
 * @throws SquallError (input) `bad-selector`, `unknown-node`, `zero-targets`, `too-few-targets`
 */
export function select(
  selector: string | Selector,
  nodes: readonly SelectableNode[],
  chance?: SeededStream,
): string[] {
  const parsed = typeof selector === 'string' ? parseSelector(selector) : selector;
  const chosen = choose(parsed, nodes, chance);
  if (chosen.size === 0) {
    throw new SquallError(
      `selector "${parsed.text}": matches no node; expected at least one of ${nodes.length}`,
      {
        code: 'zero-targets',
        blame: 'input',
        facts: { selector: parsed.text, nodes: nodes.length },
        hint: `There is ${describeRoles(nodes)}.`,
      },
    );
  }
  return nodes.filter((node) => chosen.has(node.name)).map((node) => node.name);
}

function choose(
  selector: Selector,
  nodes: readonly SelectableNode[],
  chance: SeededStream | undefined,
): ReadonlySet<string> {
  const chosen = new Set<string>();
  const without = new Set<string>();
  for (const [ordinal, term] of selector.terms.entries()) {
    const matched = matchAtom(term.atom, selector, nodes, chance?.derive(`term-${ordinal}`));
    for (const name of matched) (term.without ? without : chosen).add(name);
  }
  if (selector.terms.every((term) => term.without)) for (const node of nodes) chosen.add(node.name);
  return new Set([...chosen].filter((name) => !without.has(name)));
}

function matchAtom(
  atom: SelectorAtom,
  selector: Selector,
  nodes: readonly SelectableNode[],
  chance: SeededStream | undefined,
): readonly string[] {
  if (atom.kind === 'name')
    return matchName(atom.name, atom.filters, selector, nodes).map((node) => node.name);
  if (!chance) {
    throw new SquallError(`selector "${selector.text}": draws by chance, which is not possible here`, {
      code: 'bad-selector',
      blame: 'input',
      hint: 'Name the nodes, as in role[1..3].',
    });
  }
  const inner = choose(atom.of, nodes, chance);
  const pool = nodes.filter((node) => inner.has(node.name)).map((node) => node.name);
  const count = atom.kind === 'pick' ? atom.count : shareOf(atom.ratio, pool.length);
  if (count > pool.length) {
    throw new SquallError(
      `selector "${selector.text}": asks for ${count} of "${atom.of.text}"; expected at most ${pool.length}`,
      {
        code: 'too-few-targets',
        blame: 'input',
        facts: { selector: selector.text, wanted: count, found: pool.length },
      },
    );
  }
  return chance.derive('draw').pick(count, pool);
}

function shareOf(ratio: number, count: number): number {
  return ratio === 0 || count === 0 ? 0 : Math.max(1, Math.round(ratio * count));
}

function matchName(
  name: string,
  filters: readonly SelectorFilter[],
  selector: Selector,
  nodes: readonly SelectableNode[],
): readonly SelectableNode[] {
  const ofRole = nodes.filter((node) => node.role === name);
  const named =
    name === '*' ? nodes : ofRole.length > 0 ? ofRole : nodes.filter((node) => node.name === name);
  if (named.length === 0 && name !== '*') {
    const known = [...new Set(nodes.map((node) => node.role)), ...nodes.map((node) => node.name)];
    throw new SquallError(
      `selector "${selector.text}": no role or node is called "${name}"${suggestionFor(name, known)}`,
      {
        code: 'unknown-node',
        blame: 'input',
        facts: { selector: selector.text, name },
      },
    );
  }
  return filters.reduce<readonly SelectableNode[]>((left, filter) => {
    if (filter.kind === 'label') return left.filter((node) => node.labels[filter.key] === filter.value);
    const highest = Math.max(0, ...named.map((node) => node.index));
    const beyond = Math.max(filter.from ?? 1, filter.to ?? 1);
    if (beyond > highest) {
      throw new SquallError(
        `selector "${selector.text}": [${filter.text}] is beyond the nodes of "${name}"; expected at most ${highest}`,
        { code: 'zero-targets', blame: 'input', facts: { selector: selector.text, highest } },
      );
    }
    return left.filter(({ index }) => index >= (filter.from ?? 1) && index <= (filter.to ?? highest));
  }, named);
}

function describeRoles(nodes: readonly SelectableNode[]): string {
  const counts = new Map<string, number>();
  for (const node of nodes) counts.set(node.role, (counts.get(node.role) ?? 0) + 1);
  return [...counts].map(([role, count]) => `${role} × ${count}`).join(', ') || 'no node at all';
}
