import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type Dockerode from 'dockerode';
import { labelFilter } from './docker-containers.ts';
import { nanosecondsParameter } from './docker-units.ts';
import { LineAssembler } from './line-assembler.ts';
import type { EngineEvent } from './types.ts';

/** Pause between attempts while the engine is away. */
const RECONNECT_PAUSE_MS = 250;

interface RawEvent {
  readonly Action?: string;
  readonly status?: string;
  readonly Actor?: { readonly ID?: string; readonly Attributes?: Readonly<Record<string, string>> };
  readonly id?: string;
}

/** timeNano has 19 digits, more than a double holds: taken from the text. */
function exactTimeNano(json: string): bigint {
  return BigInt(/"timeNano":(\d+)/.exec(json)?.[1] ?? 0);
}

export function parseEvent(
  json: string,
): { readonly event: EngineEvent; readonly timeNano: bigint } | undefined {
  const raw = JSON.parse(json) as RawEvent;
  const attributes = raw.Actor?.Attributes ?? {};
  const timeNano = exactTimeNano(json);
  const action = raw.Action ?? raw.status;
  const containerId = raw.Actor?.ID ?? raw.id;
  if (!action || !containerId) return undefined;
  return {
    timeNano,
    event: {
      action,
      containerId,
      timeNano: Number(timeNano),
      labels: attributes,
      ...(attributes['exitCode'] === undefined ? {} : { exitCode: Number(attributes['exitCode']) }),
    },
  };
}

/**
 * Follows container events until aborted. When the engine goes away it keeps trying, then reports `reconnected` and
 * asks for what it missed since the last event seen.
 */
export async function followEvents(
  docker: Dockerode,
  labels: readonly string[],
  onEvent: (event: EngineEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  let lastTimeNano = 0n;
  let connectedBefore = false;
  const filters = { type: ['container'], ...labelFilter(labels) };
  while (!signal.aborted) {
    try {
      const since = lastTimeNano > 0n ? { since: nanosecondsParameter(lastTimeNano + 1n) } : {};
      const stream = (await docker.getEvents({
        filters,
        ...since,
        abortSignal: signal,
      } as Dockerode.GetEventsOptions)) as IncomingMessage;
      if (connectedBefore) {
        onEvent({ action: 'reconnected', containerId: '', timeNano: Date.now() * 1e6, labels: {} });
      }
      connectedBefore = true;
      const lines = new LineAssembler((line) => {
        const parsed = parseEvent(line);
        if (!parsed) return;
        if (parsed.timeNano > lastTimeNano) lastTimeNano = parsed.timeNano;
        onEvent(parsed.event);
      });
      const stop = (): void => {
        stream.destroy();
      };
      signal.addEventListener('abort', stop, { once: true });
      try {
        for await (const chunk of stream) lines.push(chunk as Buffer);
      } finally {
        signal.removeEventListener('abort', stop);
      }
    } catch (failure) {
      if (signal.aborted) return;
      if (!connectedBefore) throw failure;
    }
    if (signal.aborted) return;
    await delay(RECONNECT_PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}
