import type Dockerode from 'dockerode';
import { nanoCpus } from './docker-units.ts';
import type { ContainerSpec } from './types.ts';

/** Log kept per container by the engine when the spec does not say. */
const DEFAULT_LOG_MAX_BYTES = 512 * 1024 * 1024;

/** The body of POST /containers/create. Exported for its table test. */
export function containerBody(spec: ContainerSpec): Dockerode.ContainerCreateOptions {
  const network = spec.network;
  const attached = network !== undefined && network !== 'none' ? network : undefined;
  return {
    name: spec.name,
    Hostname: spec.hostname,
    Image: spec.image,
    Env: Object.entries(spec.environment).map(([name, value]) => `${name}=${value}`),
    Labels: { ...spec.labels },
    Tty: spec.tty ?? false,
    ...(spec.command ? { Cmd: [...spec.command] } : {}),
    ...(spec.entrypoint ? { Entrypoint: [...spec.entrypoint] } : {}),
    ...(spec.user ? { User: spec.user } : {}),
    // StdinOnce: when the one attached client goes away, for whatever reason, the process reads end of file.
    ...(spec.openStdin ? { OpenStdin: true, StdinOnce: true, AttachStdin: true } : {}),
    HostConfig: hostConfig(spec, attached ? attached.id : network === 'none' ? 'none' : undefined),
    ...(attached
      ? {
          NetworkingConfig: {
            EndpointsConfig: {
              [attached.id]: {
                IPAMConfig: { IPv4Address: attached.address },
                Aliases: [...attached.aliases],
              },
            },
          },
        }
      : {}),
  };
}

function hostConfig(spec: ContainerSpec, networkMode: string | undefined): Dockerode.HostConfig {
  return {
    RestartPolicy: { Name: 'no' },
    // Not `json-file`: it stores text, so a character that its cut at 16 KiB splits is lost (6 of 20,000 in one line).
    LogConfig: {
      Type: 'local',
      Config: {
        'max-size': String(spec.logMaxBytes ?? DEFAULT_LOG_MAX_BYTES),
        'max-file': '1',
        compress: 'false',
      },
    },
    ...(networkMode ? { NetworkMode: networkMode } : {}),
    // Swap equal to memory means no swap: a limit that swaps is not the limit that was asked for.
    ...(spec.memoryBytes ? { Memory: spec.memoryBytes, MemorySwap: spec.memoryBytes } : {}),
    ...(spec.cpus ? { NanoCpus: nanoCpus(spec.cpus) } : {}),
    ...(spec.cpuShares ? { CpuShares: spec.cpuShares } : {}),
    ...(spec.pids ? { PidsLimit: spec.pids } : {}),
    ...(spec.tmpfs ? { Tmpfs: { ...spec.tmpfs } } : {}),
    ...(spec.pidMode ? { PidMode: spec.pidMode } : {}),
    ...(spec.capDrop ? { CapDrop: [...spec.capDrop] } : {}),
    ...(spec.capAdd ? { CapAdd: [...spec.capAdd] } : {}),
    ...(spec.securityOpt ? { SecurityOpt: [...spec.securityOpt] } : {}),
    ...(spec.readOnlyRoot ? { ReadonlyRootfs: true } : {}),
    ...(spec.autoRemove ? { AutoRemove: true } : {}),
    ...(spec.binds ? { Binds: [...spec.binds] } : {}),
    ...(spec.sysctls ? { Sysctls: { ...spec.sysctls } } : {}),
  };
}
