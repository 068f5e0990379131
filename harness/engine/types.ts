/** The engine as the acting rooms see it: narrow, so that a fake and a second engine can fill it. */

export interface ContainerSpec {
  readonly name: string;
  readonly hostname: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly network?:
    | { readonly id: string; readonly address: string; readonly aliases: readonly string[] }
    | 'none';
  readonly memoryBytes?: number;
  readonly cpus?: number;
  readonly pids?: number;
  /** Weight against other containers when the CPU is short; the engine's default is 1,024. */
  readonly cpuShares?: number;
  readonly tmpfs?: Readonly<Record<string, string>>;
  readonly pidMode?: 'host';
  readonly capDrop?: readonly string[];
  readonly capAdd?: readonly string[];
  readonly securityOpt?: readonly string[];
  readonly readOnlyRoot?: boolean;
  readonly openStdin?: boolean;
  readonly autoRemove?: boolean;
  readonly binds?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly user?: string;
  readonly sysctls?: Readonly<Record<string, string>>;
  /** A terminal: one raw output stream, lines ending in CR LF. */
  readonly tty?: boolean;
  /** Bytes of log that the engine keeps for this container; 512 MiB by default. */
  readonly logMaxBytes?: number;
}

export interface ContainerState {
  readonly id: string;
  readonly name: string;
  readonly running: boolean;
  readonly paused: boolean;
  readonly pid: number;
  readonly exitCode: number;
  readonly oomKilled: boolean;
  readonly startedAt: string;
  /** When its process ended, RFC 3339 by the engine's clock; the year 1 while it has not. */
  readonly finishedAt: string;
  readonly restartCount: number;
  readonly tty: boolean;
  readonly imageId: string;
  readonly labels: Readonly<Record<string, string>>;
  /** IPv4 addresses of its own, by network; none where it shares another's network namespace or the host's. */
  readonly addresses: readonly { readonly network: string; readonly address: string }[];
}

export interface ContainerSummary {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly image: string;
  readonly imageId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAtMs: number;
}

export interface NetworkSpec {
  readonly name: string;
  readonly subnet: string;
  readonly gateway: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly ipv6?: boolean;
  readonly internal?: boolean;
  /** Part of the subnet from which the engine itself gives addresses to whoever asks for none. */
  readonly autoRange?: string;
  readonly options?: Readonly<Record<string, string>>;
}

