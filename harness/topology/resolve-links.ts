import { suggestionFor } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import type { ProblemList } from './problem-list.ts';
import type { TopologyDocument } from './schema.ts';
import { type SelectableNode, select } from './selector.ts';
import type { ResolvedLink } from './types.ts';

export interface LinkableNode extends SelectableNode {
  readonly ports: Readonly<Record<string, number>>;
}

/** Links with their ports as numbers; both ends must be there and no two may be the same. */
export function resolveLinks(
  links: TopologyDocument['links'],
  nodes: readonly LinkableNode[],
  problems: ProblemList,
): ResolvedLink[] {
  const names = new Set<string>();
  const wires = new Map<string, string>();
  return links.map((link, index) => {
    const path = ['links', index];
    const end = (key: 'from' | 'to'): readonly LinkableNode[] => {
      if (link[key] === '') {
        problems.addEmpty([...path, key], 'a selector');
        return [];
      }
      try {
        const chosen = select(link[key], nodes);
        return nodes.filter((node) => chosen.includes(node.name));
      } catch (error) {
        if (!(error instanceof SquallError)) throw error;
        problems.add([...path, key], error.message);
        return [];
      }
    };
    end('from');
    const servers = end('to');
    let port = typeof link.port === 'number' ? link.port : 0;
    if (typeof link.port === 'string' && servers.length > 0) {
      const asked = link.port;
      const known = [...new Set(servers.flatMap((server) => Object.keys(server.ports)))];
      const numbers = [...new Set(servers.map((server) => server.ports[asked]))];
      if (numbers.length > 1) {
        problems.add(
          [...path, 'port'],
          `"${asked}" is not the same port on all of "${link.to}"; expected one number`,
        );
      } else if (numbers[0] === undefined) {
        problems.add(
          [...path, 'port'],
          `"${link.to}" has no port called "${asked}"${suggestionFor(asked, known)}`,
        );
      }
      port = numbers[0] ?? 0;
    }
    if (link.path === 'toxiproxy' && link.protocol === 'udp') {
      problems.add([...path, 'path'], 'Toxiproxy carries TCP only; expected path: agent for udp');
    }
    const name = link.name ?? `${link.from}-${link.to}-${link.port}`;
    if (names.has(name.toLowerCase())) problems.add([...path, 'name'], `a link is called "${name}" already`);
    names.add(name.toLowerCase());
    const wire = `${link.protocol} ${link.from} → ${link.to}:${port}`;
    const twin = wires.get(wire);
    if (twin !== undefined && port !== 0)
      problems.add(path, `the port clashes with link "${twin}": both are ${wire}`);
    wires.set(wire, name);
    return { name, from: link.from, to: link.to, port, protocol: link.protocol, path: link.path };
  });
}
