import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { SquallError } from '../errors/index.ts';
import type { Readiness } from '../topology/index.ts';
import { formatDurationMs } from '../units/index.ts';
import { shortError } from './event-log.ts';
import { type LiveNode, showControl } from './live-node.ts';
import { nowNs } from './monotonic.ts';

/** How often a readiness URL is asked. */
const HTTP_EVERY_MS = 250;
const HTTP_TIMEOUT_MS = 2_000;

/** Asks a node's loopback from inside its namespace; given by the bed once the node is known to the agent. */
export type LoopbackGet = (
  node: LiveNode,
  port: number,
  path: string,
  signal: AbortSignal,
) => Promise<number>;

/**
 * A race between ready, exited, too late and aborted; the losers are cancelled. Resolves with the instant of readiness.
 * Begin it before the cause (start or reset), so that nothing is missed. `from-start`: the time limit runs from the start
 * of the process, since the engine's own queue is not the node's fault. `any-exit`: also one that is expected of the node,
 * since a fault that starts it as something else expects only the end of what it was.
 * @throws SquallError `node-exited`, `node-not-ready`; the signal's reason
 */
export function awaitReady(
  node: LiveNode,
  readiness: Readiness,
  get: LoopbackGet,
  signal: AbortSignal,
  counted: 'from-start' | 'from-now' = 'from-start',
  fatal: 'unexpected-exit' | 'any-exit' = 'unexpected-exit',
): Promise<number> {
  const over = new AbortController();
  let beganNs = nowNs();
  let lastAnswer = '';
  return new Promise<number>((resolve, reject) => {
    const settle = (finish: () => void): void => {
      if (over.signal.aborted) return;
      over.abort();
      clearTimeout(timer);
      unwatch();
      signal.removeEventListener('abort', onAbort);
      finish();
    };
    const ready = (atNs: number): void => settle(() => resolve(atNs));
    const onAbort = (): void => settle(() => reject(signal.reason));
    const pattern = readiness.kind === 'log' ? new RegExp(readiness.pattern, 'u') : undefined;
    const unwatch = node.watch({
      onEvent: (event) => {
        if (readiness.kind === 'event' && event.event === readiness.event) ready(event.atNs);
      },
      onLine: (line) => {
        if (pattern?.test(line.slice(0, 16_384))) ready(nowNs());
      },
      onExit: (exit) => {
        if (exit.expected && fatal !== 'any-exit') return;
        const seen = exit.expected ? { ...exit, cause: 'as a fault of ours had started it' } : exit;
        const after = formatDurationMs((exit.atNs - beganNs) / 1e6);
        settle(() => reject(node.exitError(seen, `after ${after}, before it was ready`)));
      },
      onBegan: () => {
        limit();
        if (readiness.kind === 'started') ready(nowNs());
        if (readiness.kind === 'http') {
          void pollHttp(node, readiness, get, over.signal, (text) => {
            lastAnswer = text;
          }).then(ready, (error: unknown) => {
            if (!over.signal.aborted) settle(() => reject(error));
          });
        }
      },
    });
    let timer: NodeJS.Timeout | undefined;
    const limit = (): void => {
      beganNs = nowNs();
      timer ??= setTimeout(
        () => settle(() => reject(notReady(node, readiness, lastAnswer))),
        readiness.timeoutMs,
      );
    };
    if (counted === 'from-now') limit();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

async function pollHttp(
  node: LiveNode,
  readiness: Extract<Readiness, { kind: 'http' }>,
  get: LoopbackGet,
  signal: AbortSignal,
  onAnswer: (text: string) => void,
): Promise<number> {
  for (;;) {
    // A server may listen on its loopback only, or on its bed address only: either will do.
    for (const ask of [get, getByAddress]) {
      try {
        const status = await ask(node, readiness.port, readiness.path, signal);
        if (status === readiness.status) return nowNs();
        onAnswer(`it answered ${status}`);
      } catch (error) {
        signal.throwIfAborted();
        onAnswer(shortError(error));
      }
    }
    await sleep(HTTP_EVERY_MS, undefined, { signal });
  }
}

const getByAddress: LoopbackGet = (node, port, path, signal) =>
  new Promise((resolve, reject) => {
    const asked = request(
      { host: node.address, port, path, method: 'GET', timeout: HTTP_TIMEOUT_MS, signal, agent: false },
      (response) => {
        response.destroy();
        resolve(response.statusCode ?? 0);
      },
    );
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${HTTP_TIMEOUT_MS} ms`)));
    asked.on('error', reject);
    asked.end();
  });

function notReady(node: LiveNode, readiness: Readiness, lastAnswer: string): SquallError {
  const wanted =
    readiness.kind === 'event'
      ? `the event "${readiness.event}"`
      : readiness.kind === 'log'
        ? `a line like /${readiness.pattern}/`
        : readiness.kind === 'http'
          ? `status ${readiness.status} from port ${readiness.port}${readiness.path}`
          : 'a running process';
  const tail = node.log.tail(12);
  const last = tail.at(-1);
  return new SquallError(
    `node ${node.name}: not ready within ${formatDurationMs(readiness.timeoutMs)}; expected ${wanted}` +
      `${lastAnswer ? `; ${lastAnswer}` : ''}; ${last ? `its last line: ${showControl(last)}` : 'it wrote no line'}.`,
    {
      code: 'node-not-ready',
      facts: { node: node.name, readiness, lastAnswer, lastLines: tail },
      hint: `Give it longer in the topology's readiness, or look at \`squall logs ${node.name}\`.`,
    },
  );
}
