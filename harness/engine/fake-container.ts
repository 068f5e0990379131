import { SquallError } from '../errors/index.ts';
import type { FakeFiles } from './fake-files.ts';
import { LineQueue } from './line-queue.ts';
import type { AttachedProcess, ContainerSpec, ContainerState, ContainerSummary } from './types.ts';

/** What a program in a fake container can do. */
export interface FakeProcess {
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  stdout(line: string): void;
  stderr(line: string): void;
  /** Lines of the standard input; it ends at once unless the container was made with `openStdin`. */
  readonly stdin: AsyncIterable<string>;
  /** Resolves with the name of the next signal that is not SIGKILL. */
  nextSignal(): Promise<string>;
  /** Of its container, by absolute path: they outlive the process. */
  readonly files: FakeFiles;
  /** Aborted when the process is killed: the program need not notice. */
  readonly killed: AbortSignal;
}

/** A program: what it returns is its exit code. */
export type FakeProgram = (process: FakeProcess) => Promise<number>;

/** Without a program of its own, a container waits for SIGTERM and ends with 0. */
const WAITING: FakeProgram = async (process) => {
  await process.nextSignal();
  return 0;
};

const SIGKILL_EXIT = 137;

/** Processes of fake containers have numbers that no real one has, so that nothing can be done to a real one. */
let nextPid = 10_000_000;

interface LogEntry {
  readonly stream: 'stdout' | 'stderr';
  readonly line: string;
}

/** One container of the fake engine. */
export class FakeContainer {
  readonly id: string;
  readonly spec: ContainerSpec;
  readonly imageId: string;
  readonly log: LogEntry[] = [];
  readonly files: FakeFiles = new Map();
  ended: Promise<void> = Promise.resolve();
  running = false;
  /** Taken out of its network. */
  left = false;
  readonly #program: FakeProgram;
  readonly #onChange: (action: string, exitCode?: number) => void;
  readonly #followers = new Set<(entry: LogEntry | undefined) => void>();
  readonly #createdAtMs = Date.now();
  #input = new LineQueue({ highWaterChars: 1_000_000 });
  #killed = new AbortController();
  #signals: string[] = [];
  #onSignal: (() => void) | undefined;
  #paused = false;
  #pid = 0;
  #exitCode = 0;
  #startedAt = '0001-01-01T00:00:00Z';
  #finishedAt = '0001-01-01T00:00:00Z';

  constructor(
    id: string,
    spec: ContainerSpec,
    imageId: string,
    program: FakeProgram | undefined,
    onChange: (action: string, exitCode?: number) => void,
  ) {
    this.id = id;
    this.spec = spec;
    this.imageId = imageId;
    this.#program = program ?? WAITING;
    this.#onChange = onChange;
  }

  get address(): string | undefined {
    const network = this.spec.network;
    return network && network !== 'none' ? network.address : undefined;
  }

