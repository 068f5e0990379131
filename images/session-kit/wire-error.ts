import { SquallError } from '../../harness/errors/index.ts';

/** What can be wrong with bytes that came from somewhere else. */
export type WireFault =
  | 'too-large'
  | 'invalid-utf8'
  | 'not-json'
  | 'too-deep'
  | 'unsafe-number'
  | 'wrong-shape'
  | 'bad-node-record'
  | 'bad-onion-layer'
  /** It does not decrypt with the key that it should: nobody says who wrote it. */
  | 'not-authentic';

/** Bytes or JSON of a stranger that are refused. `code` is the fault. */
export class WireError extends SquallError {
  override readonly code: WireFault;

  constructor(fault: WireFault, message: string, cause?: unknown) {
    super(message, { code: fault, ...(cause === undefined ? {} : { cause }) });
    this.name = 'WireError';
    this.code = fault;
  }
}
