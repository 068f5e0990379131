import type { ProblemPath } from '../document/index.ts';
import type { ProblemList } from './problem-list.ts';

/** RFC 1035: a label has at most 63 characters; names are also hostnames and DNS aliases. */
const MAX_LABEL = 63;
const RESERVED = ['harness', 'localhost', 'agent', 'toxiproxy'];

/** Why a text cannot be a role, a node or a network's name; `undefined` when it can. */
export function wrongName(name: string): string | undefined {
  if (name.length > MAX_LABEL) {
    return `${name.length} characters found; expected at most ${MAX_LABEL}, since it becomes a DNS label`;
  }
  if (!/^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(name)) {
    return `"${name}" cannot be a DNS label; expected lower-case letters, digits and hyphens, beginning with a letter and not ending with a hyphen`;
  }
  if (RESERVED.includes(name)) return `"${name}" is a name of Squall’s own; expected another`;
  return undefined;
}

/** Remembers names without regard to case and reports the second use of one. */
export class NameRegister {
  readonly #owners = new Map<string, string>();
  readonly #problems: ProblemList;

  constructor(problems: ProblemList) {
    this.#problems = problems;
  }

  /** @param owner what has the name, such as `role "member"`; the same owner may come again */
  claim(name: string, owner: string, path: ProblemPath): void {
    const key = name.toLowerCase();
    const other = this.#owners.get(key);
    if (other !== undefined && other !== owner) {
      this.#problems.add(
        path,
        `the name "${name}" clashes with ${other} (names must differ in more than case)`,
      );
      return;
    }
    this.#owners.set(key, owner);
  }
}
