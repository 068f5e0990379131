/**
 * A map that all copies of this code in one process share. A suite may come by another copy of this package than the
 * command that runs it (an install of its own, or a mocha that loads tests through `require`); what it registers must
 * be found all the same.
 */
export function processWide<T>(name: string): Map<string, T> {
  const key = Symbol.for(`squall.registry.${name}`);
  const holder = globalThis as { [key: symbol]: Map<string, T> | undefined };
  const known = holder[key];
  if (known) return known;
  const created = new Map<string, T>();
  holder[key] = created;
  return created;
}
