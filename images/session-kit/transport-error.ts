import { SquallError } from '../../harness/errors/index.ts';

export type TransportFault =
  /** No connection came about: refused, unreachable, reset before TLS was done. */
  | 'not-connected'
  /** The other end closed in an orderly way before TLS was done. */
  | 'hung-up'
  | 'handshake-timeout'
  /** Somebody else answered at that address: its certificate is not of the key expected. */
  | 'wrong-node'
  | 'timeout'
  /** The connection went away before the answer. */
  | 'disconnected'
  | 'answer-too-large'
  /** The transport was closed, by its owner. */
  | 'closed'
  /** The signal given was aborted. */
  | 'aborted';

/** Why there is no answer. `code` is `transport-` and the fault. */
export class TransportError extends SquallError {
  readonly fault: TransportFault;
  /** Whether anything may have reached the node: if not, the request certainly did not happen. */
  readonly maybeSent: boolean;

  constructor(fault: TransportFault, subject: string, maybeSent: boolean, cause?: unknown) {
    const because = cause instanceof Error ? ` (${cause.message})` : '';
    super(`${subject}: ${fault}${because}`, {
      code: `transport-${fault}`,
      ...(cause === undefined ? {} : { cause }),
    });
    this.name = 'TransportError';
    this.fault = fault;
    this.maybeSent = maybeSent;
  }
}
