import type Dockerode from 'dockerode';
import { describeError, SquallError } from '../errors/index.ts';
import { type CallOptions, call, DEADLINE_MS } from './call.ts';
import { labelFilter } from './docker-containers.ts';
import { hasCode } from './engine-errors.ts';
import type { Engine, NetworkSpec } from './types.ts';

type NetworkSummary = Awaited<ReturnType<Engine['listNetworks']>>[number];

/** How long one request of a removal is waited for, in ms; whoever removes asks again. */
export interface NetworkPatience {
  readonly answerMs: number;
  readonly leaveMs: number;
  /** See `CallOptions`. */
  readonly startDeadline?: (deadlineMs: number) => AbortSignal;
}

const NETWORK_PATIENCE: NetworkPatience = { answerMs: 30_000, leaveMs: 15_000 };

/** Networks and volumes: what a bed holds besides containers. */
export class DockerNetworks {
  readonly #docker: Dockerode;
  readonly #patience: NetworkPatience;

  constructor(docker: Dockerode, patience: NetworkPatience = NETWORK_PATIENCE) {
    this.#docker = docker;
    this.#patience = patience;
  }

  /**
   * An error for want of addresses carries every network with its subnets, ours apart: what is in the way is usually a
   * network that a dead run has left.
   */
  async create(spec: NetworkSpec): Promise<string> {
    try {
      return await this.#create(spec);
    } catch (error) {
      if (!(error instanceof SquallError) || !hasCode(error, 'address-pool-exhausted', 'subnet-overlap'))
        throw error;
      const networks = await this.list([]);
      const ours = networks.filter((network) =>
        Object.keys(network.labels).some((label) => label.startsWith('squall.')),
      );
      throw new SquallError(
        `${error.message} (${networks.length} networks exist, ${ours.length} of them ours)`,
        {
          code: error.code,
          facts: {
            ...error.facts,
            wanted: spec.subnet,
            networks: networks.map(({ name, subnets }) => ({ name, subnets })),
            ours: ours.map(({ name }) => name),
          },
          hint: error.hint ?? 'Remove networks that nobody uses; `squall sweep` removes ours.',
          cause: error,
        },
      );
    }
  }

  #create(spec: NetworkSpec): Promise<string> {
    return call(`network ${spec.name}`, { deadlineMs: DEADLINE_MS.act }, async (abortSignal) => {
      const created = await this.#docker.createNetwork({
        Name: spec.name,
        Driver: 'bridge',
        CheckDuplicate: true,
        EnableIPv6: spec.ipv6 ?? false,
        Internal: spec.internal ?? false,
        Labels: { ...spec.labels },
        Options: { ...(spec.options ?? {}) },
        IPAM: {
          Driver: 'default',
          Config: [
            {
              Subnet: spec.subnet,
              Gateway: spec.gateway,
              ...(spec.autoRange ? { IPRange: spec.autoRange } : {}),
            },
          ],
        },
        abortSignal,
      } as Dockerode.NetworkCreateOptions);
      return created.id;
    });
  }

  /**
   * An engine that crashed can keep endpoints of containers that are gone, and then refuses to remove their network for
   * ever ("has active endpoints"): such endpoints are taken out by name, and the removal is asked for once more. One that lost
   * count of them (seen once) names nobody, and counts anew only when it is started again.
   */
  async remove(id: string): Promise<void> {
    try {
      await this.#remove(id);
    } catch (error) {
      if (!hasCode(error, 'network-in-use')) throw error;
      const inside = await this.#inside(id);
      if (inside.length === 0)
        throw new SquallError(`network ${id}: the engine keeps it as in use, though nothing is in it`, {
          code: 'network-in-use',
          hint: 'Start the engine again (for ours: `squall engine stop`, then `squall engine start`), then run `squall sweep`.',
          cause: error,
        });
      const stale = inside.flatMap(([key, name]) => (key.startsWith('ep-') && name ? [name] : []));
      if (stale.length === 0) throw error;
      for (const endpoint of stale) await this.leave(id, endpoint);
      await this.#remove(id);
    }
  }

  async #remove(id: string): Promise<void> {
    try {
      await call(`network ${id}`, this.#within('answerMs'), (abortSignal) =>
        this.#docker.getNetwork(id).remove({ abortSignal }),
      );
    } catch (error) {
      if (!hasCode(error, 'network-not-found', 'container-not-found')) throw error;
    }
  }

  #within(which: 'answerMs' | 'leaveMs'): CallOptions {
    return { deadlineMs: this.#patience[which], startDeadline: this.#patience.startDeadline };
  }

  /** Who is in it, `[key, name]`: containers under their ids, endpoints that belong to none under `ep-` and one of their own. */
  async #inside(id: string): Promise<readonly (readonly [key: string, name: string | undefined])[]> {
    const found = await call(`network ${id}`, this.#within('answerMs'), (abortSignal) =>
      (
        this.#docker.getNetwork(id).inspect as (options: object) => Promise<Dockerode.NetworkInspectInfo>
      ).call(this.#docker.getNetwork(id), { abortSignal }),
    );
    return Object.entries(found.Containers ?? {}).map(([key, { Name: name }]) => [key, name]);
  }

  async leave(networkId: string, containerId: string): Promise<void> {
    try {
      await call(`network ${networkId}`, this.#within('leaveMs'), (abortSignal) =>
        this.#docker.getNetwork(networkId).disconnect({ Container: containerId, Force: true, abortSignal }),
      );
    } catch (error) {
      const gone = hasCode(error, 'network-not-found', 'container-not-found');
      if (!gone && !/is not connected/.test(describeError(error))) throw error;
    }
  }

  async list(labels: readonly string[]): Promise<readonly NetworkSummary[]> {
    const listed = await call(
      'network list',
      { deadlineMs: DEADLINE_MS.look, idempotent: true },
      (abortSignal) =>
        this.#docker.listNetworks({
          filters: labelFilter(labels) as { [key: string]: string[] },
          abortSignal,
        }),
    );
    return listed.map((network) => ({
      id: network.Id,
      name: network.Name,
      subnets: (network.IPAM?.Config ?? []).flatMap((entry) => (entry.Subnet ? [entry.Subnet] : [])),
      createdAtMs: Date.parse(network.Created) || 0,
      labels: network.Labels ?? {},
    }));
  }

  async listVolumes(labels: readonly string[]): Promise<readonly string[]> {
    const listed = await call(
      'volume list',
      { deadlineMs: DEADLINE_MS.look, idempotent: true },
      (abortSignal) =>
        this.#docker.listVolumes({
          filters: labelFilter(labels) as { [key: string]: string[] },
          abortSignal,
        }),
    );
    return (listed.Volumes ?? []).map((volume) => volume.Name);
  }

  async removeVolume(name: string): Promise<void> {
    try {
      await call(`volume ${name}`, { deadlineMs: DEADLINE_MS.act }, (abortSignal) =>
        this.#docker.getVolume(name).remove({ force: true, abortSignal }),
      );
    } catch (error) {
      if (!hasCode(error, 'container-not-found')) throw error;
    }
  }
}
