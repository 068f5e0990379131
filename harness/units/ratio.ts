import { SquallError } from '../errors/index.ts';

/** A ratio 0..1 of `30%`, `0.3` or `1`. @throws SquallError `bad-ratio` (input) */
export function parseRatio(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim());
  const value = match ? Number(match[1]) / (match[2] ? 100 : 1) : Number.NaN;
  if (!(value >= 0 && value <= 1)) {
    throw new SquallError(`ratio "${text}": not understood; expected a share between 0 and 1`, {
      code: 'bad-ratio',
      blame: 'input',
      hint: 'Write it as 30% or 0.3.',
    });
  }
  return value;
}
