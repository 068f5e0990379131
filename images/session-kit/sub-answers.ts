import { isRecord } from './fields.ts';
import { SIZE } from './sizes.ts';

export interface SubAnswer {
  readonly code: number;
  readonly body: unknown;
}

/**
 * The answers inside an answer to a batch or sequence, by position. A sequence that stopped has fewer than were asked.
 * @returns undefined when the body is no such answer
 */
export function readSubAnswers(body: unknown): readonly SubAnswer[] | undefined {
  const results = isRecord(body) ? body['results'] : undefined;
  if (!Array.isArray(results) || results.length === 0 || results.length > SIZE.batchMax) return undefined;
  const answers: SubAnswer[] = [];
  for (const result of results) {
    const code = isRecord(result) ? result['code'] : undefined;
    if (!Number.isInteger(code) || (code as number) < 100 || (code as number) > 999) return undefined;
    answers.push({ code: code as number, body: (result as { body?: unknown }).body });
  }
  return answers;
}
