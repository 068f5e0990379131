import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../harness/clock/index.ts';
import { type ChunkKey, isChunkKey } from './chunk-key.ts';

/** Where the bytes are. */
export interface ChunkFiles {
  /** Keys and sizes of what is there already. */
  list(): Promise<ReadonlyMap<ChunkKey, number>>;
  read(key: ChunkKey): Promise<Uint8Array>;
  write(key: ChunkKey, bytes: Uint8Array): Promise<void>;
}

export function memoryFiles(): ChunkFiles {
  const chunks = new Map<ChunkKey, Uint8Array>();
  return {
    list: async () => new Map([...chunks].map(([key, bytes]) => [key, bytes.length])),
    read: async (key) => {
      const bytes = chunks.get(key);
      if (!bytes) throw new Error(`chunk ${key}: is not here`);
      return bytes;
    },
    write: async (key, bytes) => {
      // A copy: what came over the wire is a piece of a larger buffer, which would be kept as a whole.
      chunks.set(key, Uint8Array.from(bytes));
    },
  };
}

/** In files, `chunks/<last two digits>/<key>`; a file appears when it is whole. */
export function diskFiles(folder: string): ChunkFiles {
  const folderOf = (key: ChunkKey): string => join(folder, 'chunks', key.slice(-2));
  return {
    list: async () => {
      await mkdir(join(folder, 'chunks'), { recursive: true });
      const sizes = new Map<ChunkKey, number>();
      for (const entry of await readdir(join(folder, 'chunks'), { recursive: true, withFileTypes: true }))
        if (entry.isFile() && isChunkKey(entry.name))
          sizes.set(entry.name, (await stat(join(entry.parentPath, entry.name))).size);
      return sizes;
    },
    read: (key) => readFile(join(folderOf(key), key)),
    write: async (key, bytes) => {
      await mkdir(folderOf(key), { recursive: true });
      const file = join(folderOf(key), key);
      await writeFile(`${file}.part`, bytes);
      await rename(`${file}.part`, file);
    },
  };
}

/**
 * Removes chunks that another life of the bed left in a folder: on a bed that is used again a node begins with nothing but
 * its set, as it does in memory. One that is launched anew within a life finds what it had.
 */
export async function clearOtherLives(folder: string, label: string): Promise<void> {
  const file = join(folder, 'life');
  const before = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  // A full disk takes no word more than it must.
  if (before === label) return;
  if (before !== undefined) await rm(join(folder, 'chunks'), { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(file, label);
}

/** What a node holds, with a disk that can be full or slow. */
export class ChunkStore {
  /** So many bytes fit; 0: no bound of ours. */
  diskBytes = 0;
  /** Added to every write. */
  writeMs = 0;
  readonly counts = { writesFailed: 0 };
  readonly #files: ChunkFiles;
  readonly #clock: Clock;
  readonly #sizes: Map<ChunkKey, number>;
  #sizeBytes = 0;

  private constructor(files: ChunkFiles, clock: Clock, sizes: ReadonlyMap<ChunkKey, number>) {
    this.#files = files;
    this.#clock = clock;
    this.#sizes = new Map(sizes);
    for (const sizeBytes of sizes.values()) this.#sizeBytes += sizeBytes;
  }

  static async open(files: ChunkFiles, clock: Clock): Promise<ChunkStore> {
    return new ChunkStore(files, clock, await files.list());
  }

  get count(): number {
    return this.#sizes.size;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  has(key: ChunkKey): boolean {
    return this.#sizes.has(key);
  }

  keys(): readonly ChunkKey[] {
    return [...this.#sizes.keys()];
  }

  async get(key: ChunkKey): Promise<Uint8Array | undefined> {
    return this.#sizes.has(key) ? await this.#files.read(key) : undefined;
  }

  /** @throws Error ENOSPC when the disk is full, ours or the real one */
  async put(key: ChunkKey, bytes: Uint8Array): Promise<void> {
    if (this.#sizes.has(key)) return;
    try {
      if (this.writeMs > 0) await this.#clock.sleep(this.writeMs);
      if (this.diskBytes > 0 && this.#sizeBytes + bytes.length > this.diskBytes)
        throw new Error('ENOSPC: no space left on device');
      await this.#files.write(key, bytes);
    } catch (error) {
      this.counts.writesFailed += 1;
      throw error;
    }
    if (this.#sizes.has(key)) return;
    this.#sizes.set(key, bytes.length);
    this.#sizeBytes += bytes.length;
  }
}
