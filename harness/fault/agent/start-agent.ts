import type { Engine } from '../../engine/index.ts';
import { combineErrors, SquallError } from '../../errors/index.ts';
import { AgentClient, greet } from './agent-client.ts';
import { AgentLink } from './agent-link.ts';
import type { FakeAgent } from './fake-agent.ts';

export interface StartAgentOptions {
  readonly engine: Engine;
  /** Image reference of `packet-agent`. */
  readonly image: string;
  readonly bedId: string;
  /** Labels of the run and the bed; the caller's, so that sweeps find the agent like everything else. */
  readonly labels: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * The most that the engine takes. At a release every held node wakes up at once, and an agent with a node's weight would
 * be one of a hundred: measured on 2 cores, letting go of 13,000 packets then took 4 to 9 s instead of a fraction of one.
 */
const AGENT_CPU_SHARES = 262_144;

/**
 * Starts the one agent container of a bed and says hello. Not privileged: the host's PIDs, no network of its own, a
 * read-only root and four capabilities. Its standard input is its deadman: when this process dies, the agent lifts all.
 * @throws SquallError `agent-unfit` when the kernel lacks what it needs, `agent-lost` when it does not answer
 */
export async function startAgent(options: StartAgentOptions): Promise<AgentClient> {
  const { engine, signal } = options;
  const name = `squall-agent-${options.bedId}`;
  const containerId = await engine.createContainer(
    {
      name,
      hostname: 'squall-agent',
      image: options.image,
      environment: {},
      labels: options.labels,
      network: 'none',
      pidMode: 'host',
      capDrop: ['ALL'],
      capAdd: ['NET_ADMIN', 'NET_RAW', 'SYS_ADMIN', 'SYS_PTRACE'],
      securityOpt: ['apparmor=unconfined'],
      readOnlyRoot: true,
      cpuShares: AGENT_CPU_SHARES,
      openStdin: true,
      autoRemove: true,
    },
    signal,
  );
  let link: AgentLink | undefined;
  try {
    // Attached before the start, so that nothing the agent says first is missed.
    link = new AgentLink(await engine.attach(containerId));
    await engine.startContainer(containerId, signal);
    const hello = await greet(link, signal);
    refuseUnfit(hello.capabilities);
    return new AgentClient(link, hello, containerId, () => engine.removeContainer(containerId));
  } catch (error) {
    link?.close();
    const left = await engine.removeContainer(containerId).then(
      () => [],
      (removal: unknown) => [removal],
    );
    throw combineErrors(`agent of bed ${options.bedId}: did not start`, [error, ...left]);
  }
}

function refuseUnfit(
  capabilities: Readonly<Record<string, { ok: boolean; reason?: string | undefined }>>,
): void {
  const needed = ['nfqueue', 'nftTable', 'rawSocket'];
  const missing = needed.filter((name) => capabilities[name] && !capabilities[name]?.ok);
  if (missing.length === 0) return;
  const reasons = missing.map((name) => `${name} (${capabilities[name]?.reason ?? 'no reason given'})`);
  throw new SquallError(
    `packet agent: the kernel lacks ${reasons.join(', ')}; expected all of ${needed.join(', ')}`,
    {
      code: 'agent-unfit',
      facts: { capabilities },
      hint: 'Run `squall doctor` to see which faults this host can make.',
    },
  );
}

/** A client over a fake agent: for unit tests that need the protocol and no kernel. */
export async function connectFakeAgent(fake: FakeAgent): Promise<AgentClient> {
  const link = new AgentLink(fake.process);
  return new AgentClient(link, await greet(link), 'fake', () => Promise.resolve());
}
