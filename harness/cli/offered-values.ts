import type { Argv } from 'yargs';

const OFFERED = new WeakMap<Argv, Map<string, readonly string[]>>();

/**
 * Values of an option that a shell completes. They are no `choices` of the parser: it would refuse a list such as `a,b`, and
 * refuse in its own words what the command refuses with a suggestion.
 */
export function offerValues<T>(parser: Argv<T>, option: string, values: readonly string[]): void {
  const offered = OFFERED.get(parser as Argv) ?? new Map<string, readonly string[]>();
  OFFERED.set(parser as Argv, offered.set(option, values));
}

/** What completes `typed`: of a list the last item, behind those before it, none of them a second time. */
export function offeredValues(parser: Argv, option: string, typed: string): string[] {
  const behind = typed.lastIndexOf(',') + 1;
  const listed = typed.slice(0, behind).split(',');
  return (OFFERED.get(parser)?.get(option) ?? [])
    .filter((value) => value.startsWith(typed.slice(behind)) && !listed.includes(value))
    .map((value) => typed.slice(0, behind) + value);
}
