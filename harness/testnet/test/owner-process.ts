import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A process of ours that owns a bed, to be killed by a test. */
export class OwnerProcess {
  readonly child: ChildProcess;
  readonly pids: number[] = [];
  watchdogPid = 0;
  readonly #seen: string[] = [];
  readonly #waiting: {
    readonly stage: string;
    readonly resolve: () => void;
    readonly reject: (error: Error) => void;
  }[] = [];
  #errors = '';

  /** The run's id is its only bed's. */
  readonly runId: string;

  constructor(bedId: string, count = 3, name = 'owner') {
    this.runId = bedId;
    const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    const program = fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url));
    this.child = spawn(process.execPath, ['--import', loader, program, bedId, String(count)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.#errors += chunk.toString();
    });
    if (this.child.stdout)
      createInterface({ input: this.child.stdout }).on('line', (line) => this.#take(line));
    this.child.once('close', () => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(`the owner ended: ${this.#errors}`));
    });
  }

  reached(stage: string): Promise<void> {
    if (this.#seen.includes(stage)) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiting.push({ stage, resolve, reject }));
  }

  /** Its own exit code, once it has ended by itself. */
  ended(): Promise<number | null> {
    if (this.child.exitCode !== null) return Promise.resolve(this.child.exitCode);
    return new Promise((resolve) => this.child.once('exit', (code) => resolve(code)));
  }

  /** Whether its watchdog runs; one that has ended and that nobody has reaped does not. */
  watchdogLives(): boolean {
    try {
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${this.watchdogPid}/status`, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return false;
    }
  }

  /** SIGKILL, and its end awaited: nothing of it can act any more. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const closed = new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
    this.child.kill('SIGKILL');
    await closed;
  }

  #take(line: string): void {
    const pid = /^node \S+ (\d+)$/.exec(line)?.[1];
    if (pid !== undefined) this.pids.push(Number(pid));
    const watchdog = /^watchdog (\d+)$/.exec(line)?.[1];
    if (watchdog !== undefined) this.watchdogPid = Number(watchdog);
    this.#seen.push(line);
    for (const waiting of this.#waiting.filter(({ stage }) => stage === line)) waiting.resolve();
  }
}
