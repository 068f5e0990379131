import type { AccountRequest } from '../session-kit/index.ts';
import type { MessageStore } from './message-store.ts';
import type { MemberResult, RpcAnswer } from './rpc-answer.ts';

/** What carrying out a request takes. */
export interface Carrier {
  readonly store: MessageStore;
  /** The node's own wall clock. */
  readonly nowMs: number;
  /** Handed on by another member of the swarm, and not to be handed on again. */
  readonly forwarded: boolean;
  /** The node's own signature as base64. */
  readonly sign: (text: Uint8Array) => string;
  readonly stored: (hash: string, request: Extract<AccountRequest, { method: 'store' }>) => void;
}

/** One method about an account, at a node that has the account. */
export interface AccountHandler<R extends AccountRequest> {
  /** @returns why it is refused, or undefined */
  readonly refuse: (request: R, carrier: Carrier) => RpcAnswer | undefined;
  /** Carries it out here. Methods for the whole swarm say what they came to; the others answer. */
  readonly act: (request: R, carrier: Carrier) => MemberResult;
}

export function refusal(status: 400 | 401 | 403 | 406, body: string): RpcAnswer {
  return { status, body };
}
