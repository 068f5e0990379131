import { SquallError } from '../errors/index.ts';

/** The parameter whose values are the sides. */
export const SIDE = 'side';

/** One of the images that are held against each other, under the name by which tables call it. */
export interface Side {
  readonly label: string;
  readonly image: string;
}

export interface Sides {
  readonly baseline: Side;
  readonly candidates: readonly Side[];
}

/**
 * Names for the sides: their images as they were given; an image that comes again (the baseline held against itself) is
 * told apart by a number.
 * @throws SquallError `no-candidate` (input)
 */
export function nameSides(baseline: string, candidates: readonly string[]): Sides {
  if (candidates.length === 0) {
    throw new SquallError('rehearse: no candidate; expected at least one --candidate IMAGE.', {
      code: 'no-candidate',
      blame: 'input',
    });
  }
  const taken = new Map<string, number>();
  const name = (image: string): Side => {
    const times = (taken.get(image) ?? 0) + 1;
    taken.set(image, times);
    return { image, label: times === 1 ? image : `${image} (${times})` };
  };
  return { baseline: name(baseline), candidates: candidates.map(name) };
}
