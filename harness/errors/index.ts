/**
 * errors: the one base class of everything Squall throws, and the exit codes.
 *
 * A message reads *subject: what happened; expected what; within what*, and ends with what to do next.
 * A failed expectation of a system under test is a finding in the record, never an exception.
 */

export { EXIT, type ExitCode, exitCodeForSignal, exitCodeOf, strongestExit } from './exit-codes.ts';
export { combineErrors, describeError, SquallError, type SquallErrorOptions } from './squall-error.ts';
