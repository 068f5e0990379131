import type { ScenarioSpec } from '../scenario/index.ts';

/**
 * While a suite is loaded as data, `describeScenario` hands its scenarios over here instead of registering tests. The
 * list hangs on the global object under a shared symbol, because a suite may have come by another copy of this module
 * (`squall` as a package, or a path).
 */
const KEY = Symbol.for('squall.suite.collector');

interface Holder {
  [KEY]?: ScenarioSpec[] | undefined;
}

/** Where to put scenarios, when a suite is being loaded as data. */
export function currentCollector(): ScenarioSpec[] | undefined {
  return (globalThis as Holder)[KEY];
}

/** Everything that `load` describes. One at a time. */
export async function collect(load: () => Promise<unknown>): Promise<readonly ScenarioSpec[]> {
  const holder = globalThis as Holder;
  const before = holder[KEY];
  const collected: ScenarioSpec[] = [];
  holder[KEY] = collected;
  try {
    await load();
  } finally {
    holder[KEY] = before;
  }
  return collected;
}
