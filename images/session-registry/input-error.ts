import { SquallError } from '../../harness/errors/index.ts';

/** Something that a caller has to mend: a change of an epoch, a setting. */
export function inputError(message: string): SquallError {
  return new SquallError(message, { code: 'bad-epoch', blame: 'input' });
}
