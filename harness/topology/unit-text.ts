import { z } from 'zod';
import { SquallError } from '../errors/index.ts';
import { parseBytes, parseDurationMs, parseRatio } from '../units/index.ts';

/** A text with a unit, read by `parse`; in the JSON Schema it stays a text. */
function unitText(parse: (text: string) => number, expected: string, examples: string[]) {
  return z
    .string(expected)
    .meta({ examples })
    .transform((text, context) => {
      try {
        return parse(text);
      } catch (error) {
        if (!(error instanceof SquallError)) throw error;
        context.addIssue({ code: 'custom', message: `${error.message}. ${error.hint ?? ''}`.trim() });
        return z.NEVER;
      }
    });
}

export const duration = unitText(parseDurationMs, 'a duration such as 500ms, 40s or 2h', [
  '500ms',
  '40s',
  '2h',
]);
export const bytes = unitText(parseBytes, 'a size such as 64MiB', ['64MiB', '1.5GiB']);
export const ratio = unitText(parseRatio, 'a share such as 50%', ['50%', '0.25']);
