import { SquallError } from '../errors/index.ts';

/** Part of container, network and socket names: short, lower case, and no surprise to any of them. */
const BED_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

/**
 * The name asked for, or one made from the topology's that no living bed has.
 * @throws SquallError `bad-bed-name`, `bed-exists` (input)
 */
export function chooseBedName(asked: string | undefined, topology: string, taken: readonly string[]): string {
  if (asked !== undefined) {
    if (!BED_NAME.test(asked)) {
      throw new SquallError(`bed name "${asked}": not possible; expected up to 40 of a-z, 0-9 and -`, {
        code: 'bad-bed-name',
        blame: 'input',
      });
    }
    if (taken.includes(asked)) {
      throw new SquallError(`bed "${asked}": is up already; expected a name of its own`, {
        code: 'bed-exists',
        blame: 'input',
        hint: `Take it down with \`squall down --bed ${asked}\`, or give another --name.`,
      });
    }
    return asked;
  }
  const base =
    topology
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 34) || 'bed';
  for (let ordinal = 1; ; ordinal += 1) {
    const name = ordinal === 1 ? base : `${base}-${ordinal}`;
    if (!taken.includes(name)) return name;
  }
}
