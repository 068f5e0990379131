import type Dockerode from 'dockerode';
import { call } from './call.ts';
import { DockerContainers } from './docker-containers.ts';
import { followEvents } from './docker-events.ts';
import { DockerImages } from './docker-images.ts';
import { DockerNetworks } from './docker-networks.ts';
import { DockerOutput } from './docker-output.ts';
import { toEngineError } from './engine-errors.ts';
import type { Transport } from './transport.ts';
import type {
  AttachedProcess,
  ContainerSpec,
  Engine,
  EngineEvent,
  EngineInfo,
  FollowOptions,
  NetworkSpec,
} from './types.ts';

/** The `Engine` port over dockerode. Each group of calls has a file of its own; this one only joins them. */
export class DockerEngine implements Engine {
  readonly info: EngineInfo;
  readonly #docker: Dockerode;
  readonly #transport: Transport;
  readonly #containers: DockerContainers;
  readonly #networks: DockerNetworks;
  readonly #images: DockerImages;
  readonly #output: DockerOutput;

  constructor(docker: Dockerode, transport: Transport, info: EngineInfo) {
    this.info = info;
    this.#docker = docker;
    this.#transport = transport;
    this.#containers = new DockerContainers(docker);
    this.#networks = new DockerNetworks(docker);
    this.#images = new DockerImages(docker);
    this.#output = new DockerOutput(docker, transport, info.apiVersion);
  }

  createContainer(spec: ContainerSpec, signal?: AbortSignal) {
    return this.#containers.create(spec, signal);
  }
  startContainer(id: string, signal?: AbortSignal) {
    return this.#containers.start(id, signal);
  }
  stopContainer(id: string, timeoutS: number) {
    return this.#containers.stop(id, timeoutS);
  }
  killContainer(id: string, signalName: string) {
    return this.#containers.kill(id, signalName);
  }
  pauseContainer(id: string) {
    return this.#containers.pause(id);
  }
  unpauseContainer(id: string) {
    return this.#containers.unpause(id);
  }
  removeContainer(id: string) {
    return this.#containers.remove(id);
  }
  inspectContainer(id: string) {
    return this.#containers.inspect(id);
  }
  listContainers(labels: readonly string[]) {
    return this.#containers.list(labels);
  }
  updateContainer(id: string, limits: { readonly memoryBytes?: number; readonly cpus?: number }) {
    return this.#containers.update(id, limits);
  }
  usage(id: string) {
    return this.#containers.usage(id);
  }
  readFiles(id: string, path: string, signal?: AbortSignal) {
    return this.#containers.readFiles(id, path, signal);
  }
  writeFiles(id: string, folder: string, tar: NodeJS.ReadableStream, signal?: AbortSignal) {
    return this.#containers.writeFiles(id, folder, tar, signal);
  }

  attach(id: string): Promise<AttachedProcess> {
    return this.#output.attach(id);
  }
  followLogs(
    id: string,
    onLine: (stream: 'stdout' | 'stderr', line: string) => void,
    signal: AbortSignal,
    options?: FollowOptions,
  ) {
    return this.#output.followLogs(id, onLine, signal, options);
  }
  readLogs(id: string, tailLines: number) {
    return this.#output.readLogs(id, tailLines);
  }
  exec(
    id: string,
    command: readonly string[],
    options?: { readonly stdin?: string; readonly signal?: AbortSignal },
  ) {
    return this.#output.exec(id, command, options);
  }

  createNetwork(spec: NetworkSpec) {
    return this.#networks.create(spec);
  }
  removeNetwork(id: string) {
    return this.#networks.remove(id);
  }
  leaveNetwork(networkId: string, containerId: string) {
    return this.#networks.leave(networkId, containerId);
  }
  listNetworks(labels: readonly string[]) {
    return this.#networks.list(labels);
  }
  listVolumes(labels: readonly string[]) {
    return this.#networks.listVolumes(labels);
  }
  removeVolume(name: string) {
    return this.#networks.removeVolume(name);
  }

  async events(labels: readonly string[], onEvent: (event: EngineEvent) => void, signal: AbortSignal) {
    try {
      await followEvents(this.#docker, labels, onEvent, signal);
    } catch (failure) {
      throw toEngineError('engine, events', failure);
    }
  }

  async imageId(reference: string) {
    return (await this.#images.inspect(reference))?.Id;
  }
  async imageLabels(reference: string) {
    const found = await this.#images.inspect(reference);
    return found ? (found.Config?.Labels ?? {}) : undefined;
  }
  listImages(labels: readonly string[]) {
    return this.#images.list(labels);
  }
  removeImage(reference: string) {
    return this.#images.remove(reference);
  }
  tagImage(reference: string, tag: string) {
    return this.#images.tag(reference, tag);
  }
  whyNotPullable(reference: string, signal?: AbortSignal) {
    return this.#images.whyNotPullable(reference, signal);
  }
  pullImage(reference: string, onProgress: (text: string) => void, signal?: AbortSignal) {
    return this.#images.pull(reference, onProgress, signal);
  }
  buildImage(
    tar: NodeJS.ReadableStream,
    options: Parameters<Engine['buildImage']>[1],
    onLog: (text: string) => void,
  ) {
    return this.#images.build(tar, options, onLog);
  }
  importImage(tar: NodeJS.ReadableStream, options: Parameters<Engine['importImage']>[1]) {
    return this.#images.importTar(tar, options);
  }
  saveImages(references: readonly string[], signal?: AbortSignal) {
    return this.#images.save(references, signal);
  }
  loadImages(tar: NodeJS.ReadableStream, signal?: AbortSignal) {
    return this.#images.load(tar, signal);
  }

  close(): void {
    this.#transport.agent.destroy();
  }
}

/** GET /info, of which the types of dockerode know too little. */
export interface SystemInfo {
  readonly OperatingSystem?: string;
  readonly Name?: string;
  readonly KernelVersion?: string;
  readonly SecurityOptions?: readonly string[];
  readonly CgroupVersion?: string;
  readonly Driver?: string;
  readonly NCPU?: number;
  readonly MemTotal?: number;
  readonly DockerRootDir?: string;
}

/** While many containers start, /info waits for each of them. */
const INFO_DEADLINE_MS = 60_000;

export function readSystemInfo(docker: Dockerode, signal?: AbortSignal): Promise<SystemInfo> {
  return call('engine, info', { deadlineMs: INFO_DEADLINE_MS, signal, idempotent: true }, (abortSignal) =>
    (docker.info as (options: object) => Promise<SystemInfo>).call(docker, { abortSignal }),
  );
}
