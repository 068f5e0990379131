import { open } from 'node:fs/promises';

/** Of one read; what is more is taken by the next. */
const READ_BYTES = 4 * 1024 * 1024;
/** A line longer than this is no line of ours and is passed over. */
const LINE_BYTES = 1024 * 1024;

/** Follows a file of lines that another process appends to: whole lines only, each once. */
export class LineTail {
  readonly path: string;
  #offset = 0;
  #rest = Buffer.alloc(0);
  #skipping = false;

  constructor(path: string) {
    this.path = path;
  }

  /** Lines that have come since the last call; empty while the file is not there. A file that was begun anew is read anew. */
  async read(): Promise<{ readonly lines: readonly string[]; readonly more: boolean }> {
    const file = await open(this.path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!file) return { lines: [], more: false };
    try {
      const { size } = await file.stat();
      if (size < this.#offset) this.#begin();
      const wanted = Math.min(READ_BYTES, size - this.#offset);
      if (wanted <= 0) return { lines: [], more: false };
      const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, this.#offset);
      this.#offset += bytesRead;
      return {
        lines: this.#split(buffer.subarray(0, bytesRead)),
        more: bytesRead > 0 && this.#offset < size,
      };
    } finally {
      await file.close();
    }
  }

  #begin(): void {
    this.#offset = 0;
    this.#rest = Buffer.alloc(0);
    this.#skipping = false;
  }

  #split(chunk: Buffer): string[] {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const lines: string[] = [];
    let from = 0;
    for (let end = data.indexOf(0x0a); end >= 0; end = data.indexOf(0x0a, from)) {
      if (!this.#skipping && end > from) lines.push(data.toString('utf8', from, end));
      this.#skipping = false;
      from = end + 1;
    }
    this.#rest = Buffer.from(data.subarray(from));
    if (this.#rest.length > LINE_BYTES) {
      this.#rest = Buffer.alloc(0);
      this.#skipping = true;
    }
    return lines;
  }
}

/** The whole lines among the last bytes of a file; none when it is not there. */
export async function lastLines(path: string, sizeBytes: number): Promise<readonly string[]> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - sizeBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    return (from > 0 ? lines.slice(1) : lines).filter((line) => line !== '');
  } finally {
    await file.close();
  }
}
