import type { ScenarioSpec } from '../scenario/index.ts';

/**
 * While a suite is loaded as data, `describeScenario` hands its scenarios over here instead of registering tests. The
 * list hangs on the global object under a shared symbol, because a suite may have come by another copy of this module
 * (`squall` as a package, or a path).
 */
const KEY = Symbol.for('squall.suite.collector');
/** Ends when the load before has: loads at the same time would take each other's scenarios. */
const TURN = Symbol.for('squall.suite.collector.turn');

interface Holder {
  [KEY]?: ScenarioSpec[] | undefined;
  [TURN]?: Promise<void> | undefined;
}

/** Where to put scenarios, when a suite is being loaded as data. */
export function currentCollector(): ScenarioSpec[] | undefined {
  return (globalThis as Holder)[KEY];
}

/** Everything that `load` describes. One load at a time, the others wait for their turn; it must not collect itself. */
export async function collect(load: () => Promise<unknown>): Promise<readonly ScenarioSpec[]> {
  const holder = globalThis as Holder;
  const before = holder[TURN];
  let end: () => void = () => undefined;
  holder[TURN] = new Promise((resolve) => {
    end = resolve;
  });
  await before;
  const collected: ScenarioSpec[] = [];
  holder[KEY] = collected;
  try {
    await load();
  } finally {
    holder[KEY] = undefined;
    end();
  }
  return collected;
}
