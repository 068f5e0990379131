import { type Engine, searchEngine, whyNotEmbedded } from '../engine/index.ts';
import { describeError, SquallError } from '../errors/index.ts';
import { startAgent } from '../fault/index.ts';
import {
  type AgentFindings,
  type DoctorReport,
  diagnose,
  type Leftover,
  readHost,
  readKernelConfig,
  realHostFiles,
} from '../host/index.ts';
import { imageHash, imageTag, requireImage } from '../image/index.ts';
import { Ledger } from '../state/index.ts';
import { sweep } from '../testnet/index.ts';

interface AgentAnswer {
  readonly findings?: AgentFindings;
  readonly problem?: string;
}

/** The agent tries what faults need in an empty namespace of its own, touching no node. Not built for this. */
async function askAgent(engine: Engine, signal: AbortSignal): Promise<AgentAnswer> {
  const description = requireImage('packet-agent');
  const image = imageTag(description.name, await imageHash(description));
  if (!(await engine.imageId(image)))
    return { problem: "its image is not built, so only the kernel's configuration was read" };
  try {
    const bedId = `doctor-${process.pid}`;
    const agent = await startAgent({
      engine,
      image,
      bedId,
      labels: { 'squall.doctor': String(process.pid) },
      signal,
    });
    await agent.close();
    return { findings: agent.hello.capabilities };
  } catch (error) {
    signal.throwIfAborted();
    const found = error instanceof SquallError ? error.facts['capabilities'] : undefined;
    return found ? { findings: found as AgentFindings } : { problem: describeError(error) };
  }
}

async function findLeftovers(engine: Engine): Promise<readonly Leftover[]> {
  const { groups } = await sweep(engine, { dryRun: true });
  return groups.map((group) => ({
    what: group.bedId || group.runId,
    containers: group.containers,
    networks: group.networks,
    ageMs: group.ageMs,
    dead: group.decision === 'remove',
    reason: group.reason,
  }));
}

/** Looks at everything that `doctor` reports. Starts no engine and changes nothing. */
export async function examine(
  signal: AbortSignal,
): Promise<{ readonly report: DoctorReport; readonly engine?: Engine }> {
  const search = await searchEngine({ signal });
  const { engine } = search;
  const agent: AgentAnswer = engine && !engine.info.rootless ? await askAgent(engine, signal) : {};
  const leftovers = engine ? await findLeftovers(engine) : [];
  const obstacle = engine ? undefined : whyNotEmbedded(process.env);
  const report = diagnose({
    search: {
      trace: search.trace,
      ...(search.error ? { error: search.error } : {}),
      ...(engine ? { info: engine.info } : {}),
    },
    host: readHost(realHostFiles, engine?.info.host === 'this' ? engine.info.dataRoot : '/'),
    kernel: readKernelConfig(),
    agent: agent.findings,
    ...(agent.problem ? { agentProblem: agent.problem } : {}),
    leftovers,
    ledger: new Ledger().entries(),
    ...(obstacle ? { embeddedObstacle: obstacle } : {}),
  });
  return { report, ...(engine ? { engine } : {}) };
}
