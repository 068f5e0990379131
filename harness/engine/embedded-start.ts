import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SquallError } from '../errors/index.ts';
import { findProgram, systemPath } from '../program/index.ts';
import { acquireLock } from '../state/index.ts';
import { installEngine } from './embedded-install.ts';
import { daemonPid, otherDaemonPid, removeLeftovers } from './embedded-process.ts';
import { parseEndpoint } from './endpoint.ts';
import { daemonFlags, type EngineHome } from './engine-home.ts';
import { negotiate } from './negotiate.ts';
import { createTransport } from './transport.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A cold start takes 1 to 3 s; one that restores many containers after a crash takes longer. */
const START_DEADLINE_MS = 90_000;

/** Installing and starting by another process, waited for. */
const LOCK_DEADLINE_MS = 600_000;

/** The daemon's log is put aside when it has grown past this. */
const LOG_MAX_BYTES = 20 * 1024 * 1024;

const LOG_TAIL_LINES = 12;

export interface EmbeddedOptions {
  readonly environment?: Environment;
  readonly onProgress?: (text: string) => void;
  readonly signal?: AbortSignal;
}

/** Why an engine of ours cannot be started on this machine; undefined when it can. */
export function whyNotEmbedded(
  environment: Environment,
): { readonly why: string; readonly hint: string } | undefined {
  const install =
    'Install Docker (docs.docker.com/engine/install), start it, and look again with `squall doctor`.';
  if (process.platform !== 'linux') return { why: 'this is not Linux', hint: install };
  if (process.getuid?.() !== 0) {
    return {
      why: 'this user is not root',
      hint: 'Start Docker, or run squall as root so that it can start an engine of its own.',
    };
  }
  if (!findProgram('dockerd', environment) && !findProgram('apt-get', environment)) {
    return {
      why: 'there is neither dockerd nor apt-get',
      hint: `Install the packages that bring dockerd and iptables. ${install}`,
    };
  }
  return undefined;
}

/** True when an engine answers at our socket. */
export async function embeddedAnswers(home: EngineHome, signal?: AbortSignal): Promise<boolean> {
  const transport = createTransport(parseEndpoint(`unix://${home.socket}`));
  try {
    await negotiate(transport, signal);
    return true;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof SquallError && error.code === 'engine-unreachable') return false;
    throw error;
  } finally {
    transport.agent.destroy();
  }
}

function logTail(home: EngineHome): readonly string[] {
  const lines = readFileSync(home.log, 'utf8').trimEnd().split('\n');
  const telling = lines.filter((line) => /level=(error|fatal)|failed|panic/i.test(line));
  return (telling.length > 0 ? telling : lines).slice(-LOG_TAIL_LINES);
}

function failedToStart(home: EngineHome, what: string): SquallError {
  const tail = logTail(home);
  return new SquallError(`engine start: ${what}`, {
    code: 'engine-start-failed',
    facts: { log: home.log, tail },
    hint: `Its log ${home.log} ends with:\n${tail.map((line) => `    ${line}`).join('\n')}`,
  });
}

/** In a session of its own, with its output in its log: it belongs to no run and outlives us. */
function spawnDaemon(home: EngineHome, environment: Environment): ChildProcess {
  for (const path of [home.dataRoot, home.execRoot, dirname(home.socket), dirname(home.log)]) {
    mkdirSync(path, { recursive: true });
  }
  if ((statSync(home.log, { throwIfNoEntry: false })?.size ?? 0) > LOG_MAX_BYTES) {
    renameSync(home.log, `${home.log}.1`);
  }
  const log = openSync(home.log, 'a', 0o640);
  try {
    const program = findProgram('dockerd', environment) ?? 'dockerd';
    const child = spawn(program, [...daemonFlags(home)], {
      detached: true,
      cwd: '/',
      stdio: ['ignore', log, log],
      env: daemonEnvironment(environment),
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** What the daemon gets of our environment: where programs are, and how to reach a registry. */
export function daemonEnvironment(environment: Environment): Record<string, string> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];
  const proxies = names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : []));
  return { PATH: systemPath(environment), HOME: '/root', ...Object.fromEntries(proxies) };
}

async function untilAnswers(
  home: EngineHome,
  ended: () => string | undefined,
  signal?: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + START_DEADLINE_MS;
  while (!(await embeddedAnswers(home, signal))) {
    const end = ended();
    if (end) throw failedToStart(home, end);
    if (performance.now() > deadline) {
      throw failedToStart(home, `it did not answer; expected an answer within ${START_DEADLINE_MS / 1000} s`);
    }
    await delay(100, undefined, signal ? { signal } : {});
  }
}

async function startDaemon(
  home: EngineHome,
  environment: Environment,
  options: EmbeddedOptions,
): Promise<void> {
  const living = daemonPid(home);
  if (living !== undefined) {
    options.onProgress?.(`waiting for the engine of process ${living}, which is starting`);
    await untilAnswers(
      home,
      () => (daemonPid(home) === undefined ? `process ${living} ended` : undefined),
      options.signal,
    );
    return;
  }
  const other = otherDaemonPid(home);
  if (other !== undefined) {
    throw new SquallError(`engine start: another dockerd (process ${other}) runs on this machine's network`, {
      code: 'engine-start-failed',
      facts: { otherDaemon: other },
      hint: 'Name its socket in DOCKER_HOST, or stop it: two daemons take the bridge docker0 and the chains of iptables from each other.',
    });
  }
  for (const path of removeLeftovers(home))
    options.onProgress?.(`removed ${path}, left by an engine that is gone`);
  options.onProgress?.('starting a private engine');
  const child = spawnDaemon(home, environment);
  let end: string | undefined;
  child.on('error', (error) => {
    end = `dockerd could not be run: ${error.message}`;
  });
  child.on('exit', (code, signalName) => {
    end ??= `dockerd ended with ${signalName ?? `exit code ${code}`}`;
  });
  await untilAnswers(home, () => end, options.signal);
}

/**
 * Makes sure that our own engine answers: finds it again, or installs what is missing and starts it. Two processes at
 * once do not race: a lock with pid and start time guards it, and one whose owner died is taken over.
 * @throws SquallError `engine-install-failed`, `engine-start-failed` with the end of its log.
 */
export async function ensureEmbeddedEngine(
  home: EngineHome,
  options: EmbeddedOptions = {},
): Promise<'found' | 'started'> {
  const environment = options.environment ?? process.env;
  if (await embeddedAnswers(home, options.signal)) return 'found';
  const lock = await acquireLock(home.startLock, {
    withinMs: LOCK_DEADLINE_MS,
    facts: { doing: 'starting the engine' },
    onWait: (owner) => options.onProgress?.(`waiting for process ${owner.pid}, which is starting the engine`),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  try {
    if (await embeddedAnswers(home, options.signal)) return 'found';
    await installEngine(environment, options.onProgress ?? (() => undefined), options.signal);
    await startDaemon(home, environment, options);
    return 'started';
  } finally {
    lock.release();
  }
}
