/** Between which two parties a request failed, as far as the agent can tell. */
export type Hop = 'client' | 'proxy' | 'relay';

/** What a request of the agent ended with, in the protocol's own error grammar. */
export type Failure =
  /** Between the agent and `server`: `TIMEOUT`, `NETWORK`, `HOST`, `TRANSPORT …`. */
  | { readonly kind: 'broker'; readonly server: string; readonly error: string }
  /** `server` answered `ERR error`; a relay's answer inside a forward is the relay's. */
  | { readonly kind: 'smp'; readonly server: string; readonly error: string }
  /** `proxy` answered with `ERR error`: a session with `relay` that it was asked for, or a forward to it. */
  | {
      readonly kind: 'proxy';
      readonly command: 'PRXY' | 'PFWD';
      readonly proxy: string;
      readonly relay: string;
      readonly error: string;
    };

/** A failed request. It is a result of the system under test, told in events, and no fault of the program. */
export class AgentError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(describeFailure(failure), options);
    this.name = 'AgentError';
    this.failure = failure;
  }
}

/** `BROKER proxy-1 TIMEOUT`, `SMP relay-1 AUTH`, `PROXY proxy-1 relay-1 PROXY BROKER TIMEOUT`. */
export function describeFailure(failure: Failure): string {
  if (failure.kind === 'broker') return `BROKER ${failure.server} ${failure.error}`;
  if (failure.kind === 'smp') return `SMP ${failure.server} ${failure.error}`;
  return `PROXY ${failure.proxy} ${failure.relay} ${failure.error}`;
}

/** The broker error in it, whichever hop it is about; undefined for other errors. */
export function brokerError(failure: Failure): string | undefined {
  if (failure.kind === 'broker') return failure.error;
  return /^PROXY BROKER (.*)$/s.exec(failure.error)?.[1];
}

/** The host cannot be used, or not at this version: trying again changes nothing. */
export function isHostError(failure: Failure): boolean {
  return /^(HOST|TRANSPORT VERSION)\b/.test(brokerError(failure) ?? '');
}

/** Worth trying again by itself. */
export function isTemporary(failure: Failure): boolean {
  if (failure.kind === 'proxy' && failure.error === 'PROXY NO_SESSION') return true;
  return /^(TIMEOUT|NETWORK)\b/.test(brokerError(failure) ?? '');
}

/**
 * Which hop is to be blamed for a request to `relay`. `relay` is the way from the proxy to it, or the relay itself: what the
 * proxy says of either is the same, so that the agent cannot tell them apart.
 */
export function blamedHop(failure: Failure, relay: string): Hop {
  if (failure.kind === 'broker') return 'client';
  if (failure.kind === 'smp' && failure.server === relay) return 'relay';
  return /^PROXY (BROKER|PROTOCOL)\b/.test(failure.error) ? 'relay' : 'proxy';
}

/** What the app of the document shows its user. */
export function alertOf(failure: Failure): string {
  const broker = brokerError(failure);
  if (broker === undefined) return 'Error';
  const what = broker.startsWith('TIMEOUT') ? 'timeout' : 'error';
  return failure.kind === 'broker' ? `Connection ${what}` : `Private routing ${what}`;
}

/** The failure inside, or the error itself thrown on: anything else is a fault of the program. */
export function failureOf(error: unknown): Failure {
  if (error instanceof AgentError) return error.failure;
  throw error;
}
