import type Dockerode from 'dockerode';
import { call, DEADLINE_MS } from './call.ts';
import { containerBody } from './container-body.ts';
import { nanoCpus, secondsToMs } from './docker-units.ts';
import { hasCode } from './engine-errors.ts';
import { REMOVAL_PATIENCE, type RemovalPatience, removeContainer } from './remove-container.ts';
import type { ContainerSpec, ContainerState, ContainerSummary, ContainerUsage } from './types.ts';

/** Engine's answer "already so", which is success for us. */
const NOT_MODIFIED = 304;

/** The labels filter of list calls: all must match; `key` or `key=value`. */
export function labelFilter(labels: readonly string[]): { label?: string[] } {
  return labels.length > 0 ? { label: [...labels] } : {};
}

async function unlessNotModified(action: Promise<unknown>): Promise<void> {
  try {
    await action;
  } catch (failure) {
    if ((failure as { statusCode?: number }).statusCode !== NOT_MODIFIED) throw failure;
  }
}

type Stats = Dockerode.ContainerStats;

function readStats(container: Dockerode.Container, abortSignal: AbortSignal): Promise<Stats> {
  const options = { stream: false, 'one-shot': true, abortSignal };
  return container.stats(options as unknown as { stream: false });
}

/** Containers' lives: create to remove. */
export class DockerContainers {
  readonly #docker: Dockerode;
  readonly #patience: RemovalPatience;

  constructor(docker: Dockerode, patience: RemovalPatience = REMOVAL_PATIENCE) {
    this.#docker = docker;
    this.#patience = patience;
  }

  async create(spec: ContainerSpec, signal?: AbortSignal): Promise<string> {
    return call(`container ${spec.name}`, { deadlineMs: DEADLINE_MS.act, signal }, async (abortSignal) => {
      const created = await this.#docker.createContainer({ ...containerBody(spec), abortSignal });
      return created.id;
    });
  }

  async start(id: string, signal?: AbortSignal): Promise<void> {
    await this.#act(id, 'start', signal, (container, abortSignal) => container.start({ abortSignal }));
  }

  async stop(id: string, timeoutS: number): Promise<void> {
    const what = `container ${id}, stop`;
    const deadlineMs = DEADLINE_MS.act + secondsToMs(timeoutS);
    await call(what, { deadlineMs }, (abortSignal) =>
      unlessNotModified(this.#docker.getContainer(id).stop({ t: timeoutS, abortSignal })),
    );
  }

  async kill(id: string, signalName: string): Promise<void> {
    await this.#act(id, 'kill', undefined, (container, abortSignal) =>
      container.kill({ signal: signalName, abortSignal }),
    );
  }

  async pause(id: string): Promise<void> {
    await this.#act(id, 'pause', undefined, (container, abortSignal) => container.pause({ abortSignal }));
  }

  async unpause(id: string): Promise<void> {
    await this.#act(id, 'unpause', undefined, (container, abortSignal) => container.unpause({ abortSignal }));
  }

  /** Forced, with volumes; true of the container when this returns, whoever removed it. See `removeContainer`. */
  async remove(id: string): Promise<void> {
    await removeContainer(this.#docker.getContainer(id), id, this.#patience);
  }

  async inspect(id: string): Promise<ContainerState | undefined> {
    try {
      const found = await call(
        `container ${id}`,
        { deadlineMs: DEADLINE_MS.look, idempotent: true },
        (abortSignal) => this.#docker.getContainer(id).inspect({ abortSignal }),
      );
      return {
        id: found.Id,
        name: found.Name.replace(/^\//, ''),
        running: found.State.Running,
        paused: found.State.Paused,
        pid: found.State.Pid,
        exitCode: found.State.ExitCode,
        oomKilled: found.State.OOMKilled,
        startedAt: found.State.StartedAt,
        finishedAt: found.State.FinishedAt,
        restartCount: found.RestartCount,
        tty: found.Config.Tty,
        imageId: found.Image,
        labels: found.Config.Labels ?? {},
        addresses: Object.entries(found.NetworkSettings.Networks ?? {}).flatMap(([network, { IPAddress }]) =>
          IPAddress ? [{ network, address: IPAddress }] : [],
        ),
      };
    } catch (error) {
      if (hasCode(error, 'container-not-found')) return undefined;
      throw error;
    }
  }

  async list(labels: readonly string[]): Promise<readonly ContainerSummary[]> {
    const listed = await call(
      'container list',
      { deadlineMs: DEADLINE_MS.look, idempotent: true },
      (abortSignal) => this.#docker.listContainers({ all: true, filters: labelFilter(labels), abortSignal }),
    );
    return listed.map((container) => ({
      id: container.Id,
      name: (container.Names[0] ?? '').replace(/^\//, ''),
      state: container.State,
      image: container.Image,
      imageId: container.ImageID,
      labels: container.Labels ?? {},
      createdAtMs: secondsToMs(container.Created),
    }));
  }

  async update(id: string, limits: { readonly memoryBytes?: number; readonly cpus?: number }): Promise<void> {
    const body = {
      ...(limits.memoryBytes ? { Memory: limits.memoryBytes, MemorySwap: limits.memoryBytes } : {}),
      ...(limits.cpus ? { NanoCpus: nanoCpus(limits.cpus) } : {}),
    };
    await this.#act(id, 'update', undefined, (container, abortSignal) =>
      container.update({ ...body, abortSignal }),
    );
  }

  async usage(id: string): Promise<ContainerUsage | undefined> {
    const read = await call(
      `container ${id}, usage`,
      { deadlineMs: DEADLINE_MS.look, idempotent: true },
      (abortSignal) =>
        // `one-shot`: without it the engine waits a second for a first reading that we have no use for.
        readStats(this.#docker.getContainer(id), abortSignal),
    ).catch((error: unknown) => {
      if (hasCode(error, 'container-not-found')) return undefined;
      throw error;
    });
    // A container that is not running has statistics without figures.
    if (!read?.memory_stats?.usage) return undefined;
    const cached =
      read.memory_stats.stats?.inactive_file ?? read.memory_stats.stats?.total_inactive_file ?? 0;
    return {
      memoryBytes: Math.max(0, read.memory_stats.usage - cached),
      cpuNs: read.cpu_stats.cpu_usage.total_usage,
      pids: read.pids_stats?.current ?? 0,
    };
  }

  async readFiles(id: string, path: string, signal?: AbortSignal): Promise<NodeJS.ReadableStream> {
    // The deadline is the answer's: what comes after it takes as long as its reader does.
    return await call(`container ${id}, files of ${path}`, { deadlineMs: DEADLINE_MS.act, signal }, () =>
      this.#docker.getContainer(id).getArchive({ path, ...(signal && { abortSignal: signal }) }),
    );
  }

  async writeFiles(
    id: string,
    folder: string,
    tar: NodeJS.ReadableStream,
    signal?: AbortSignal,
  ): Promise<void> {
    await call(
      `container ${id}, files into ${folder}`,
      { deadlineMs: DEADLINE_MS.act, signal },
      (abortSignal) => this.#docker.getContainer(id).putArchive(tar, { path: folder, abortSignal }),
    );
  }

  async #act(
    id: string,
    verb: string,
    signal: AbortSignal | undefined,
    run: (container: Dockerode.Container, abortSignal: AbortSignal) => Promise<unknown>,
  ): Promise<void> {
    await call(`container ${id}, ${verb}`, { deadlineMs: DEADLINE_MS.act, signal }, (abortSignal) =>
      unlessNotModified(run(this.#docker.getContainer(id), abortSignal)),
    );
  }
}
