import type { Engine } from '../engine/index.ts';
import { type EventLog, shortError } from './event-log.ts';
import { LABEL } from './types.ts';

/**
 * What only the engine tells: a process inside a node that ran out of memory while the node's first process lives on
 * (`node.oom`), and a restart of the engine itself (`engine.reconnected`), after which every node is to be doubted.
 */
export async function watchEngine(
  engine: Engine,
  bedId: string,
  events: EventLog,
  signal: AbortSignal,
): Promise<void> {
  try {
    await engine.events(
      [`${LABEL.bed}=${bedId}`],
      ({ action, labels }) => {
        if (action === 'oom') events.emit('node.oom', {}, labels[LABEL.node] ?? 'unknown');
        if (action === 'reconnected') events.emit('engine.reconnected');
      },
      signal,
    );
  } catch (error) {
    // Nodes' ends are seen without this stream; only the reasons above are lost.
    if (!signal.aborted) events.noteError(`engine events: ${shortError(error)}`);
  }
}
