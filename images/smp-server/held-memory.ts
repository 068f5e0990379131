/** What a server still holds once everything that nobody can reach is gone. */
import { Session } from 'node:inspector/promises';
import { setImmediate } from 'node:timers/promises';

const TURNS = 3;

/** Bytes of the JavaScript heap, and of buffers outside it, after whole garbage collections. Takes some tens of ms. */
export async function heldMemory(): Promise<{
  readonly heapUsedBytes: number;
  readonly externalBytes: number;
}> {
  const session = new Session();
  session.connect();
  try {
    // What the first collection finds dead lets go of its buffers in a later turn of the loop.
    for (let turn = 0; turn < TURNS; turn += 1) {
      await session.post('HeapProfiler.collectGarbage');
      await setImmediate();
    }
  } finally {
    session.disconnect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return { heapUsedBytes: heapUsed, externalBytes: external };
}
