import { readFileSync } from 'node:fs';
import { SquallError } from '../errors/index.ts';

/**
 * The text of a YAML file that a call names.
 * @param subject what it is: `topology`, `incident`, `exploration`
 * @throws SquallError `topology-not-found` and the like (input)
 */
export function readDocumentFile(subject: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new SquallError(`${subject} ${file}: cannot be read; expected a YAML file`, {
      code: `${subject}-not-found`,
      blame: 'input',
      facts: { file },
      cause,
    });
  }
}
