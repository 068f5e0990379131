import { Readable } from 'node:stream';
import { SquallError } from '../errors/index.ts';
import { FakeContainer, type FakeProgram } from './fake-container.ts';
import { packFiles, unpackFiles } from './fake-files.ts';
import { FakeImages, hasLabels } from './fake-images.ts';
import type {
  AttachedProcess,
  ContainerSpec,
  ContainerState,
  ContainerSummary,
  ContainerUsage,
  Engine,
  EngineEvent,
  EngineInfo,
  NetworkSpec,
} from './types.ts';

export interface FakeEngineOptions {
  /** What runs in containers of an image, by reference. An image without a program waits until it is stopped. */
  readonly programs?: Readonly<Record<string, FakeProgram>>;
  readonly info?: Partial<EngineInfo>;
}

interface FakeNetwork extends NetworkSpec {
  readonly id: string;
  readonly createdAtMs: number;
}

const INFO: EngineInfo = {
  endpoint: 'fake://',
  origin: 'default',
  version: '20.10.24',
  apiVersion: '1.41',
  minApiVersion: '1.12',
  os: 'fake',
  arch: 'amd64',
  rootless: false,
  cgroupVersion: '2',
  storageDriver: 'overlay2',
  host: 'this',
  kernel: '6.0.0',
  cpus: 2,
  memoryBytes: 4 * 1024 ** 3,
  dataRoot: '/var/lib/fake',
};

function refuse(code: string, message: string): never {
  throw new SquallError(message, { code });
}

/**
 * An engine without an engine: the `Engine` port in memory, with programs in place of images. What it refuses, and with
 * which code, is what a real one does; a parity test holds both to the same cases.
 */
export class FakeEngine implements Engine {
  readonly info: EngineInfo;
  /** Everything that was asked of it, in order: `createContainer member-1`. */
  readonly calls: string[] = [];
  readonly #programs: Readonly<Record<string, FakeProgram>>;
  readonly #containers = new Map<string, FakeContainer>();
  readonly #networks = new Map<string, FakeNetwork>();
  readonly #volumes = new Map<string, Readonly<Record<string, string>>>();
  readonly #images = new FakeImages();
  readonly #listeners = new Set<(event: EngineEvent) => void>();
  #nextId = 1;

