import { setTimeout as delay } from 'node:timers/promises';
import { describeError, SquallError } from '../errors/index.ts';
import { connectEngine } from './connect-engine.ts';
import { ensureEmbeddedEngine, whyNotEmbedded } from './embedded-start.ts';
import { engineHome } from './engine-home.ts';
import { DEFAULT_SOCKET, type Strategy, type StrategyTrace, strategies } from './strategies.ts';
import type { Engine } from './types.ts';

/** How long a service that an installation started may take to answer. */
const SERVICE_DEADLINE_MS = 10_000;

type Environment = Readonly<Record<string, string | undefined>>;

export interface FindEngineOptions {
  readonly environment?: Environment;
  /** `--yes`: an engine may be installed and started without asking. */
  readonly yes?: boolean;
  /** Asks the person at the terminal; absent when there is none. */
  readonly ask?: (question: string) => Promise<boolean>;
  readonly onProgress?: (text: string) => void;
  readonly signal?: AbortSignal;
  /** In place of /var/run/docker.sock. */
  readonly defaultSocket?: string;
}

/** What was tried, in order, and the engine when one was found. */
export interface EngineSearch {
  readonly trace: readonly StrategyTrace[];
  readonly engine?: Engine;
  /** A named engine failed, or all failed: why. */
  readonly error?: SquallError;
}

async function trySockets(
  strategy: Strategy,
  trace: StrategyTrace[],
  signal: AbortSignal | undefined,
): Promise<Engine | SquallError | undefined> {
  let last: SquallError | undefined;
  for (const candidate of strategy.endpoints) {
    try {
      const engine = await connectEngine(candidate.endpoint, {
        ...candidate,
        origin: strategy.name,
        ...(signal ? { signal } : {}),
      });
      const { version, apiVersion } = engine.info;
      trace.push({
        strategy: strategy.name,
        endpoint: candidate.endpoint,
        outcome: 'found',
        reason: `engine ${version}, API ${apiVersion}`,
      });
      return engine;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof SquallError)) throw error;
      last = error;
      const { message, hint } = error;
      const reason = hint ? `${message}. ${hint}` : message;
      trace.push({ strategy: strategy.name, endpoint: candidate.endpoint, outcome: 'failed', reason });
    }
  }
  return last;
}

function listStrategies(environment: Environment, defaultSocket: string): readonly Strategy[] | SquallError {
  try {
    return strategies(environment, defaultSocket);
  } catch (error) {
    if (error instanceof SquallError) return error;
    throw error;
  }
}

/** Looks for an engine that runs already; starts and installs nothing. */
export async function searchEngine(options: FindEngineOptions = {}): Promise<EngineSearch> {
  const environment = options.environment ?? process.env;
  const trace: StrategyTrace[] = [];
  const listed = listStrategies(environment, options.defaultSocket ?? DEFAULT_SOCKET);
  if (listed instanceof SquallError) {
    trace.push({ strategy: 'context', outcome: 'failed', reason: listed.message });
    return { trace, error: listed };
  }
  for (const strategy of listed) {
    if (strategy.reason) {
      trace.push({ strategy: strategy.name, outcome: 'not-applicable', reason: strategy.reason });
      continue;
    }
    const result = await trySockets(strategy, trace, options.signal);
    if (result instanceof SquallError) {
      if (strategy.named) return { trace, error: result };
    } else if (result) {
      return { trace, engine: result };
    }
  }
  return { trace };
}

/**
 * The engine to use: the first that answers in the order DOCKER_HOST, context, rootless, default, desktop, embedded;
 * else the embedded one, installed and started when allowed (CI=true, `--yes`, or a person says so).
 * @throws SquallError `engine-not-found` with the whole trace; the error of a named engine that cannot be used.
 */
export async function findEngine(options: FindEngineOptions = {}): Promise<Engine> {
  const environment = options.environment ?? process.env;
  const search = await searchEngine(options);
  if (search.engine) return search.engine;
  const lines = search.trace.map((step) => `  ${step.strategy}: ${step.reason}`).join('\n');
  if (search.error) {
    throw new SquallError(`${search.error.message} (named by the user, so nothing else was tried)`, {
      code: search.error.code,
      blame: search.error.blame,
      facts: { ...search.error.facts, trace: search.trace },
      ...(search.error.hint ? { hint: search.error.hint } : {}),
      cause: search.error.cause,
    });
  }
  const obstacle = whyNotEmbedded(environment) ?? (await whyNotAllowed(environment, options));
  if (obstacle) {
    throw new SquallError(`engine: none was found, and none is started here: ${obstacle.why}.\n${lines}`, {
      code: 'engine-not-found',
      facts: { trace: search.trace },
      hint: obstacle.hint,
    });
  }
  const home = engineHome(environment);
  try {
    await ensureEmbeddedEngine(home, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    const started = await findServiceStarted(error, options);
    if (started) return started;
    throw new SquallError(`engine: none was found, and ours could not be started.\n${lines}`, {
      code: 'engine-not-found',
      facts: { trace: search.trace },
      hint: describeError(error),
      cause: error,
    });
  }
  return connectEngine(`unix://${home.socket}`, {
    origin: 'embedded',
    ...(options.signal ? { signal: options.signal } : {}),
  });
}

/**
 * Where services start by themselves, installing the distribution's engine starts one, which ours then finds in its way:
 * that one is used, as soon as it answers.
 */
async function findServiceStarted(error: unknown, options: FindEngineOptions): Promise<Engine | undefined> {
  if (!(error instanceof SquallError) || error.facts['otherDaemon'] === undefined) return undefined;
  const deadline = performance.now() + SERVICE_DEADLINE_MS;
  while (performance.now() < deadline) {
    const { engine } = await searchEngine(options);
    if (engine) return engine;
    await delay(200, undefined, options.signal ? { signal: options.signal } : {});
  }
  return undefined;
}

async function whyNotAllowed(
  environment: Environment,
  options: FindEngineOptions,
): Promise<{ readonly why: string; readonly hint: string } | undefined> {
  if (options.yes || environment['CI'] === 'true') return undefined;
  const question = 'No container engine answers. Install (if needed) and start a private one for Squall?';
  if (options.ask && (await options.ask(question))) return undefined;
  return {
    why: options.ask ? 'it was declined' : 'nobody was there to ask, and neither --yes nor CI=true is given',
    hint: 'Pass --yes to let Squall install and start a private engine, or start Docker yourself.',
  };
}