export interface EngineEvent {
  readonly action: string;
  readonly containerId: string;
  readonly exitCode?: number;
  readonly timeNano: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** One reading of a container's use of the machine, since it started. */
export interface ContainerUsage {
  readonly memoryBytes: number;
  readonly cpuNs: number;
  readonly pids: number;
}

/** Where a followed log begins. */
export interface FollowOptions {
  /**
   * RFC 3339: skips what was said before. To skip earlier processes of a container, take the time after they have ended and
   * before the new one is started; the engine stamps `startedAt` when the new one may have spoken already.
   */
  readonly since?: string;
}

/** Two-way stream to a container's standard input and output (hijacked attach). */
export interface AttachedProcess {
  write(line: string): void;
  /** Complete stdout lines, in order. */
  readonly lines: AsyncIterable<string>;
  readonly errorLines: AsyncIterable<string>;
  /** Half-close: the process reads end of file, and its last lines can still be read. */
  endInput(): void;
  /** Settles when the container's side has ended. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Whose kernel the containers run on: faults and host limits need `this`. */
export type EngineHost = 'this' | 'vm' | 'remote';

export interface EngineInfo {
  readonly endpoint: string;
  /** Absolute folder of the certificates that it was reached with, over TLS. */
  readonly certificatesDir?: string;
  /** `embedded` when we started it; then it is ours to stop only by `squall engine stop`. */
  readonly origin: 'DOCKER_HOST' | 'context' | 'rootless' | 'default' | 'desktop' | 'embedded';
  readonly version: string;
  readonly apiVersion: string;
  readonly minApiVersion: string;
  readonly os: string;
  readonly arch: string;
  readonly rootless: boolean;
  readonly cgroupVersion: string;
  readonly storageDriver: string;
  readonly host: EngineHost;
  readonly kernel: string;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly dataRoot: string;
}

export interface Engine {
  readonly info: EngineInfo;
  createContainer(spec: ContainerSpec, signal?: AbortSignal): Promise<string>;
  startContainer(id: string, signal?: AbortSignal): Promise<void>;
  stopContainer(id: string, timeoutS: number): Promise<void>;
  killContainer(id: string, signalName: string): Promise<void>;
  pauseContainer(id: string): Promise<void>;
  unpauseContainer(id: string): Promise<void>;
  /** Forced, with volumes; absent is success. */
  removeContainer(id: string): Promise<void>;
  inspectContainer(id: string): Promise<ContainerState | undefined>;
  listContainers(labels: readonly string[]): Promise<readonly ContainerSummary[]>;
  updateContainer(
    id: string,
    limits: { readonly memoryBytes?: number; readonly cpus?: number },
  ): Promise<void>;
  /** What lies at a path of a container, running or not, as a tar stream that begins with the path's last part. @throws SquallError `path-not-found`, `container-not-found` */
  readFiles(id: string, path: string, signal?: AbortSignal): Promise<NodeJS.ReadableStream>;
  /** Unpacks a tar stream into a folder of a container, running or not. @throws SquallError `path-not-found`, `container-not-found` */
  writeFiles(id: string, folder: string, tar: NodeJS.ReadableStream, signal?: AbortSignal): Promise<void>;
  attach(id: string): Promise<AttachedProcess>;
  /** Follows from the start; demultiplexed, complete lines reassembled across frames and 16 KiB splits. */
  followLogs(
    id: string,
    onLine: (stream: 'stdout' | 'stderr', line: string) => void,
    signal: AbortSignal,
    options?: FollowOptions,
  ): Promise<void>;
  readLogs(id: string, tailLines: number): Promise<readonly string[]>;
  exec(
    id: string,
    command: readonly string[],
    options?: { readonly stdin?: string; readonly signal?: AbortSignal },
  ): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>;
  usage(id: string): Promise<ContainerUsage | undefined>;
  createNetwork(spec: NetworkSpec): Promise<string>;
  removeNetwork(id: string): Promise<void>;
  /** Takes a container, running or not, out of a network; one that is not in it, or not there, is success. */
  leaveNetwork(networkId: string, containerId: string): Promise<void>;
  listNetworks(labels: readonly string[]): Promise<
    readonly {
      readonly id: string;
      readonly name: string;
      readonly subnets: readonly string[];
      readonly createdAtMs: number;
      readonly labels: Readonly<Record<string, string>>;
    }[]
  >;
  listVolumes(labels: readonly string[]): Promise<readonly string[]>;
  removeVolume(name: string): Promise<void>;
  /** Engine events of containers with these labels, until aborted; reconnects after an engine restart and says so (`action: 'reconnected'`). */
  events(
    labels: readonly string[],
    onEvent: (event: EngineEvent) => void,
    signal: AbortSignal,
  ): Promise<void>;
  imageId(reference: string): Promise<string | undefined>;
  imageLabels(reference: string): Promise<Readonly<Record<string, string>> | undefined>;
  listImages(labels: readonly string[]): Promise<
    readonly {
      readonly id: string;
      readonly tags: readonly string[];
      readonly sizeBytes: number;
      readonly labels: Readonly<Record<string, string>>;
    }[]
  >;
  /** Refused by the engine while a container uses it; absent is success. */
  removeImage(reference: string): Promise<void>;
  tagImage(reference: string, tag: string): Promise<void>;
  /** Whether the engine can reach the registry of a reference and finds it there; undefined when it answers, within 5 s. */
  whyNotPullable(reference: string, signal?: AbortSignal): Promise<string | undefined>;
  pullImage(reference: string, onProgress: (text: string) => void, signal?: AbortSignal): Promise<void>;
  /** Classic build from a tar stream; the whole log is returned, and is the error's fact when it fails. */
  buildImage(
    tar: NodeJS.ReadableStream,
    options: {
      readonly tag: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly dockerfile: string;
    },
    onLog: (text: string) => void,
  ): Promise<string>;
  importImage(
    tar: NodeJS.ReadableStream,
    options: {
      readonly tag: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly changes: readonly string[];
    },
  ): Promise<string>;
  /** These images with their tags and layers as one tar stream. @throws SquallError `image-not-found` before anything comes */
  saveImages(references: readonly string[], signal?: AbortSignal): Promise<NodeJS.ReadableStream>;
  /** @returns the references that the archive brought */
  loadImages(tar: NodeJS.ReadableStream, signal?: AbortSignal): Promise<readonly string[]>;
  close(): void;
}
