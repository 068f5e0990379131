import { SquallError } from '../errors/index.ts';
import type { RecordedEvent } from './types.ts';

interface FieldTypes {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
}

/**
 * A field that an image always writes. One that is missing would count as nothing: a check for zero would then pass for
 * the wrong reason, so it throws.
 * @throws SquallError `unreadable-event`
 */
export function requiredField<T extends keyof FieldTypes>(
  { event, node, fields }: RecordedEvent,
  name: string,
  type: T,
): FieldTypes[T] {
  const value = fields[name];
  if (typeof value === type) return value as FieldTypes[T];
  throw new SquallError(
    `event ${event} of ${node}: field "${name}" is ${JSON.stringify(value)}; expected a ${type}.`,
    {
      code: 'unreadable-event',
      facts: { event, node, field: name },
      hint: 'Compare the image’s README ("Events") with what the suite reads (its events.ts).',
    },
  );
}
