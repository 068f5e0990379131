/**
 * What parking costs at the bound of the queue: `node --expose-gc --import tsx park-bench.ts SOURCES`, with SOURCES a key.
 * Prints one line of JSON, times being those of the processor. A process for each measurement, since its peak memory is one of the figures.
 */
import { BusyBook } from './busy-book.ts';
import { idOf, keyOf } from './chunk-key.ts';
import { FetchQueue } from './fetch-queue.ts';
import { fetchRules, RULES } from './fetch-rules.ts';
import { SourceHealth } from './source-health.ts';

const KEYS = 131_072;
/** Sources that keys are spread over: as many as the most that one key has. */
const POOL = 35;
const DEPARTURES = 5;

const perKey = Number(process.argv[2]);
if (!Number.isInteger(perKey) || perKey < 1 || perKey > POOL) {
  console.error(`SOURCES: ${process.argv[2]} found; expected a whole number from 1 to ${POOL}`);
  process.exit(3);
}

const rules = fetchRules({ yes: (name: string) => RULES.some((rule) => rule === name) });
const sources = Array.from({ length: POOL }, (_, index) => `source-${index}`);
const limits = { capacity: KEYS, perSource: 2, closeGroupSize: 7, paidListGroupSize: 20, hintsPerKey: 8 };
const returned: string[] = [];
const ports = {
  ownId: idOf('bench'),
  nowMs: () => 0,
  stopwatchMs: () => performance.now(),
  returns: { takeBack: (key: string) => void returned.push(key), release: () => undefined },
};

const keyAt = (index: number): string => keyOf(Buffer.from(`bench ${index}`));
/** Of this process: what else the machine does is not in it. */
const cpuMs = (work: () => void): number => {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000;
};
const fullGc = (): void => {
  if (!globalThis.gc)
    throw new Error('park-bench: garbage collection cannot be asked for; run it with --expose-gc');
  globalThis.gc();
};

let queue: FetchQueue | undefined = makeQueue();
for (let index = 0; index < 2 * POOL; index += 1) {
  queue.offer(keyAt(-1 - index), [sources[index % POOL] as string]);
  queue.next();
}
for (let index = 0; index < KEYS; index += 1) {
  const own = Array.from({ length: perKey }, (_, place) => sources[(index + place) % POOL] as string);
  queue.offer(keyAt(index), own);
}
fullGc();
const parkPassMs = cpuMs(() => queue?.next());
const { parked, indexSize } = queue.facts;
const departuresMs = sources.slice(0, DEPARTURES).map((source) => cpuMs(() => queue?.depart(source)));
const peakBytes = process.resourceUsage().maxRSS * 1_024;
queue = undefined;
const dropMs = cpuMs(fullGc);
const departureMs = Math.max(...departuresMs);
console.log(JSON.stringify({ perKey, parked, indexSize, parkPassMs, departureMs, dropMs, peakBytes }));

function makeQueue(): FetchQueue {
  const health = new SourceHealth(
    rules,
    { capacity: 8_192, fetchTimeoutMs: 30_000 },
    {
      nowMs: ports.nowMs,
      inFlight: (source) => made.inFlight(source),
      onSilent: (source) => made.wakeSilent(source),
    },
  );
  const busy = new BusyBook(rules, { capacity: 8_192, maximumMs: 60_000 }, ports.nowMs);
  const made = new FetchQueue(rules, limits, ports, health, busy);
  return made;
}
