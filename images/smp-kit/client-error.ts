import { SquallError } from '../../harness/errors/index.ts';
import { errorText, type SmpError, type TransportError } from './smp-error.ts';

/** Why a client has no answer to use. */
export type ClientFailure =
  /** The server answered ERR. */
  | { readonly kind: 'protocol'; readonly error: SmpError }
  /** The answer was none that can be read. */
  | { readonly kind: 'response'; readonly error: SmpError }
  /** An answer to something else. */
  | { readonly kind: 'unexpected'; readonly text: string }
  /** No answer in time. The command may have been carried out. */
  | { readonly kind: 'timeout' }
  /** There is no connection: refused, cut, no TLS, a certificate of somebody else. */
  | { readonly kind: 'network'; readonly detail: string }
  /** No host of the address can be reached from here: onion without Tor. */
  | { readonly kind: 'host' }
  | { readonly kind: 'transport'; readonly transport: TransportError }
  /** The answer was not sealed by whom it should be. */
  | { readonly kind: 'crypto' };

/** What requests and connecting reject with; `code` is `smp-` and the failure's kind. */
export class SmpClientError extends SquallError {
  readonly failure: ClientFailure;

  constructor(subject: string, failure: ClientFailure, cause?: unknown) {
    super(`${subject}: ${failureText(failure)}`, {
      code: `smp-${failure.kind}`,
      facts: { failure: failureText(failure) },
      ...(cause === undefined ? {} : { cause }),
    });
    this.name = 'SmpClientError';
    this.failure = failure;
  }
}

/** One line: `TIMEOUT`, `NETWORK connect ECONNREFUSED …`, `AUTH`. */
export function failureText(failure: ClientFailure): string {
  switch (failure.kind) {
    case 'protocol':
      return errorText(failure.error);
    case 'response':
      return `RESPONSE ${errorText(failure.error)}`;
    case 'unexpected':
      return `UNEXPECTED ${failure.text}`;
    case 'network':
      return `NETWORK ${failure.detail}`;
    case 'transport':
      return `TRANSPORT ${failure.transport}`;
    default:
      return failure.kind.toUpperCase();
  }
}
