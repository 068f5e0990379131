import { addressEnvironment, type Engine } from '../../engine/index.ts';
import { combineErrors, SquallError } from '../../errors/index.ts';
import type { AgentClient } from '../agent/agent-client.ts';
import { CONTROL_PORT, controlThroughAgent } from './control-channel.ts';
import { ToxiproxyServer } from './toxiproxy-server.ts';

export interface StartToxiproxyOptions {
  readonly engine: Engine;
  readonly agent: AgentClient;
  /** Image reference of `toxiproxy`. */
  readonly image: string;
  /** The bed's network, where the server gets an address from the engine's own range. */
  readonly networkId: string;
  readonly bedId: string;
  readonly labels: Readonly<Record<string, string>>;
  /** 1 for the first server of the bed, then counting its replacements. */
  readonly number: number;
}

const STARTUP_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 10_000;

/** Endpoint that testcontainers was set to; it keeps one client for the life of the process. */
let endpointInUse: string | undefined;

/**
 * Starts a Toxiproxy server with testcontainers on the bed's network and says hello. Its control port listens on its own
 * loopback and is published nowhere; the agent reaches it from inside, so the server is enrolled there under its name.
 */
export async function startToxiproxy(options: StartToxiproxyOptions): Promise<ToxiproxyServer> {
  const { engine, agent, bedId, number } = options;
  const name = `toxiproxy-${number}`;
  const { GenericContainer, Wait } = await loadTestcontainers(engine);
  const started = await new GenericContainer(options.image)
    .withName(`squall-${bedId}-${name}`)
    .withNetworkMode(options.networkId)
    .withLabels({ ...options.labels })
    .withCommand(['-host', '127.0.0.1', '-port', String(CONTROL_PORT)])
    // The default strategy needs a shell in the image, and the control port is not published.
    .withWaitStrategy(Wait.forLogMessage(/Toxiproxy listens/))
    .withStartupTimeout(STARTUP_TIMEOUT_MS)
    .start();
  const containerId = started.getId();
  try {
    const state = await engine.inspectContainer(containerId);
    const pid = state?.pid ?? 0;
    const [enrolled] = await agent.enroll([{ name, pid }]);
    const address = enrolled?.ip ?? '';
    const control = controlThroughAgent(agent, name);
    await untilAnswering(control);
    return await ToxiproxyServer.connect({ name, containerId, address, pid, control });
  } catch (error) {
    const left = await engine.removeContainer(containerId).then(
      () => [],
      (removal: unknown) => [removal],
    );
    throw combineErrors(`toxiproxy of bed ${bedId}: did not start`, [error, ...left]);
  }
}

/** Imported on first use: it takes a second to load, and most beds need no Toxiproxy. */
async function loadTestcontainers(engine: Engine): Promise<typeof import('testcontainers')> {
  const { endpoint } = engine.info;
  if (endpointInUse !== undefined && endpointInUse !== endpoint) {
    throw new SquallError(
      `toxiproxy: testcontainers speaks to ${endpointInUse} in this process; expected ${endpoint}`,
      {
        code: 'one-engine-a-process',
        hint: 'Run beds of different engines in different processes.',
      },
    );
  }
  endpointInUse = endpoint;
  Object.assign(process.env, addressEnvironment(engine.info));
  // Our own watchdog removes what is left behind; Ryuk's image may not be there, and it reaps what still lives (incident 13).
  process.env.TESTCONTAINERS_RYUK_DISABLED = 'true';
  return import('testcontainers');
}

async function untilAnswering(control: ReturnType<typeof controlThroughAgent>): Promise<void> {
  const deadline = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  for (;;) {
    try {
      await control('GET', '/version', undefined, ANSWER_TIMEOUT_MS);
      return;
    } catch (error) {
      const isRefusal = error instanceof SquallError && error.code === 'agent-http-failed';
      if (!isRefusal || deadline.aborted) throw error;
    }
  }
}
