/** What a server still holds once everything that nobody can reach is gone. */
import { Session } from 'node:inspector/promises';

/** Bytes of the JavaScript heap, and of buffers outside it, after a whole garbage collection. Takes some tens of ms. */
export async function heldMemory(): Promise<{
  readonly heapUsedBytes: number;
  readonly externalBytes: number;
}> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return { heapUsedBytes: heapUsed, externalBytes: external };
}
