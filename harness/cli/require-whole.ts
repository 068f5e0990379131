import { SquallError } from '../errors/index.ts';

/** Refuses a number of trials, beds or rounds that is none; one that is not given passes. @throws SquallError (input) */
export function requireWhole(
  option: string,
  value: number | undefined,
  { least = 1, code = `bad-${option}` }: { readonly least?: number; readonly code?: string } = {},
): void {
  if (value === undefined || (Number.isInteger(value) && value >= least)) return;
  throw new SquallError(`--${option} ${value}: expected a whole number from ${least}.`, {
    code,
    blame: 'input',
  });
}
