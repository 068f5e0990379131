import {
  DURATION,
  isRecord,
  type NodeIdentity,
  type NodeTransport,
  PATH,
  type RawRequest,
  readBody,
  type ServiceNode,
  TransportError,
  WireError,
} from '../session-kit/index.ts';
import type { StoredMessage } from './message.ts';
import { encodeBatch } from './message-batch.ts';
import { signedHeaders } from './node-signature.ts';
import type { MemberResult, RpcAnswer } from './rpc-answer.ts';

/** What a node asks of others. Every call ends within its time, whatever the other end does. */
export class Peers {
  readonly #identity: NodeIdentity;
  readonly #transport: NodeTransport;
  readonly #signal: AbortSignal;

  constructor(identity: NodeIdentity, transport: NodeTransport, signal: AbortSignal) {
    this.#identity = identity;
    this.#transport = transport;
    this.#signal = signal;
  }

  /** Lets another member of the swarm carry out a request. @returns what it came to there, `failed` with the reason included */
  async command(peer: ServiceNode, request: RawRequest): Promise<MemberResult> {
    const answer = await this.#ask(peer, PATH.swarmCommand, Buffer.from(JSON.stringify(request)));
    if (answer === 'timeout') return { failed: true, timeout: true };
    if (answer === 'bad') return { failed: true, bad_peer_response: true };
    const { status, body } = answer;
    if (status === 200 && isRecord(body)) return body;
    return { failed: true, code: status, reason: typeof body === 'string' ? body.slice(0, 200) : '' };
  }

  /** Hands messages over. @returns whether the other end has them now */
  async push(peer: ServiceNode, messages: readonly StoredMessage[]): Promise<boolean> {
    const answer = await this.#ask(peer, PATH.swarmData, encodeBatch(messages));
    return typeof answer === 'object' && answer.status === 200;
  }

  async #ask(peer: ServiceNode, path: string, body: Buffer): Promise<RpcAnswer | 'timeout' | 'bad'> {
    try {
      const answer = await this.#transport.request(peer, path, body, {
        timeoutMs: DURATION.swarmRequestMs,
        signal: this.#signal,
        headers: signedHeaders(this.#identity, peer.ed25519, path, body),
      });
      return { status: answer.status, body: readBody(answer) };
    } catch (error) {
      if (error instanceof TransportError) return 'timeout';
      if (error instanceof WireError) return 'bad';
      throw error;
    }
  }
}
