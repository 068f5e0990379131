import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundleNode } from '../../../harness/image/index.ts';

export interface Line {
  readonly event: string;
  readonly monoNs: number;
  readonly seq: number;
  readonly [field: string]: unknown;
}

/** A node as a process of this host: the very bundle that its image has, with its output as events. */
export class BundledNode {
  readonly lines: Line[] = [];
  readonly errors: string[] = [];
  readonly adminPort: number;
  readonly exit: Promise<number>;
  readonly #child: ChildProcess;
  readonly #waiting = new Set<() => void>();

  constructor(main: string, adminPort: number, environment: Readonly<Record<string, string>>) {
    this.adminPort = adminPort;
    this.#child = spawn(process.execPath, ['--enable-source-maps', main], {
      env: { PATH: process.env['PATH'] ?? '', SQUALL_ADMIN_PORT: String(adminPort), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = this.#child;
    if (!stdout || !stderr) throw new Error('no pipes');
    createInterface({ input: stdout }).on('line', (line) => {
      this.lines.push(JSON.parse(line) as Line);
      for (const look of this.#waiting) look();
    });
    createInterface({ input: stderr }).on('line', (line) => this.errors.push(line));
    this.exit = once(this.#child, 'close').then(([code]) => {
      for (const look of this.#waiting) look();
      return code as number;
    });
  }

  /** The first line from `from` on that fits; rejects when the node ends without one. The test's own timeout bounds it. */
  until(fits: (line: Line) => boolean, from = 0): Promise<Line> {
    return new Promise((resolve, reject) => {
      let next = from;
      const look = (): void => {
        let found: Line | undefined;
        // Lines seen before are not looked at again: a flood has 20,000 of them.
        while (!found && next < this.lines.length) {
          const line = this.lines[next++];
          if (line && fits(line)) found = line;
        }
        if (!found && this.#child.exitCode === null) return;
        this.#waiting.delete(look);
        if (found) resolve(found);
        else reject(new Error(`the node ended with ${this.#child.exitCode}: ${this.errors.join('\n')}`));
      };
      this.#waiting.add(look);
      look();
    });
  }

  event(name: string, from = 0): Promise<Line> {
    return this.until((line) => line.event === name, from);
  }

  async admin(method: 'GET' | 'POST', path: string, body?: unknown) {
    const answer = await fetch(`http://127.0.0.1:${this.adminPort}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }
}

/** Bundles an image's program once; `start` then runs it as often as wanted, and `stop` ends all and removes the bundle. */
export async function bundled(folder: string, entry: string) {
  const dir = mkdtempSync(join(tmpdir(), 'squall-node-'));
  const main = join(dir, 'main.mjs');
  const bundle = await bundleNode(folder, entry);
  writeFileSync(main, bundle.code);
  writeFileSync(`${main}.map`, bundle.sourceMap);
  const nodes: BundledNode[] = [];
  return {
    start: async (environment: Readonly<Record<string, string>>): Promise<BundledNode> => {
      const node = new BundledNode(main, await freePort(), environment);
      nodes.push(node);
      return node;
    },
    stopNodes: async (): Promise<void> => {
      for (const node of nodes) node.signal('SIGKILL');
      await Promise.all(nodes.splice(0).map((node) => node.exit));
    },
    remove: (): void => rmSync(dir, { recursive: true }),
  };
}

/**
 * Below the ports that the kernel hands out by itself (from 32768): one of those could become a connection's before the
 * node listens on it.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue;
      throw error;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
