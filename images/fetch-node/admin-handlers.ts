import type { AdminAnswer, AdminHandler } from '../node-kit/index.ts';
import { isChunkKey } from './chunk-key.ts';
import type { FetchNode } from './fetch-node.ts';
import { TREATMENTS } from './key-treatments.ts';

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (body: unknown): Fields =>
  typeof body === 'object' && body !== null ? (body as Fields) : {};
const ok = (body: unknown): AdminAnswer => ({ status: 200, body });
const bad = (error: string): AdminAnswer => ({ status: 400, body: { error } });
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string');
const isKeys = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every(isChunkKey);

const KEYS_A_PAGE = 20_000;

function sourceFacts({ queue, health, busy }: FetchNode, name: string) {
  return {
    standing: health.standing(name),
    inFlight: queue.inFlight(name),
    parked: queue.parkedUnder(name),
    cooling: busy.isCooling(name),
  };
}

function keyFacts({ store, queue, pending }: FetchNode, key: string) {
  const sources = queue.sourcesOf(key) ?? [];
  return { stored: store.has(key), pending: pending.has(key), sources, hints: queue.hintsOf(key) };
}

/** What a scenario can tell a node while it runs. */
export function adminHandlers(node: FetchNode): Readonly<Record<string, AdminHandler>> {
  return {
    'POST /join': () => {
      void node.join();
      return ok({ joiner: node.name });
    },
    'POST /gate': (body) => {
      const { open } = fieldsOf(body);
      if (typeof open !== 'boolean') return bad('open: expected true or false');
      if (open) node.responder.openGate();
      else node.responder.closeGate();
      return ok({ gate: node.responder.facts.gate });
    },
    'POST /treat': (body) => {
      const { keys, as, waitMs = 1_000 } = fieldsOf(body);
      const treatment = TREATMENTS.find((one) => one === as);
      if (!isKeys(keys)) return bad('keys: expected a list of keys of 64 hexadecimal digits');
      if (!treatment) return bad(`as: expected one of ${TREATMENTS.join(', ')}`);
      if (!isCount(waitMs)) return bad('waitMs: expected a whole number, 0 or more');
      node.treatments.set(keys, treatment, waitMs);
      return ok({ treated: node.treatments.counts });
    },
    'POST /look': (body) => {
      const { sources = [], keys = [] } = fieldsOf(body);
      if (!Array.isArray(sources) || !Array.isArray(keys))
        return bad('sources, keys: expected lists of names and of keys');
      return ok({
        sources: Object.fromEntries(sources.map((name) => [name, sourceFacts(node, String(name))])),
        keys: Object.fromEntries(keys.map((key) => [key, keyFacts(node, String(key))])),
      });
    },
    'POST /faults': (body) => {
      const { diskBytes, writeMs, serveMs } = fieldsOf(body);
      for (const [name, value] of Object.entries({ diskBytes, writeMs, serveMs }))
        if (value !== undefined && !isCount(value)) return bad(`${name}: expected a whole number, 0 or more`);
      if (isCount(diskBytes)) node.store.diskBytes = diskBytes;
      if (isCount(writeMs)) node.store.writeMs = writeMs;
      if (isCount(serveMs)) node.responder.serveMs = serveMs;
      const { store, responder } = node;
      return ok({ diskBytes: store.diskBytes, writeMs: store.writeMs, serveMs: responder.serveMs });
    },
    'POST /fetching': (body) => {
      const { concurrency, timeoutMs } = fieldsOf(body);
      for (const [name, value] of Object.entries({ concurrency, timeoutMs }))
        if (value !== undefined && (!isCount(value) || value === 0))
          return bad(`${name}: expected a whole number, 1 or more`);
      if (isCount(concurrency)) node.worker.concurrency = concurrency;
      if (isCount(timeoutMs)) node.worker.fetchTimeoutMs = timeoutMs;
      node.worker.wake();
      return ok({ concurrency: node.worker.concurrency, timeoutMs: node.worker.fetchTimeoutMs });
    },
    'POST /want': (body) => {
      const { keys, sources } = fieldsOf(body);
      if (!isKeys(keys)) return bad('keys: expected a list of keys of 64 hexadecimal digits');
      if (!isNames(sources)) return bad('sources: expected a list of names of nodes');
      const named = [...new Set(sources)];
      const taken = keys.filter((key) => node.direct(key, named)).length;
      return ok({ taken, refused: keys.length - taken });
    },
    'POST /hints': (body) => {
      const { keys, by } = fieldsOf(body);
      if (!isKeys(keys)) return bad('keys: expected a list of keys of 64 hexadecimal digits');
      if (typeof by !== 'string') return bad('by: expected the name of a node');
      node.hinted(keys, by);
      return ok({ pending: node.pending.size });
    },
    'POST /cancel': (body) => {
      const { keys } = fieldsOf(body);
      if (!isKeys(keys)) return bad('keys: expected a list of keys of 64 hexadecimal digits');
      for (const key of keys) node.worker.cancel(key);
      return ok({ cancelled: keys.length });
    },
    'POST /depart': (body) => {
      const { peer } = fieldsOf(body);
      if (typeof peer !== 'string') return bad('peer: expected the name of a node');
      node.links.depart(peer, 'asked for');
      return ok({ departed: node.links.departed });
    },
    'POST /keys': (body) => {
      const { from = 0 } = fieldsOf(body);
      if (!isCount(from)) return bad('from: expected a whole number, 0 or more');
      const keys = [...node.store.keys()].sort();
      return ok({ keys: keys.slice(from, from + KEYS_A_PAGE), of: keys.length });
    },
    'POST /summary': () => ok(node.summarize()),
  };
}
