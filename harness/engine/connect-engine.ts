import { hostname, release } from 'node:os';
import { DockerEngine, readSystemInfo, type SystemInfo } from './docker-engine.ts';
import { type Endpoint, type EndpointOptions, isLocalEndpoint, parseEndpoint } from './endpoint.ts';
import { negotiate } from './negotiate.ts';
import { createDockerode, createTransport } from './transport.ts';
import type { Engine, EngineHost, EngineInfo } from './types.ts';

export interface ConnectOptions extends EndpointOptions {
  readonly origin?: EngineInfo['origin'];
  readonly signal?: AbortSignal;
}

/** Whose kernel it is: Desktop runs a VM; a TCP address may be anywhere, so names and kernels are compared. */
export function engineHost(endpoint: Endpoint, system: SystemInfo): EngineHost {
  if (/docker desktop/i.test(system.OperatingSystem ?? '') || process.platform !== 'linux') return 'vm';
  if (endpoint.kind === 'unix') return system.KernelVersion === release() ? 'this' : 'vm';
  const sameMachine = system.KernelVersion === release() && system.Name === hostname();
  return isLocalEndpoint(endpoint) && sameMachine ? 'this' : 'remote';
}

function certificatesFromEnvironment(): EndpointOptions {
  const certificatesDir = process.env['DOCKER_CERT_PATH'];
  const tls = Boolean(process.env['DOCKER_TLS_VERIFY']);
  return { ...(certificatesDir ? { certificatesDir } : {}), ...(tls ? { tls } : {}) };
}

/**
 * Connects to one engine, given as DOCKER_HOST would name it: `unix:///run/squall/engine.sock`, `tcp://127.0.0.1:2375`.
 * Certificates not given are those of DOCKER_CERT_PATH, so that a process of ours started with an endpoint finds them.
 * @throws SquallError `engine-endpoint-refused`, `engine-unreachable`, `engine-api-mismatch`
 */
export async function connectEngine(endpointText: string, options: ConnectOptions = {}): Promise<Engine> {
  const endpoint = parseEndpoint(endpointText, { ...certificatesFromEnvironment(), ...options });
  const transport = createTransport(endpoint);
  try {
    const spoken = await negotiate(transport, options.signal);
    const docker = createDockerode(transport, spoken.apiVersion);
    const system = await readSystemInfo(docker, options.signal);
    return new DockerEngine(docker, transport, {
      endpoint: endpoint.text,
      ...(endpoint.kind === 'tcp' &&
        endpoint.certificatesDir && { certificatesDir: endpoint.certificatesDir }),
      origin: options.origin ?? 'DOCKER_HOST',
      version: spoken.version,
      apiVersion: spoken.apiVersion,
      minApiVersion: spoken.minApiVersion,
      os: system.OperatingSystem ?? spoken.os,
      arch: spoken.arch,
      rootless: (system.SecurityOptions ?? []).some((option) => option.includes('rootless')),
      cgroupVersion: system.CgroupVersion ?? '1',
      storageDriver: system.Driver ?? 'unknown',
      host: engineHost(endpoint, system),
      kernel: system.KernelVersion ?? spoken.kernel,
      cpus: system.NCPU ?? 0,
      memoryBytes: system.MemTotal ?? 0,
      dataRoot: system.DockerRootDir ?? 'unknown',
    });
  } catch (error) {
    transport.agent.destroy();
    throw error;
  }
}
