import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Engine, engineAddress } from '../engine/index.ts';
import { SquallError } from '../errors/index.ts';
import { stateHome } from '../state/index.ts';
import { tsxProgram } from './tsx-program.ts';
import { LABEL } from './types.ts';
import { WATCHDOG_READY, type WatchdogCommand, type WatchdogOrder } from './watchdog-protocol.ts';

const READY_WITHIN_MS = 20_000;
const DISMISS_WITHIN_MS = 5_000;
/** A watchdog that somebody kills is replaced so many times, then reported. */
const REPLACEMENTS = 3;

/** The pipe to one detached watchdog process, kept alive as long as this process lives. */
export class Watchdog {
  readonly #order: WatchdogOrder;
  readonly #logPath: string;
  readonly #spared = new Set<string>();
  #child: ChildProcess | undefined;
  #dismissed = false;
  #replaced = 0;

  constructor(order: WatchdogOrder, logPath: string) {
    this.#order = order;
    this.#logPath = logPath;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves once the watchdog has its orders: before that nothing may be created. */
  async start(): Promise<void> {
    const log = openSync(this.#logPath, 'a', 0o600);
    const { NODE_OPTIONS: _ours, ...environment } = process.env;
    const child = spawn(process.execPath, [...tsxProgram('./watchdog.ts')], {
      detached: true,
      cwd: '/',
      stdio: ['pipe', 'pipe', log],
      env: environment,
    });
    closeSync(log);
    this.#child = child;
    child.stdin?.on('error', () => undefined); // Its end shows as `exit`, below.
    try {
      await this.#ready(child);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
    child.on('exit', () => this.#onExit());
    // It must not keep this process alive, and this process must not wait for it.
    child.unref();
    (child.stdin as unknown as { unref(): void } | null)?.unref();
    child.stdout?.destroy();
  }

  /** This bed has another owner now (a keeper): it is left alone when this process ends. */
  spare(bedId: string): void {
    this.#spared.add(bedId);
    this.#send({ spare: bedId });
  }

  /** The orderly end: all is removed already. */
  async dismiss(): Promise<void> {
    this.#dismissed = true;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), DISMISS_WITHIN_MS);
      child.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      this.#send({ dismiss: true });
    });
    if (statSync(this.#logPath, { throwIfNoEntry: false })?.size === 0)
      rmSync(this.#logPath, { force: true });
  }

  #send(command: WatchdogCommand): void {
    this.#child?.stdin?.write(`${JSON.stringify(command)}\n`);
  }

  #ready(child: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (what: string, cause?: unknown): void => {
        clearTimeout(timer);
        reject(
          new SquallError(`watchdog: ${what}; expected it to stand before anything is created`, {
            code: 'watchdog-not-started',
            facts: { log: this.#logPath },
            hint: `Its own words are in ${this.#logPath}.`,
            ...(cause === undefined ? {} : { cause }),
          }),
        );
      };
      const timer = setTimeout(() => fail(`not ready within ${READY_WITHIN_MS} ms`), READY_WITHIN_MS);
      let heard = '';
      child.once('error', (error) => fail('could not be started', error));
      child.once('exit', (code) => fail(`ended at once with code ${code}`));
      child.stdout?.on('data', (chunk: Buffer) => {
        heard += chunk.toString();
        if (!heard.startsWith(`${WATCHDOG_READY}\n`)) return;
        clearTimeout(timer);
        child.removeAllListeners('exit');
        child.removeAllListeners('error');
        resolve();
      });
      child.stdin?.write(`${JSON.stringify(this.#order)}\n`);
    });
  }

  #onExit(): void {
    if (this.#dismissed) return;
    this.#replaced += 1;
    if (this.#replaced > REPLACEMENTS) {
      process.emitWarning(
        `the watchdog of ${this.#order.labels.join(', ')} was ended ${this.#replaced} times`,
        {
          code: 'SQUALL_WATCHDOG_LOST',
          detail: 'If this process is killed, run `squall sweep` afterwards.',
        },
      );
      return;
    }
    this.start().then(
      () => {
        for (const bedId of this.#spared) this.spare(bedId);
      },
      () => this.#onExit(),
    );
  }
}

interface Held {
  readonly watchdog: Watchdog;
  readonly started: Promise<void>;
  holders: number;
}
const held = new Map<string, Held>();

export interface WatchdogHold {
  readonly watchdog: Watchdog;
  /** `allRemoved: false` leaves it standing: it sweeps what is left when this process ends. */
  release(options: { readonly allRemoved: boolean }): Promise<void>;
}

/**
 * The watchdog of this run (or bed), started before the first resource; shared by all who hold it in this process.
 * A runner with many short beds holds it from its first to its last.
 * @throws SquallError `watchdog-not-started`
 */
export async function holdWatchdog(
  engine: Engine,
  scope: { readonly runId: string; readonly bedId?: string },
): Promise<WatchdogHold> {
  const labels = [`${LABEL.run}=${scope.runId}`, ...(scope.bedId ? [`${LABEL.bed}=${scope.bedId}`] : [])];
  const key = [engine.info.endpoint, ...labels].join('\n');
  let entry = held.get(key);
  if (!entry) {
    const directory = join(stateHome(), 'watchdogs');
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const order = { ...engineAddress(engine.info), labels, parentPid: process.pid };
    const watchdog = new Watchdog(order, join(directory, `${scope.bedId ?? scope.runId}.log`));
    entry = { watchdog, started: watchdog.start(), holders: 0 };
    held.set(key, entry);
  }
  const mine = entry;
  mine.holders += 1;
  try {
    await mine.started;
  } catch (error) {
    held.delete(key);
    throw error;
  }
  let released = false;
  return {
    watchdog: mine.watchdog,
    async release({ allRemoved }) {
      if (released) return;
      released = true;
      mine.holders -= 1;
      if (mine.holders > 0 || !allRemoved) return;
      held.delete(key);
      await mine.watchdog.dismiss();
    },
  };
}
