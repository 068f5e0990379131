/**
 * What a bed keeper and its clients say to each other: JSON lines over a local socket.
 *
 *   → {"id":1,"op":"status","params":{}}
 *   ← {"id":1,"ok":true,"result":{…}}       or {"id":1,"ok":false,"error":{"code","message","blame","hint"}}
 *   ← {"id":1,"chunk":…}                    any number before the answer, for logs and progress
 *
 * A client that closes its side ends what it asked for; the bed lives on.
 */
import { z } from 'zod';
import { SquallError } from '../errors/index.ts';

export const keeperRequest = z.object({
  id: z.number(),
  op: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
});

const wireError = z.object({
  code: z.string(),
  message: z.string(),
  blame: z.enum(['input', 'harness', 'void']),
  hint: z.string().optional(),
  facts: z.record(z.string(), z.unknown()).optional(),
});
export type WireError = z.infer<typeof wireError>;

export const keeperMessage = z.union([
  z.object({ id: z.number(), chunk: z.unknown() }).strict(),
  z.object({ id: z.number(), ok: z.literal(true), result: z.unknown() }).strict(),
  z.object({ id: z.number(), ok: z.literal(false), error: wireError }).strict(),
]);

/** Longest line that either side accepts: a body of an admin answer fits, a runaway does not. */
export const MAX_MESSAGE_CHARACTERS = 32 * 1_048_576;

export function toWireError(error: unknown): WireError {
  if (error instanceof SquallError) {
    const causes = describeCauses(error.cause);
    return {
      code: error.code,
      message: `${error.message}${causes}`,
      blame: error.blame,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      facts: plain(error.facts),
    };
  }
  const message = error instanceof Error ? `${error.message}${describeCauses(error.cause)}` : String(error);
  return { code: 'keeper-failed', message, blame: 'harness' };
}

export function fromWireError(error: WireError): SquallError {
  return new SquallError(error.message, {
    code: error.code,
    blame: error.blame,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(error.facts === undefined ? {} : { facts: error.facts }),
  });
}

function describeCauses(cause: unknown): string {
  if (cause === undefined) return '';
  const message = cause instanceof Error ? cause.message : String(cause);
  return `\n  because: ${message}${cause instanceof Error ? describeCauses(cause.cause) : ''}`;
}

/** Facts as JSON can carry them. */
function plain(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(facts, (_key, value) => (typeof value === 'bigint' ? String(value) : value)),
  ) as Record<string, unknown>;
}
