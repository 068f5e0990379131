import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, hasCode } from '../engine/index.ts';
import { combineErrors, SquallError } from '../errors/index.ts';
import { Gate, tryEach } from './bounded.ts';
import { LABEL } from './types.ts';

/** Before another round over what did not go, longer each time: a network is free only when its last container's end is known. */
const ROUND_PAUSE_MS = 100;

/** Removals in flight. The engine serialises most of a removal, so more would only lengthen its queues. */
export const REMOVE_CONCURRENCY = 4;

export interface Removed {
  readonly containers: number;
  readonly networks: number;
  readonly volumes: number;
}

interface Labelled {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface Leftovers {
  readonly containers: readonly (Labelled & { readonly createdAtMs?: number })[];
  readonly networks: readonly Labelled[];
  readonly volumes: readonly string[];
}

/** Everything that carries all of these labels (`key=value`). */
export async function listLeftovers(engine: Engine, labels: readonly string[]): Promise<Leftovers> {
  const [containers, networks, volumes] = await Promise.all([
    engine.listContainers(labels),
    engine.listNetworks(labels),
    engine.listVolumes(labels),
  ]);
  return { containers, networks, volumes };
}

export function isEmpty(left: Leftovers): boolean {
  return left.containers.length + left.networks.length + left.volumes.length === 0;
}

/**
 * Removes everything with these labels and looks again until nothing is listed: containers first (forced), then the
 * networks that they were on, then volumes. Idempotent, and safe beside another process that does the same.
 * @throws SquallError `left-behind` with what is left and every error met
 */
export async function removeResources(
  engine: Engine,
  labels: readonly string[],
  options: {
    readonly rounds?: number;
    /** Listings that must come back empty one after the other, and the pause between them. */
    readonly emptyListings?: number;
    readonly pauseMs?: number;
    readonly roundPauseMs?: number;
    readonly onProgress?: (done: number, total: number) => void;
    readonly spare?: (labels: Readonly<Record<string, string>>) => boolean;
    /** Begins nothing more and throws its reason; what is under way is awaited. */
    readonly signal?: AbortSignal;
  } = {},
): Promise<Removed> {
  if (labels.length === 0) {
    throw new SquallError('removal: no label given; expected at least one, or everything would be removed', {
      code: 'no-labels',
    });
  }
  const removed = { containers: 0, networks: 0, volumes: 0 };
  const errors: unknown[] = [];
  let empties = 0;
  for (let round = 0; round < (options.rounds ?? 5) + (options.emptyListings ?? 1); round += 1) {
    options.signal?.throwIfAborted();
    const left = await listSpared(engine, labels, options.spare);
    if (isEmpty(left)) {
      empties += 1;
      if (empties >= (options.emptyListings ?? 1)) return removed;
      await sleep(options.pauseMs ?? 0);
      continue;
    }
    empties = 0;
    errors.length = 0;
    errors.push(...(await removeOnce(engine, left, removed, options)));
    if (errors.length > 0) await sleep((options.roundPauseMs ?? ROUND_PAUSE_MS) * (round + 1));
  }
  const left = await listSpared(engine, labels, options.spare);
  if (isEmpty(left)) return removed;
  throw new SquallError(
    `clean-up of ${labels.join(', ')}: ${left.containers.length} containers, ${left.networks.length} networks and ` +
      `${left.volumes.length} volumes are left; expected none.`,
    {
      code: 'left-behind',
      facts: {
        containers: left.containers.map(({ name }) => name),
        networks: left.networks.map(({ name }) => name),
        volumes: left.volumes,
      },
      hint: 'Run `squall sweep` when the engine answers again.',
      cause: combineErrors('removal: several errors', errors),
    },
  );
}

async function listSpared(
  engine: Engine,
  labels: readonly string[],
  spare: ((labels: Readonly<Record<string, string>>) => boolean) | undefined,
): Promise<Leftovers> {
  if (!spare) return await listLeftovers(engine, labels);
  const [containers, networks] = await Promise.all([
    engine.listContainers(labels),
    engine.listNetworks(labels),
  ]);
  // A volume's labels are not listed: with something spared, volumes wait for the sweep of what was spared.
  return {
    containers: containers.filter((each) => !spare(each.labels)),
    networks: networks.filter((each) => !spare(each.labels)),
    volumes: [],
  };
}

async function removeOnce(
  engine: Engine,
  left: Leftovers,
  removed: { containers: number; networks: number; volumes: number },
  options: {
    readonly onProgress?: (done: number, total: number) => void;
    readonly signal?: AbortSignal;
  },
): Promise<unknown[]> {
  const isStopped = (): boolean => options.signal?.aborted ?? false;
  let done = 0;
  const gate = new Gate(REMOVE_CONCURRENCY);
  const beds = new Set(left.containers.map(({ labels }) => labels[LABEL.bed]));
  const container: { readonly error: unknown }[] = [];
  const attempt = async (work: () => Promise<void>): Promise<unknown> => {
    try {
      await work();
      return undefined;
    } catch (error) {
      container.push({ error });
      return error;
    }
  };
  await Promise.all(
    [...beds].map(async (bed) => {
      const networks = left.networks.filter(({ labels }) => labels[LABEL.bed] === bed);
      const removals: Promise<unknown>[] = [];
      // A network whose lock the engine holds for good answers nobody: asked once a round, not once a container.
      const silent = new Set<string>();
      for (const { id } of left.containers.filter(({ labels }) => labels[LABEL.bed] === bed)) {
        if (isStopped()) break;
        // One after another, and before the container ends: see docs/decisions/bed-removal.md.
        for (const network of networks.filter(({ id: each }) => !silent.has(each))) {
          const error = await attempt(() => engine.leaveNetwork(network.id, id));
          if (hasCode(error, 'engine-timeout')) silent.add(network.id);
        }
        const removal = gate.pass(async () => {
          if (isStopped()) return;
          await engine.removeContainer(id);
          removed.containers += 1;
          done += 1;
          options.onProgress?.(done, left.containers.length);
        });
        removals.push(attempt(() => removal));
      }
      await Promise.all(removals);
    }),
  );
  // The reason is thrown by the next round; networks that still have containers would only be errors.
  if (isStopped()) return container.map(({ error }) => error);
  const network = await tryEach(left.networks, 4, async ({ id }) => {
    await engine.removeNetwork(id);
    removed.networks += 1;
  });
  const volume = await tryEach(left.volumes, 4, async (name) => {
    await engine.removeVolume(name);
    removed.volumes += 1;
  });
  return [...container, ...network, ...volume].map(({ error }) => error);
}
