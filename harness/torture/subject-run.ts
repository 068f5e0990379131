import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addressEnvironment } from '../engine/index.ts';
import { EXIT } from '../errors/index.ts';
import type { Attempt, Truth } from './part.ts';
import { awaitGone, MARK, type World } from './world.ts';

const SQUALL = fileURLToPath(new URL('../cli/squall.mjs', import.meta.url));
const SCENARIOS = fileURLToPath(new URL('./scenarios/', import.meta.url));

/** Of what a run says, kept for the figures. */
const KEPT_BYTES = 8_000;

export interface SubjectOptions {
  readonly truth: Truth;
  readonly scenario?: 'torture' | 'proxied' | 'hostile';
  readonly reportsDir?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Modules that are loaded before the command. */
  readonly preload?: readonly string[];
  readonly set?: readonly string[];
}

/** How a process of ours ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** One `squall run` in a process of its own, to be tormented. */
export class SubjectRun {
  readonly truth: Truth;
  readonly reportsDir: string;
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  readonly #world: World;
  #said = '';

  constructor(world: World, options: SubjectOptions) {
    const { truth, scenario = 'torture', environment = {}, preload = [], set = [] } = options;
    this.truth = truth;
    this.reportsDir = options.reportsDir ?? join(world.folder, 'reports');
    this.#world = world;
    const words = [
      ...preload.flatMap((module) => ['--import', module]),
      SQUALL,
      'run',
      join(SCENARIOS, `${scenario}.scenario.yaml`),
      ...['--truth', truth, '--seed', '7', '--parallel-beds', '1', '--reports', this.reportsDir],
      ...set.flatMap((one) => ['--set', one]),
    ];
    this.#child = spawn(process.execPath, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...addressEnvironment(world.engine.info), ...environment, [MARK]: world.mark },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#said = (this.#said + chunk.toString('latin1')).slice(-KEPT_BYTES);
      });
    }
    world.signal.addEventListener('abort', () => this.kill('SIGTERM'), { once: true });
    this.ended = new Promise((resolve) =>
      this.#child.once('close', (code, signal) => resolve({ code, signal })),
    );
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }
  get lives(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
  /** The end of what it said on both streams. */
  get said(): string {
    return this.#said;
  }
  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits for its end and for all of it to be gone, and says what is wrong with how it went. */
  async outcome(met: boolean, facts: Readonly<Record<string, unknown>> = {}): Promise<Attempt> {
    const beganMs = performance.now();
    const ending = await this.ended;
    const endedMs = Math.round(performance.now() - beganMs);
    const { tookMs, left } = await awaitGone(this.#world, [this.pid]);
    const problems = [
      ...wrongVerdicts(this.truth, ending, this.verdicts()),
      ...unmeant(this.#said),
      ...left.map((what) => `left behind: ${what}`),
    ];
    const outcome = describeEnding(this.truth, ending);
    return {
      outcome,
      met,
      problems,
      facts: {
        truth: this.truth,
        ...ending,
        endedMs,
        goneMs: tookMs,
        ...facts,
        // Why a harness broke is wanted even where it may.
        ...(problems.length > 0 || outcome === 'broken' ? { said: this.#said } : {}),
      },
    };
  }

  /** Of every run.json that it left; what is no JSON counts as none, since a file is written as a whole or not at all. */
  verdicts(): readonly string[] {
    if (!existsSync(this.reportsDir)) return [];
    return readdirSync(this.reportsDir)
      .filter((name) => name !== 'latest')
      .map((name) => join(this.reportsDir, name, 'run.json'))
      .filter((file) => existsSync(file))
      .map((file) => (JSON.parse(readFileSync(file, 'utf8')) as { verdict: string }).verdict);
  }
}

/** A verdict may be right, or none; it may not be the other one. */
export function wrongVerdicts(
  truth: Truth,
  { code }: Ending,
  verdicts: readonly string[],
): readonly string[] {
  const [wrongExit, wrongVerdict] = truth === 'broken' ? [EXIT.pass, 'pass'] : [EXIT.fail, 'fail'];
  return [
    ...(code === wrongExit ? [`wrong verdict: exit ${code} of a run that is ${truth}`] : []),
    ...(code === EXIT.usage ? ['its own input was refused'] : []),
    ...verdicts
      .filter((verdict) => verdict === wrongVerdict)
      .map((verdict) => `wrong verdict in run.json: ${verdict}`),
  ];
}

/** One word for how a run ended, seen from its truth. */
export function describeEnding(truth: Truth, { code, signal }: Ending): string {
  if (signal !== null) return 'killed';
  if (code === (truth === 'broken' ? EXIT.fail : EXIT.pass)) return 'right';
  if (code === EXIT.inconclusive) return 'inconclusive';
  if (code === EXIT.broken) return 'broken';
  return `exit ${code}`;
}

/** An error that nobody meant to throw is a fault of ours, whatever the verdict. */
function unmeant(said: string): readonly string[] {
  const found = /\b(TypeError|ReferenceError|RangeError|AssertionError)\b.*/.exec(said)?.[0];
  return found === undefined ? [] : [`an error that nobody meant: ${found}`];
}