  constructor(options: FakeEngineOptions = {}) {
    this.info = { ...INFO, ...options.info };
    this.#programs = options.programs ?? {};
    for (const reference of Object.keys(this.#programs)) this.addImage(reference);
  }

  /** As if it had been pulled or built before. */
  addImage(reference: string, labels: Readonly<Record<string, string>> = {}): string {
    const id = `sha256:${this.#id()}`;
    this.#images.add(id, reference, labels);
    return id;
  }

  addVolume(name: string, labels: Readonly<Record<string, string>>): void {
    this.#volumes.set(name, labels);
  }

  async createContainer(spec: ContainerSpec, signal?: AbortSignal): Promise<string> {
    this.calls.push(`createContainer ${spec.name}`);
    signal?.throwIfAborted();
    const image = this.#images.find(spec.image);
    if (!image) refuse('image-not-found', `container ${spec.name}: no such image ${spec.image}`);
    const network = spec.network;
    if (network && network !== 'none') {
      if (!this.#networks.has(network.id)) refuse('network-not-found', `network ${network.id} not found`);
    }
    if ([...this.#containers.values()].some((container) => container.spec.name === spec.name)) {
      refuse('name-conflict', `container ${spec.name}: the name is already in use`);
    }
    const id = this.#id();
    const program = this.#programs[spec.image];
    this.#containers.set(
      id,
      new FakeContainer(id, spec, image.id, program, (action, exitCode) => {
        this.#emit(id, spec, action, exitCode);
        if (action === 'die' && spec.autoRemove) this.#containers.delete(id);
      }),
    );
    this.#emit(id, spec, 'create');
    return id;
  }

  async startContainer(id: string, signal?: AbortSignal): Promise<void> {
    this.calls.push(`startContainer ${id}`);
    signal?.throwIfAborted();
    const container = this.#require(id);
    const network = container.spec.network;
    if (network && network !== 'none') {
      if (!this.#networks.has(network.id)) refuse('network-not-found', `network ${network.id} not found`);
      const taken = [...this.#containers.values()].some(
        (other) => other !== container && other.running && other.address === container.address,
      );
      if (taken) refuse('address-in-use', `container ${id}: Address already in use`);
    }
    container.start();
  }

  async stopContainer(id: string, timeoutS: number): Promise<void> {
    await this.#require(id).stop(timeoutS * 1000);
  }

  async killContainer(id: string, signalName: string): Promise<void> {
    const container = this.#require(id);
    if (!container.running) refuse('container-not-running', `container ${id} is not running`);
    container.kill(signalName);
  }

  async pauseContainer(id: string): Promise<void> {
    this.#require(id).setPaused(true);
  }

  async unpauseContainer(id: string): Promise<void> {
    this.#require(id).setPaused(false);
  }

  async removeContainer(id: string): Promise<void> {
    this.calls.push(`removeContainer ${id}`);
    const container = this.#containers.get(id);
    if (!container) return;
    container.kill('SIGKILL');
    await container.ended;
    this.#containers.delete(id);
    this.#emit(id, container.spec, 'destroy');
  }

  async inspectContainer(id: string): Promise<ContainerState | undefined> {
    return this.#containers.get(id)?.state();
  }

  async listContainers(labels: readonly string[]): Promise<readonly ContainerSummary[]> {
    return [...this.#containers.values()]
      .filter((container) => hasLabels(container.spec.labels, labels))
      .map((container) => container.summary());
  }

  async updateContainer(id: string): Promise<void> {
    this.#require(id);
  }

  async usage(id: string): Promise<ContainerUsage | undefined> {
    return this.#containers.get(id)?.running
      ? { memoryBytes: 1_000_000, cpuNs: 1_000_000, pids: 1 }
      : undefined;
  }

  async readFiles(id: string, path: string): Promise<NodeJS.ReadableStream> {
    const found = packFiles(this.#require(id).files, path);
    return found ?? refuse('path-not-found', `Could not find the file ${path} in container ${id}`);
  }

  async writeFiles(id: string, folder: string, tar: NodeJS.ReadableStream): Promise<void> {
    this.calls.push(`writeFiles ${id} ${folder}`);
    await unpackFiles(this.#require(id).files, folder, tar);
  }

  async attach(id: string): Promise<AttachedProcess> {
    return this.#require(id).attach();
  }

  async followLogs(
    id: string,
    onLine: (stream: 'stdout' | 'stderr', line: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    if (signal.aborted) return;
    await this.#require(id).follow(onLine, signal);
  }

  async readLogs(id: string, tailLines: number): Promise<readonly string[]> {
    return this.#require(id)
      .log.map((entry) => entry.line)
      .slice(-tailLines);
  }

  async exec(
    id: string,
    command: readonly string[],
    options: { readonly stdin?: string; readonly signal?: AbortSignal } = {},
  ): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }> {
    options.signal?.throwIfAborted();
    const container = this.#require(id);
    if (!container.running) refuse('container-not-running', `container ${id} is not running`);
    return container.exec(command, options.stdin);
  }

  async createNetwork(spec: NetworkSpec): Promise<string> {
    this.calls.push(`createNetwork ${spec.name}`);
    if ([...this.#networks.values()].some((network) => network.subnet === spec.subnet)) {
      refuse('subnet-overlap', `network ${spec.name}: Pool overlaps with other one on this address space`);
    }
    const id = this.#id();
    this.#networks.set(id, { ...spec, id, createdAtMs: Date.now() });
    return id;
  }

  async removeNetwork(id: string): Promise<void> {
    const inUse = [...this.#containers.values()].some(
      ({ running, left, spec }) =>
        running && !left && spec.network !== undefined && spec.network !== 'none' && spec.network.id === id,
    );
    if (inUse) refuse('network-in-use', `network ${id} has active endpoints`);
    this.#networks.delete(id);
  }

  async leaveNetwork(networkId: string, containerId: string): Promise<void> {
    const container = this.#containers.get(containerId);
    if (container && container.spec.network !== 'none' && container.spec.network?.id === networkId)
      container.left = true;
  }

  async listNetworks(labels: readonly string[]) {
    return [...this.#networks.values()]
      .filter((network) => hasLabels(network.labels, labels))
      .map(({ id, name, subnet, createdAtMs, labels: own }) => ({
        id,
        name,
        subnets: [subnet],
        createdAtMs,
        labels: own,
      }));
  }

  async listVolumes(labels: readonly string[]): Promise<readonly string[]> {
    return [...this.#volumes].filter(([, own]) => hasLabels(own, labels)).map(([name]) => name);
  }

  async removeVolume(name: string): Promise<void> {
    this.#volumes.delete(name);
  }

  async events(
    labels: readonly string[],
    onEvent: (event: EngineEvent) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const listener = (event: EngineEvent): void => {
      if (hasLabels(event.labels, labels)) onEvent(event);
    };
    this.#listeners.add(listener);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#listeners.delete(listener);
  }

  async imageId(reference: string): Promise<string | undefined> {
    return this.#images.find(reference)?.id;
  }

  async imageLabels(reference: string): Promise<Readonly<Record<string, string>> | undefined> {
    return this.#images.find(reference)?.labels;
  }

  async listImages(labels: readonly string[]) {
    return this.#images.list(labels);
  }

  async removeImage(reference: string): Promise<void> {
    const image = this.#images.find(reference);
    if (!image) return;
    if ([...this.#containers.values()].some((container) => container.imageId === image.id)) {
      refuse('image-in-use', `image ${reference}: image is being used`);
    }
    this.#images.remove(reference);
  }

  async tagImage(reference: string, tag: string): Promise<void> {
    const image = this.#images.find(reference);
    if (!image) refuse('image-not-found', `image ${reference}: no such image`);
    this.#images.tag(image, tag);
  }

  async whyNotPullable(reference: string): Promise<string | undefined> {
    return `image ${reference}: a fake engine has no registry`;
  }

  async pullImage(reference: string): Promise<void> {
    refuse('registry-unreachable', `image ${reference}: a fake engine has no registry`);
  }

  async buildImage(
    tar: NodeJS.ReadableStream,
    options: { readonly tag: string; readonly labels: Readonly<Record<string, string>> },
    onLog: (text: string) => void,
  ): Promise<string> {
    this.calls.push(`buildImage ${options.tag}`);
    for await (const _chunk of tar) onLog('');
    return this.addImage(options.tag, options.labels);
  }

  async importImage(
    tar: NodeJS.ReadableStream,
    options: { readonly tag: string; readonly labels: Readonly<Record<string, string>> },
  ): Promise<string> {
    this.calls.push(`importImage ${options.tag}`);
    for await (const _chunk of tar);
    return this.addImage(options.tag, options.labels);
  }

  /** Its archive is the images as JSON. */
  async saveImages(references: readonly string[]): Promise<NodeJS.ReadableStream> {
    this.calls.push(`saveImages ${references.join(' ')}`);
    const found = references.map((reference) => {
      const image = this.#images.find(reference);
      if (!image) refuse('image-not-found', `no such image ${reference}`);
      return { reference, labels: image.labels };
    });
    return Readable.from([JSON.stringify(found)]);
  }

  async loadImages(tar: NodeJS.ReadableStream): Promise<readonly string[]> {
    const chunks: Buffer[] = [];
    for await (const chunk of tar) chunks.push(Buffer.from(chunk as Uint8Array));
    const found = JSON.parse(Buffer.concat(chunks).toString()) as {
      reference: string;
      labels: Record<string, string>;
    }[];
    for (const { reference, labels } of found) this.addImage(reference, labels);
    return found.map(({ reference }) => reference);
  }

  close(): void {
    this.#listeners.clear();
  }

  #id(): string {
    return (this.#nextId++).toString(16).padStart(64, '0');
  }

  #require(id: string): FakeContainer {
    return this.#containers.get(id) ?? refuse('container-not-found', `no such container: ${id}`);
  }

  #emit(containerId: string, spec: ContainerSpec, action: string, exitCode?: number): void {
    const event: EngineEvent = {
      action,
      containerId,
      timeNano: Date.now() * 1e6,
      labels: { ...spec.labels, name: spec.name },
      ...(exitCode === undefined ? {} : { exitCode }),
    };
    for (const listener of this.#listeners) listener(event);
  }
}
