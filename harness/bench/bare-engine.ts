import { Agent } from 'node:http';
import { inspect } from 'node:util';
import Dockerode from 'dockerode';
import { SquallError } from '../errors/index.ts';
import { addressNodes, type ResolvedTopology } from '../topology/index.ts';

/** Containers in flight that are tried: which serves the engine best differs between starting and removing, and by host. */
export const BARE_CONCURRENCIES = [4, 8, 16] as const;

/** How long the engine alone took, in ms, with so many containers in flight. */
export interface BareTimes {
  readonly concurrency: number;
  readonly startMs: number;
  readonly removeMs: number;
}

const SUBNET = '198.18.224.0/20';
const FIRST_SLASH_24 = 224;
const LABEL = 'squall.bench';

async function eachAtOnce<T>(
  concurrency: number,
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/**
 * How long the engine alone takes to start and to remove the containers of a topology and their network: the same images,
 * environments and limits, so that the nodes join each other and compete for the CPU as they do on a bed. Nobody waits until
 * they are ready, follows their logs or makes them known to an agent.
 */
export async function measureBareEngine(
  endpoint: string,
  image: string,
  topology: ResolvedTopology,
  concurrency: number,
): Promise<BareTimes> {
  const socketPath = endpoint.replace(/^unix:\/\//, '');
  if (socketPath === endpoint) {
    throw new SquallError(`bench: endpoint ${endpoint} is not a local socket; expected one on this machine`, {
      code: 'bench-needs-socket',
      blame: 'input',
    });
  }
  const agent = new Agent({ keepAlive: true });
  Object.defineProperty(agent, inspect.custom, { value: () => '[agent]' });
  const docker = new Dockerode({ socketPath, agent } as Dockerode.DockerOptions);
  const beganMs = performance.now();
  const network = await docker.createNetwork({
    Name: 'squall-bench',
    Labels: { [LABEL]: '1' },
    IPAM: { Config: [{ Subnet: SUBNET }] },
  });
  const ids: string[] = [];
  try {
    const nodes = addressNodes(topology, (slash24, host) => `198.18.${FIRST_SLASH_24 + slash24}.${host}`);
    await eachAtOnce(concurrency, nodes, async ({ name, address, environment, resources }) => {
      const container = await docker.createContainer({
        Image: image,
        name: `squall-bench-${name}`,
        Hostname: name,
        Labels: { [LABEL]: '1' },
        Env: Object.entries(environment).map(([key, value]) => `${key}=${value}`),
        HostConfig: {
          NetworkMode: 'squall-bench',
          ...(resources.memoryBytes === undefined ? {} : { Memory: resources.memoryBytes }),
          ...(resources.pids === undefined ? {} : { PidsLimit: resources.pids }),
        },
        NetworkingConfig: {
          EndpointsConfig: { 'squall-bench': { IPAMConfig: { IPv4Address: address }, Aliases: [name] } },
        },
      });
      ids.push(container.id);
      await container.start();
    });
    const startedMs = performance.now();
    await eachAtOnce(concurrency, ids.splice(0), (id) =>
      docker.getContainer(id).remove({ force: true, v: true }),
    );
    await network.remove();
    return { concurrency, startMs: startedMs - beganMs, removeMs: performance.now() - startedMs };
  } finally {
    if (ids.length > 0) {
      await eachAtOnce(concurrency, ids, (id) => docker.getContainer(id).remove({ force: true, v: true }));
      await network.remove();
    }
    agent.destroy();
  }
}
