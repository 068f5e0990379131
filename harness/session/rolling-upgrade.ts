import { SquallError } from '../errors/index.ts';
import { type ImageDescription, readImages } from '../image/index.ts';
import type { RollingUpgrade, Side, Sides } from '../rehearsal/index.ts';
import { variantEnvironment } from '../testnet/index.ts';
import { parseImageSource } from '../topology/index.ts';

/**
 * What brings running nodes of these roles from the baseline to each side, and back. Their processes begin anew in their
 * containers, with what they had in files, so all sides are to be variants of one image of ours.
 * @throws SquallError `bad-rolling` (input)
 */
export function rollingUpgrade(
  roles: readonly string[],
  { baseline, candidates }: Sides,
  images: readonly ImageDescription[] = readImages(),
): RollingUpgrade {
  if (roles.length === 0)
    throw refused(
      'the topology names no `baseline` roles',
      'roles that run the baseline and can be upgraded',
    );
  const own = variantOf(baseline, images);
  const environments = [baseline, ...candidates].map((side) => {
    const { description, variant } = variantOf(side, images);
    if (description.name !== own.description.name)
      throw refused(`${side.image} is no variant of ${own.description.name}`, 'variants of one image');
    return [side.label, variantEnvironment(description, variant)] as const;
  });
  return { roles, environments: Object.fromEntries(environments), from: baseline.label };
}

function variantOf(
  { image }: Side,
  images: readonly ImageDescription[],
): { readonly description: ImageDescription; readonly variant: string } {
  const parsed = parseImageSource(image, images);
  const source = typeof parsed === 'string' ? undefined : parsed.source;
  const description = images.find(({ name }) => source?.kind === 'ours' && source.name === name);
  const variant = source?.kind === 'ours' ? source.variant : undefined;
  if (description && variant !== undefined) return { description, variant };
  throw refused(
    `${image} is no variant of an image of ours, and a container of another image has none of the node's files`,
    'sides such as fetch-node@before and fetch-node@share',
  );
}

function refused(what: string, expected: string): SquallError {
  return new SquallError(`rehearse --rolling: ${what}; expected ${expected}.`, {
    code: 'bad-rolling',
    blame: 'input',
  });
}
