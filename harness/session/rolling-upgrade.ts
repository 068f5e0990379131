import { SquallError } from '../errors/index.ts';
import { type ImageDescription, readImages } from '../image/index.ts';
import type { RollingUpgrade, Side, Sides } from '../rehearsal/index.ts';
import { keptFolder, variantEnvironment } from '../testnet/index.ts';
import { parseImageSource, type RehearsalSpec, type ResolvedTopology } from '../topology/index.ts';

/**
 * What brings running nodes of the baseline's roles from the baseline to each side, and back. Variants of one image begin anew in
 * their containers, with what they had in files. Versions of an image that says what it keeps get new containers, with those files.
 * @throws SquallError `bad-rolling` (input)
 */
export function rollingUpgrade(
  { baseline: roles, rolling }: Pick<RehearsalSpec, 'baseline' | 'rolling'>,
  { baseline, candidates }: Sides,
  images: readonly ImageDescription[] = readImages(),
): RollingUpgrade {
  if (roles.length === 0)
    throw refused(
      'the topology names no `baseline` roles',
      'roles that run the baseline and can be upgraded',
    );
  const own = imageOf(baseline, images);
  const changes = [baseline, ...candidates].map((side) => {
    const { description, variant } = imageOf(side, images);
    if (description.name !== own.description.name)
      throw refused(
        `${side.image} is no ${own.description.name}`,
        `variants or versions of ${own.description.name}, as the baseline is`,
      );
    if (description.keeps !== undefined) return [side.label, { image: side.image }] as const;
    if (variant !== undefined)
      return [side.label, { environment: variantEnvironment(description, variant) }] as const;
    throw refused(
      `${side.image} is no variant, and ${description.name} does not say which files another version keeps`,
      'variants such as fetch-node@share, or an image whose image.json has `keeps`',
    );
  });
  return {
    roles,
    changes: Object.fromEntries(changes),
    from: baseline.label,
    ...(rolling && { serves: { event: rolling.event, timeoutMs: rolling.timeout } }),
  };
}

/**
 * That every node which becomes another version in a new container keeps its files there.
 * @throws SquallError `bad-rolling` (input)
 */
export function requireKept(
  { roles, changes }: RollingUpgrade,
  { nodes }: ResolvedTopology,
  images: readonly ImageDescription[] = readImages(),
): void {
  if (!Object.values(changes).some((change) => 'image' in change)) return;
  const losing = nodes.find(
    (node) => roles.includes(node.role) && keptFolder(node, node, images) === undefined,
  );
  if (!losing) return;
  throw refused(
    `${losing.name} has its files on a disk that goes with its container`,
    'nodes without `tmpfs` (and without a disturbance that fills their disks)',
  );
}

function imageOf(
  { image }: Side,
  images: readonly ImageDescription[],
): { readonly description: ImageDescription; readonly variant: string | undefined } {
  const parsed = parseImageSource(image, images);
  const source = typeof parsed === 'string' ? undefined : parsed.source;
  const description = images.find(({ name }) => source?.kind === 'ours' && source.name === name);
  if (description) return { description, variant: source?.kind === 'ours' ? source.variant : undefined };
  throw refused(
    `${image} is no image of ours, so nobody says which of its files another version is to find`,
    'sides such as fetch-node@before and fetch-node@share, or ant-node:0.22.0 and ant-node:0.23.1',
  );
}

function refused(what: string, expected: string): SquallError {
  return new SquallError(`rehearse --rolling: ${what}; expected ${expected}.`, {
    code: 'bad-rolling',
    blame: 'input',
  });
}
