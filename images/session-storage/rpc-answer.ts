import type { HttpAnswer, WireError } from '../session-kit/index.ts';

/** An answer before anybody decided how it goes back: JSON, text or bytes. */
export interface RpcAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** What a method that every member of a swarm carries out came to at one of them. */
export type MemberResult = Readonly<Record<string, unknown>>;

export function httpAnswer({ status, body }: RpcAnswer): HttpAnswer {
  if (typeof body === 'string') return { status, text: body };
  if (body instanceof Uint8Array) return { status, bytes: body, type: 'application/octet-stream' };
  return { status, json: body };
}

/** As it stands inside the JSON of another answer: bytes become base64. */
export function embedded(body: unknown): unknown {
  return body instanceof Uint8Array ? Buffer.from(body).toString('base64') : body;
}

/** What is said of a request that cannot be read: the fault by its name, then in words. */
export function unreadable({ code, message }: WireError): RpcAnswer {
  return { status: 400, body: `invalid request: ${code}: ${message}` };
}

export function isGood({ status }: RpcAnswer): boolean {
  return status >= 200 && status <= 299;
}
