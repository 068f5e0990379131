import { type Answer, isSuccess } from './request.ts';

const MESSAGE_CHARACTERS_MAX = 200;

/** An answer as a node gave it: JSON where it was some, or text; most errors of storage servers are plain text. */
export function readAnswer(status: number, body: unknown): Answer {
  const text = typeof body === 'string' ? body : `status ${status}`;
  return {
    ok: isSuccess(status),
    timeout: false,
    status,
    body,
    message: text.slice(0, MESSAGE_CHARACTERS_MAX),
  };
}
