/** Where a fault of ours lies, which decides the exit code: `input` 3, `harness` 4, `void` 2. */
export type ErrorBlame = 'input' | 'harness' | 'void';

export interface SquallErrorOptions {
  /** Machine-readable and stable, in kebab-case: `engine-not-found`, `zero-targets`. */
  readonly code: string;
  /** `input`: the user's to mend (exit 3); `harness`: ours or the bed's (exit 4); `void`: proves nothing (exit 2). */
  readonly blame?: ErrorBlame;
  /** What was known when it happened; printed by `--json` and kept in records. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** What to do next, as one sentence. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** The base class of all errors that Squall throws on purpose. */
export class SquallError extends Error {
  readonly code: string;
  readonly blame: ErrorBlame;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly hint: string | undefined;

  constructor(message: string, options: SquallErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SquallError';
    this.code = options.code;
    this.blame = options.blame ?? 'harness';
    this.facts = options.facts ?? {};
    this.hint = options.hint;
  }
}

/** One line for a person: message, hint, then the chain of causes. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const hint = error instanceof SquallError && error.hint ? ` ${error.hint}` : '';
  const cause = error.cause === undefined ? '' : `\n  because: ${describeError(error.cause)}`;
  const parts =
    error instanceof AggregateError
      ? error.errors.map((part) => `\n  - ${describeError(part)}`).join('')
      : '';
  return `${error.message}${hint}${parts}${cause}`;
}

/** One error that carries them all; `undefined` when there is none, the error itself when there is one. */
export function combineErrors(message: string, errors: readonly unknown[]): unknown {
  if (errors.length === 0) return undefined;
  if (errors.length === 1) return errors[0];
  return new AggregateError(errors, message);
}
