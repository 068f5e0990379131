import type { PoolNode } from './pool-node.ts';

/** A storage request on its way to one node. */
export interface ClientRequest {
  readonly id: string;
  readonly to: PoolNode;
  readonly method: string;
  readonly params: unknown;
  /** The account that each sub-request is for, in order; one for a request that is not a batch. */
  readonly accounts: readonly (string | undefined)[];
  /** How often it was sent again after a 421. */
  readonly retries: number;
  readonly timeoutMs: number;
}

/** What came of it. A status below 0 is an error of our own (see errors.ts). */
export interface Answer {
  readonly ok: boolean;
  readonly timeout: boolean;
  readonly status: number;
  /** The JSON of the answer, which is a stranger's. */
  readonly body?: unknown;
  /** For a person: the answer's text, or what went wrong. */
  readonly message: string;
  /** Whom we send to could not be reached, or is reached no more; `struck` when it was struck for that already. */
  readonly unreached?: { readonly struck: boolean };
}

export type OnAnswer = (answer: Answer) => void;

export function failure(status: number, message: string, facts: Partial<Answer> = {}): Answer {
  return { ok: false, timeout: false, ...facts, status, message };
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}
