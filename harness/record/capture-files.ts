import { type FileHandle, mkdir, open, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { SquallError } from '../errors/index.ts';
import { safeName } from './safe-name.ts';

/** Of a trial's folder, for the captures. */
export const CAPTURE_FOLDER = 'pcap';
/** Stays free on the disk, whatever the captures take. */
const SPARE_BYTES = 512 * 1024 ** 2;

/** The pcapng files of one trial, one a node and each bounded, made when their first bytes come. */
export class CaptureFiles {
  readonly #dir: string;
  readonly #nodes: ReadonlySet<string>;
  readonly #fileBytes: number;
  readonly #files = new Map<string, { readonly path: string; readonly handle: FileHandle; bytes: number }>();
  #closed = false;

  private constructor(dir: string, nodes: readonly string[], fileBytes: number) {
    this.#dir = dir;
    this.#nodes = new Set(nodes);
    this.#fileBytes = fileBytes;
  }

  /**
   * @param trialDir the trial's folder
   * @throws SquallError `capture-no-room` when the disk may not hold all files at their full size
   */
  static async open(
    trialDir: string,
    options: { readonly nodes: readonly string[]; readonly fileBytes: number },
  ): Promise<CaptureFiles> {
    const { nodes, fileBytes } = options;
    await mkdir(join(trialDir, CAPTURE_FOLDER), { recursive: true });
    const { bavail, bsize } = await statfs(trialDir);
    const [freeBytes, wantedBytes] = [bavail * bsize, nodes.length * fileBytes + SPARE_BYTES];
    if (freeBytes < wantedBytes) {
      throw new SquallError(
        `captures of ${nodes.length} nodes: ${freeBytes} bytes are free; expected ${wantedBytes}, all files full and some to spare.`,
        {
          code: 'capture-no-room',
          facts: { freeBytes, wantedBytes },
          hint: 'Make room, or allow less a node with --pcap-limit.',
        },
      );
    }
    return new CaptureFiles(trialDir, nodes, fileBytes);
  }

  /** Appends to a node's file; calls must not overlap. @throws SquallError `capture-refused`, or what the disk says */
  async write(node: string, bytes: Buffer): Promise<void> {
    if (this.#closed) throw refused(node, 'came after the end');
    // Bytes come from a container: what it says of nodes and sizes is not believed.
    if (!this.#nodes.has(node)) throw refused(node, 'is no node of this capture');
    const file = this.#files.get(node) ?? (await this.#create(node));
    if (file.bytes + bytes.length > this.#fileBytes) throw refused(node, `is over ${this.#fileBytes} bytes`);
    await file.handle.appendFile(bytes);
    file.bytes += bytes.length;
  }

  /** Closes all files and says what there is, relative to the trial's folder. Can be called twice. */
  async close(): Promise<
    readonly { readonly node: string; readonly path: string; readonly bytes: number }[]
  > {
    const files = [...this.#files].map(([node, { path, bytes }]) => ({ node, path, bytes }));
    if (!this.#closed) {
      this.#closed = true;
      for (const { handle } of this.#files.values()) await handle.close();
    }
    return files.sort((a, b) => (a.node < b.node ? -1 : 1));
  }

  async #create(node: string): Promise<{ path: string; handle: FileHandle; bytes: number }> {
    const path = join(CAPTURE_FOLDER, `${safeName(node)}.pcapng`);
    const file = { path, handle: await open(join(this.#dir, path), 'w'), bytes: 0 };
    this.#files.set(node, file);
    return file;
  }
}

function refused(node: string, why: string): SquallError {
  return new SquallError(`capture of node ${node}: ${why}; expected no such bytes`, {
    code: 'capture-refused',
  });
}
