import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SquallError } from '../errors/index.ts';
import type { AgentClient } from '../fault/index.ts';
import type { Adapter } from './adapter.ts';
import { type EventLog, shortError } from './event-log.ts';
import type { LiveNode } from './live-node.ts';

const DEFAULT_EVERY_MS = 1_000;
const REQUEST_TIMEOUT_MS = 5_000;
/** Most that is read of a file at one look. */
const FILE_STEP_BYTES = 1_048_576;

/** Looks at the URLs and files of foreign images again and again until the signal; the log's adapters need no looking. */
export async function pollAdapters(of: {
  readonly nodes: readonly LiveNode[];
  readonly agent: AgentClient;
  readonly events: EventLog;
  readonly signal: AbortSignal;
}): Promise<void> {
  const polled = of.nodes.flatMap((node) => node.log.polledAdapters.map((adapter) => ({ node, adapter })));
  await Promise.all(
    polled.map(async ({ node, adapter }) => {
      const look =
        adapter.spec.source === 'file'
          ? fileLooker(node, adapter)
          : urlLooker(node, adapter, of.agent, of.signal);
      while (!of.signal.aborted) {
        if (!node.exit) {
          try {
            await look();
          } catch (error) {
            if (!of.signal.aborted)
              of.events.noteError(`adapter ${adapter.spec.event} of ${node.name}: ${shortError(error)}`);
          }
        }
        await pause(adapter.spec.everyMs ?? DEFAULT_EVERY_MS, of.signal);
      }
    }),
  );
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal, ref: false });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** An answer makes an event when it says something else than the last one: a scrape is a state, not a happening. */
function urlLooker(
  node: LiveNode,
  adapter: Adapter,
  agent: AgentClient,
  signal: AbortSignal,
): () => Promise<void> {
  const url = new URL(adapter.spec.url ?? 'http://127.0.0.1/');
  const port = Number(url.port || 80);
  const lastFields = new Map<string, string>();
  return async () => {
    const { status, body } = await agent.http(
      {
        node: node.name,
        port,
        method: 'GET',
        path: `${url.pathname}${url.search}`,
        timeoutMs: REQUEST_TIMEOUT_MS,
      },
      signal,
    );
    if (status < 200 || status > 299) {
      throw new SquallError(`${url}: answered ${status}; expected 2xx`, { code: 'adapter-refused' });
    }
    const texts =
      adapter.spec.source === 'metrics'
        ? body.split(/\r?\n/).filter((line) => line && !line.startsWith('#'))
        : [body];
    for (const text of texts) {
      const event = adapter.offer(text);
      if (!event) continue;
      const state = adapter.spec.source === 'metrics' ? seriesOf(text) : '';
      const fields = JSON.stringify(event.fields);
      if (lastFields.get(state) !== fields) node.log.acceptAdapted(event);
      lastFields.set(state, fields);
    }
  };
}

/** `name{labels}` of a sample: a series keeps its own state where others come and go around it. */
const seriesOf = (sample: string): string => /^[^\s{]+(?:\{.*\})?/.exec(sample)?.[0] ?? sample;

/** Reads what has been added to a file inside the container, through the node's own root: no shell is needed there. */
function fileLooker(node: LiveNode, adapter: Adapter): () => Promise<void> {
  let offset = 0;
  let rest = '';
  return async () => {
    const file = await open(`/proc/${node.pid}/root${adapter.spec.path ?? ''}`, 'r').catch(
      (error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // Not written yet.
        throw error;
      },
    );
    if (!file) return;
    try {
      const { size } = await file.stat();
      if (size < offset) {
        offset = 0; // Rotated or cut: what is there now is new.
        rest = '';
      }
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(FILE_STEP_BYTES, size - offset)), {
        position: offset,
      });
      offset += bytesRead;
      const lines = (rest + buffer.toString('utf8', 0, bytesRead)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const event = adapter.offer(line);
        if (event) node.log.acceptAdapted(event);
      }
    } finally {
      await file.close();
    }
  };
}