  start(): void {
    if (this.running) return;
    this.running = true;
    this.#killed = new AbortController();
    this.#signals = [];
    this.#startedAt = new Date().toISOString();
    this.#pid = nextPid;
    nextPid += 1;
    if (!this.spec.openStdin) this.#input.end();
    const killed = new Promise<number>((resolve) => {
      this.#killed.signal.addEventListener('abort', () => resolve(SIGKILL_EXIT), { once: true });
    });
    const own = this.#program(this.#process()).catch((error: unknown) => {
      this.#say('stderr', String(error));
      return 1;
    });
    this.#onChange('start');
    this.ended = Promise.race([own, killed]).then((exitCode) => this.#end(exitCode));
  }

  kill(signalName: string): void {
    if (!this.running) return;
    if (signalName === 'SIGKILL' || signalName === 'KILL') {
      this.#killed.abort();
      return;
    }
    this.#signals.push(signalName);
    this.#onSignal?.();
  }

  async stop(timeoutMs: number): Promise<void> {
    if (!this.running) return;
    this.kill('SIGTERM');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([this.ended, late]);
    clearTimeout(timer);
    this.kill('SIGKILL');
    await this.ended;
  }

  setPaused(paused: boolean): void {
    if (!this.running) {
      throw new SquallError(`container ${this.id} is not running`, { code: 'container-not-running' });
    }
    this.#paused = paused;
    this.#onChange(paused ? 'pause' : 'unpause');
  }

  state(): ContainerState {
    return {
      id: this.id,
      name: this.spec.name,
      running: this.running,
      paused: this.#paused,
      pid: this.running ? this.#pid : 0,
      exitCode: this.#exitCode,
      oomKilled: false,
      startedAt: this.#startedAt,
      finishedAt: this.#finishedAt,
      restartCount: 0,
      tty: this.spec.tty ?? false,
      imageId: this.imageId,
      labels: this.spec.labels,
      addresses: this.#addresses(),
    };
  }

  #addresses(): ContainerState['addresses'] {
    const { network } = this.spec;
    if (!this.running || !network || network === 'none') return [];
    return [{ network: network.id, address: network.address }];
  }

  summary(): ContainerSummary {
    const state = this.running
      ? this.#paused
        ? 'paused'
        : 'running'
      : this.#pid === 0
        ? 'created'
        : 'exited';
    const { name, image, labels } = this.spec;
    return { id: this.id, name, state, image, imageId: this.imageId, labels, createdAtMs: this.#createdAtMs };
  }

  attach(): AttachedProcess {
    const lines = new LineQueue({ highWaterChars: Number.POSITIVE_INFINITY });
    const errorLines = new LineQueue({ highWaterChars: Number.POSITIVE_INFINITY });
    let closed = false;
    let settle: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const follower = (entry: LogEntry | undefined): void => {
      if (entry) {
        (entry.stream === 'stdout' ? lines : errorLines).push(entry.line);
        return;
      }
      this.#followers.delete(follower);
      lines.end();
      errorLines.end();
      settle();
    };
    this.#followers.add(follower);
    const endInput = (): void => {
      closed = true;
      if (this.spec.openStdin) this.#input.end();
    };
    return {
      lines,
      errorLines,
      ended,
      write: (line) => {
        if (closed)
          throw new SquallError(`container ${this.id}: its input is closed`, { code: 'attach-closed' });
        this.#input.push(line.replace(/\n$/, ''));
      },
      endInput,
      close: () => {
        endInput();
        follower(undefined);
      },
    };
  }

  follow(onLine: (stream: 'stdout' | 'stderr', line: string) => void, signal: AbortSignal): Promise<void> {
    for (const { stream, line } of this.log) onLine(stream, line);
    if (!this.running && this.#pid !== 0) return Promise.resolve();
    return new Promise((resolve) => {
      const follower = (entry: LogEntry | undefined): void => {
        if (entry && !signal.aborted) {
          onLine(entry.stream, entry.line);
          return;
        }
        this.#followers.delete(follower);
        resolve();
      };
      this.#followers.add(follower);
      signal.addEventListener('abort', () => follower(undefined), { once: true });
    });
  }

  /** Runs the container's program once more, with other arguments. */
  async exec(
    command: readonly string[],
    stdin: string | undefined,
  ): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }> {
    const out: string[] = [];
    const errors: string[] = [];
    const input = new LineQueue({ highWaterChars: Number.POSITIVE_INFINITY });
    for (const line of (stdin ?? '').split('\n').filter(Boolean)) input.push(line);
    input.end();
    const exitCode = await this.#program({
      ...this.#process(),
      arguments: command.slice(1),
      stdin: input,
      stdout: (line) => void out.push(line),
      stderr: (line) => void errors.push(line),
    });
    return { exitCode, stdout: out.join('\n'), stderr: errors.join('\n') };
  }

  #process(): FakeProcess {
    return {
      arguments: this.spec.command ?? [],
      environment: this.spec.environment,
      stdout: (line) => this.#say('stdout', line),
      stderr: (line) => this.#say('stderr', line),
      stdin: this.#input,
      nextSignal: () => this.#nextSignal(),
      files: this.files,
      killed: this.#killed.signal,
    };
  }

  async #nextSignal(): Promise<string> {
    while (this.#signals.length === 0) {
      await new Promise<void>((resolve) => {
        this.#onSignal = resolve;
      });
    }
    return this.#signals.shift() ?? 'SIGTERM';
  }

  #say(stream: 'stdout' | 'stderr', line: string): void {
    if (!this.running) return;
    const entry = { stream, line };
    this.log.push(entry);
    for (const follower of [...this.#followers]) follower(entry);
  }

  #end(exitCode: number): void {
    this.running = false;
    this.#paused = false;
    this.#exitCode = exitCode;
    this.#finishedAt = new Date().toISOString();
    for (const follower of [...this.#followers]) follower(undefined);
    this.#input = new LineQueue({ highWaterChars: 1_000_000 });
    this.#onChange('die', exitCode);
  }
}
