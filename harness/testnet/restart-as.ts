import type { Engine } from '../engine/index.ts';
import { SquallError } from '../errors/index.ts';
import { ensureImage, type ImageDescription, readImages } from '../image/index.ts';
import {
  type AddressedNode,
  parseImageSource,
  type ResolvedNode,
  type Scalar,
  settingText,
} from '../topology/index.ts';
import { awaitReady, type LoopbackGet } from './await-ready.ts';
import { type CarriedFiles, keptFolder, takeFiles } from './carried-files.ts';
import { nodeContainer } from './container-spec.ts';
import type { LiveNode } from './live-node.ts';

/** How long a process may take to end by itself before its files are taken. */
const ENDS_WITHIN_S = 10;

/** What a node becomes: another variant of its image, another image, or (neither) what the topology says. */
export interface Restart {
  readonly variant?: string;
  /** `memberlist-node@both`, `ant-node:0.23.1`, or any Docker reference. */
  readonly image?: string;
}

/**
 * Starts a node again as another variant or version: a new container with the same name, address and labels, and so a
 * new network namespace; with the files that its image says it keeps, once the process has ended by itself or was given up on.
 * Resolves when it is ready.
 * @throws SquallError `unknown-variant`, `unknown-image` (input), or of the start
 */
export async function restartNodeAs(
  node: LiveNode,
  as: Restart,
  how: {
    readonly engine: Engine;
    readonly bedId: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly networkOf: (node: AddressedNode) => string;
    readonly enroll: (node: LiveNode) => Promise<void>;
    readonly loopback: LoopbackGet;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const plan = restartPlan({ ...node.plan, environment: node.baseline }, as, readImages());
  const image = await ensureImage(how.engine, plan.image, { signal: how.signal });
  const folder = keptFolder({ image: node.source }, plan, readImages());
  const files = folder === undefined ? undefined : await endedWith(folder, node, how);
  let containerId: string;
  try {
    await how.engine.removeContainer(node.containerId);
    const spec = nodeContainer({
      node: plan,
      address: node.address,
      networkId: how.networkOf(plan),
      image,
      bedId: how.bedId,
      labels: how.labels,
    });
    containerId = await how.engine.createContainer(spec);
    try {
      await files?.into(containerId);
      await how.engine.startContainer(containerId);
    } catch (error) {
      // Its name is the node's, and whoever starts the node again needs it.
      await how.engine.removeContainer(containerId);
      throw error;
    }
  } finally {
    await files?.remove();
  }
  const state = await how.engine.inspectContainer(containerId);
  const ready = awaitReady(node, plan.readiness, how.loopback, how.signal, 'from-start', 'any-exit');
  ready.catch(() => undefined); // Awaited below; it may fail before that.
  node.containerId = containerId;
  node.image = image;
  node.source = plan.image;
  node.created = plan.environment;
  node.wanted = plan.environment;
  // The environment knows what a reset made of it since; the image's own name does not.
  node.variant = plan.image.kind === 'ours' ? plan.environment['SQUALL_VARIANT'] : undefined;
  node.began(state?.pid ?? 0);
  if (state?.running) {
    await how.enroll(node).catch(async (error: unknown) => {
      // A process that has ended cannot be entered, and its end says more than that.
      if (!(await how.engine.inspectContainer(containerId))?.running) await ready;
      throw error;
    });
  }
  node.readyNs = await ready;
}

/** The files of a node that has ended, which it had time to do by itself. */
async function endedWith(
  folder: string,
  { containerId }: LiveNode,
  { engine, signal }: { readonly engine: Engine; readonly signal: AbortSignal },
): Promise<CarriedFiles | undefined> {
  // A container that is gone already, as after a start that failed, has nothing left to give.
  if (!(await engine.inspectContainer(containerId))) return undefined;
  await engine.stopContainer(containerId, ENDS_WITHIN_S);
  return await takeFiles(engine, containerId, folder, signal);
}

/** Pure: the node's plan with another image, and the environment that carries the variant. */
export function restartPlan<N extends ResolvedNode>(
  plan: N,
  as: Restart,
  images: readonly ImageDescription[],
): N {
  if (as.image === undefined && as.variant === undefined) return plan;
  const image = as.image === undefined ? plan.image : sourceOf(as.image, images);
  if (image.kind === 'reference') {
    if (as.variant === undefined) return { ...plan, image };
    throw new SquallError(
      `node ${plan.name}: ${image.reference} is a foreign image; only images of ours have variants`,
      {
        code: 'unknown-variant',
        blame: 'input',
      },
    );
  }
  const variant = as.variant ?? image.variant;
  const description = images.find(({ name }) => name === image.name);
  return {
    ...plan,
    image: { ...image, ...(variant === undefined ? {} : { variant }) },
    environment: {
      ...plan.environment,
      ...(variant === undefined || !description ? {} : variantEnvironment(description, variant)),
    },
  };
}

/**
 * Every setting that some variant sets: to what this one says, or else to its default. What a topology set besides them
 * stays.
 */
export function variantEnvironment(
  description: ImageDescription,
  variant: string,
): Readonly<Record<string, string>> {
  const all = { ...description.variants, ...description.mutants };
  const chosen = all[variant];
  if (!chosen) {
    throw new SquallError(
      `variant "${variant}": ${description.name} has none such; expected one of ${Object.keys(all).join(', ')}`,
      { code: 'unknown-variant', blame: 'input' },
    );
  }
  const touched = new Set(Object.values(all).flatMap(({ settings }) => Object.keys(settings)));
  const entries = description.settings
    .filter(({ name }) => touched.has(name))
    .flatMap((setting): [string, string][] => {
      const value: Scalar | undefined = chosen.settings[setting.name] ?? setting.default;
      return value === undefined ? [] : [[setting.env, settingText(setting, value, 'allowed')]];
    });
  return { ...Object.fromEntries(entries), SQUALL_VARIANT: variant };
}

function sourceOf(text: string, images: readonly ImageDescription[]): AddressedNode['image'] {
  const parsed = parseImageSource(text, images);
  if (typeof parsed !== 'string') return parsed.source;
  throw new SquallError(`image "${text}": ${parsed}`, { code: 'unknown-image', blame: 'input' });
}
