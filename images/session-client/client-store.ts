import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, parseJson } from '../session-kit/index.ts';
import type { EdgeNode, EdgeStore } from './edge-nodes.ts';
import { field } from './json-field.ts';
import type { PoolNode } from './pool-node.ts';
import type { StrikeStore } from './strike-book.ts';

interface SavedPool {
  readonly nodes: readonly PoolNode[];
  /** Wall time. */
  readonly savedAtMs: number;
}

/** What of a client outlives its process: pool, strikes and edge nodes, a file each. Without a folder nothing does. */
export class ClientStore {
  readonly #folder: string | undefined;

  constructor(folder: string | undefined) {
    this.#folder = folder;
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
  }

  readonly strikes: StrikeStore = {
    load: () => {
      const saved = this.#read('strikes');
      const entries = Object.entries(isRecord(saved) ? saved : {});
      return new Map(
        entries.map(([node, times]) => [
          node,
          Array.isArray(times) ? times.filter((one): one is number => Number.isFinite(one)) : [],
        ]),
      );
    },
    save: (strikes) => this.#write('strikes', Object.fromEntries(strikes)),
  };

  readonly edges: EdgeStore = {
    load: () => {
      const saved = this.#read('edges');
      return (Array.isArray(saved) ? saved : []).flatMap((one): EdgeNode[] => {
        const [node, sinceMs] = [readNode(field(one, 'node')), field(one, 'sinceMs')];
        return node && typeof sinceMs === 'number' ? [{ node, sinceMs }] : [];
      });
    },
    save: (edges) =>
      this.#write(
        'edges',
        edges.map(({ node, sinceMs }) => ({ node: writeNode(node), sinceMs })),
      ),
  };

  loadPool(): SavedPool | undefined {
    const saved = this.#read('pool');
    const [nodes, savedAtMs] = [field(saved, 'nodes'), field(saved, 'savedAtMs')];
    if (!Array.isArray(nodes) || typeof savedAtMs !== 'number') return undefined;
    return { nodes: nodes.flatMap((one) => readNode(one) ?? []), savedAtMs };
  }

  savePool({ nodes, savedAtMs }: SavedPool): void {
    this.#write('pool', { nodes: nodes.map(writeNode), savedAtMs });
  }

  #read(name: string): unknown {
    if (this.#folder === undefined) return undefined;
    try {
      return parseJson(readFileSync(join(this.#folder, `${name}.json`)));
    } catch (error) {
      // Nothing was saved yet; anything else of the disk is worth an end.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Beside and then in its place, so that a process that is killed leaves no half of it. */
  #write(name: string, value: unknown): void {
    if (this.#folder === undefined) return;
    const path = join(this.#folder, `${name}.json`);
    writeFileSync(`${path}.new`, JSON.stringify(value));
    renameSync(`${path}.new`, path);
  }
}

/** Swarm ids do not fit a number, and so are text. */
function writeNode({ ed25519, swarmId, ip, httpsPort }: PoolNode): Readonly<Record<string, unknown>> {
  return { ed25519, swarmId: String(swarmId), ip, httpsPort };
}

function readNode(value: unknown): PoolNode | undefined {
  const [ed25519, swarmId] = [field(value, 'ed25519'), field(value, 'swarmId')];
  const [ip, httpsPort] = [field(value, 'ip'), field(value, 'httpsPort')];
  if (typeof ed25519 !== 'string' || typeof swarmId !== 'string' || !/^\d{1,20}$/.test(swarmId))
    return undefined;
  if (typeof ip !== 'string' || typeof httpsPort !== 'number') return undefined;
  return { ed25519, swarmId: BigInt(swarmId), ip, httpsPort };
}
