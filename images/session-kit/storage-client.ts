import type { NodeTarget } from './connect-node.ts';
import type { NodeTransport, RequestOptions, TransportAnswer } from './node-transport.ts';
import { type InnerAnswer, openAnswer } from './onion-answer.ts';
import { type BuiltOnion, buildOnion, type Hop } from './onion-layer.ts';
import { parseJson } from './parse-json.ts';
import type { RawRequest } from './rpc-request.ts';
import { PATH } from './sizes.ts';

/** The body of a storage RPC request. */
export function rpcBody(request: RawRequest): Buffer {
  return Buffer.from(JSON.stringify(request));
}

/**
 * An answer's body by its type: JSON, text, or bytes.
 * @throws WireError for JSON that is refused
 */
export function readBody({ type, body }: Pick<TransportAnswer, 'type' | 'body'>): unknown {
  if (type.startsWith('application/json')) return parseJson(body);
  return type.startsWith('application/octet-stream') ? body : body.toString('utf8');
}

/**
 * Asks a node directly. The connection shows who answered, so that the status is the node's own.
 * @throws TransportError without an answer; WireError for one that is refused
 */
export async function askNode(
  transport: NodeTransport,
  target: NodeTarget,
  request: RawRequest,
  options: RequestOptions,
): Promise<InnerAnswer> {
  const answer = await transport.request(target, PATH.rpc, rpcBody(request), options);
  return { status: answer.status, body: readBody(answer) };
}

/** What came back over a path: opened when it is the destination's, else as whoever it was wrote it. */
export type OnionOutcome =
  | { readonly authentic: true; readonly answer: InnerAnswer }
  | { readonly authentic: false; readonly status: number; readonly text: string };

/**
 * Asks a node over a path. Only what opens with the destination's key is its answer; anything else may come from any node of
 * the path. @throws TransportError without any answer; WireError when the destination itself wrote nonsense
 */
export async function askOverPath(
  transport: NodeTransport,
  path: readonly (Hop & NodeTarget)[],
  destination: Hop & NodeTarget,
  request: RawRequest,
  options: RequestOptions,
): Promise<OnionOutcome> {
  const first = path[0] ?? destination;
  const onion = buildOnion(rpcBody(request), { kind: 'node', node: destination }, path);
  return outcomeOf(await transport.request(first, PATH.onion, onion.body, options), onion);
}

/** @throws WireError when the destination itself wrote nonsense */
export function outcomeOf(answer: TransportAnswer, onion: BuiltOnion): OnionOutcome {
  try {
    return { authentic: true, answer: openAnswer(answer.body, onion.answerKey) };
  } catch (error) {
    if (!isNotAuthentic(error)) throw error;
    return { authentic: false, status: answer.status, text: answer.body.toString('utf8') };
  }
}

function isNotAuthentic(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === 'not-authentic';
}
