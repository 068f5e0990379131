import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerState, Engine, EngineHost, FollowOptions } from '../engine/index.ts';
import { type EventLog, shortError } from './event-log.ts';
import type { LiveNode, NodeExit } from './live-node.ts';
import { nowNs } from './monotonic.ts';

/** How long an engine that went away may take to answer again, and how often it is asked. */
const ENGINE_RETURN_MS = 60_000;
const ENGINE_RETRY_MS = 250;

/**
 * Follows a node's log until the signal, and learns of its end from the end of the log: the one stream that cannot
 * miss it. Survives an engine that restarts, and begins again after a restart of the container, without repeating a
 * line (the engine sends a log from its start, so what has been seen is skipped).
 */
export async function followNode(
  engine: Engine,
  node: LiveNode,
  events: EventLog,
  signal: AbortSignal,
  options: FollowOptions = {},
): Promise<void> {
  let seen = 0;
  let followed = '';
  while (!signal.aborted) {
    // Another version of the node is another container, with a log of its own.
    if (followed !== node.containerId) seen = 0;
    followed = node.containerId;
    const life = node.startedNs;
    let skip = seen;
    try {
      await engine.followLogs(
        followed,
        (stream, line) => {
          if (skip > 0) {
            skip -= 1;
            return;
          }
          seen += 1;
          node.log.accept(stream, line);
        },
        signal,
        options,
      );
    } catch (error) {
      if (signal.aborted) return;
      events.noteError(`log of ${node.name}: ${shortError(error)}`);
    }
    if (signal.aborted) return;
    const state = await inspectPatiently(engine, node, events, signal);
    if (signal.aborted) return;
    // One that began anew while the engine was asked is not what the engine spoke of.
    if (!state?.running && node.startedNs === life) {
      if (!node.exit) reportExit(node, events, state, endedNs(state, engine.info.host, life));
      await nextStart(node, signal);
    } else {
      // The log ended and the container did not: it was restarted, or the engine was. Not a reason to spin.
      await pause(ENGINE_RETRY_MS, signal);
    }
  }
}

/**
 * When a process ended: by the engine's stamp where its clock is this host's, since on a busy host we may hear of it
 * seconds later; else, and where the stamp lies outside of the process's life, now.
 * @param sinceNs when it began, CLOCK_MONOTONIC
 */
export function endedNs(
  state: Pick<ContainerState, 'finishedAt'> | undefined,
  host: EngineHost,
  sinceNs: number,
): number {
  const heardNs = nowNs();
  const stampMs = Date.parse(state?.finishedAt ?? '');
  if (host !== 'this' || Number.isNaN(stampMs)) return heardNs;
  const stampNs = heardNs - Math.round((Date.now() - stampMs) * 1e6);
  return stampNs >= sinceNs && stampNs <= heardNs ? stampNs : heardNs;
}

function reportExit(node: LiveNode, events: EventLog, state: ContainerState | undefined, atNs: number): void {
  const expected = node.expectedExit !== undefined;
  const exit: NodeExit = {
    code: state?.exitCode ?? -1,
    oomKilled: state?.oomKilled ?? false,
    expected,
    atNs,
    cause: exitCause(state, node.expectedExit),
  };
  node.ended(exit);
  events.emit(
    'node.exited',
    { code: exit.code, oomKilled: exit.oomKilled, expected, cause: exit.cause, endedNs: exit.atNs },
    node.name,
  );
  if (!expected) events.noteError(`node ${node.name} ended with code ${exit.code} (${exit.cause})`);
}

/** 137 is SIGKILL and no more; only the engine's flag says "out of memory", and only our own word says "expected". */
export function exitCause(state: ContainerState | undefined, expected: string | undefined): string {
  if (!state) return 'its container is gone';
  if (expected !== undefined) return `expected: ${expected}`;
  if (state.oomKilled) return 'out of memory: the engine set its OOM flag';
  if (state.exitCode === 137) return 'SIGKILL, cause unknown';
  if (state.exitCode > 128 && state.exitCode < 193) return `signal ${state.exitCode - 128}`;
  return 'by itself';
}

/** Waits, without polling, for `began`. */
async function nextStart(node: LiveNode, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const settle = (): void => {
      unwatch();
      signal.removeEventListener('abort', settle);
      resolve();
    };
    const unwatch = node.watch({ onBegan: settle });
    signal.addEventListener('abort', settle, { once: true });
  });
}

async function inspectPatiently(
  engine: Engine,
  node: LiveNode,
  events: EventLog,
  signal: AbortSignal,
): Promise<ContainerState | undefined> {
  const giveUpNs = nowNs() + ENGINE_RETURN_MS * 1e6;
  for (;;) {
    try {
      return await engine.inspectContainer(node.containerId);
    } catch (error) {
      events.noteError(`engine: ${shortError(error)}`);
      if (signal.aborted || nowNs() > giveUpNs) return undefined;
      await pause(ENGINE_RETRY_MS, signal);
    }
  }
}

/** Sleeps, or less when aborted. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
