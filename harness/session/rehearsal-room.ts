import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import type { EngineInfo } from '../engine/index.ts';
import type { RunObserver } from '../record/index.ts';
import type { Room } from '../rehearsal/index.ts';

/** What is free where records go and, from when an engine of this host is found, where it keeps its data: the lesser. */
export function roomReader(request: {
  readonly reportsDir: string;
  readonly room?: () => Room;
  readonly observer?: RunObserver;
}): {
  read(): Promise<Room>;
  watch(engine: Pick<EngineInfo, 'host' | 'dataRoot'>): void;
} {
  const folders = [request.reportsDir];
  return {
    async read() {
      if (request.room) return request.room();
      const free = await Promise.all(folders.map((folder) => freeBytesOf(existsSync(folder) ? folder : '.')));
      return { diskFreeBytes: Math.min(...free), memoryFreeBytes: freemem() };
    },
    watch({ host, dataRoot }) {
      if (host === 'this' && existsSync(dataRoot)) folders.push(dataRoot);
      else request.observer?.noted?.('the engine keeps its data on another host, whose disk is not watched');
    },
  };
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
