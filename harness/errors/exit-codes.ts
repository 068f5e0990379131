import { constants } from 'node:os';
import { SquallError } from './squall-error.ts';

/** Exit codes, the same for every command (design, "Verdicts"). */
export const EXIT = { pass: 0, fail: 1, inconclusive: 2, usage: 3, broken: 4 } as const;
export type ExitCode = number;

/** 128 + the signal's number: SIGINT 130, SIGTERM 143, SIGHUP 129. */
export function exitCodeForSignal(signal: NodeJS.Signals): ExitCode {
  return 128 + constants.signals[signal];
}

/** The exit code that an error thrown out of a command stands for. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof SquallError) {
    if (error.blame === 'input') return EXIT.usage;
    if (error.blame === 'void') return EXIT.inconclusive;
  }
  return EXIT.broken;
}

/** Precedence when several apply (contracts, "Command line"): 3 > 130 > 4 > 1 > 2 > 0. */
export function strongestExit(codes: readonly ExitCode[]): ExitCode {
  const rank = (code: ExitCode): number => {
    if (code === EXIT.usage) return 5;
    if (code > 128) return 4;
    if (code === EXIT.broken) return 3;
    if (code === EXIT.fail) return 2;
    if (code === EXIT.inconclusive) return 1;
    return 0;
  };
  return codes.reduce((strongest, code) => (rank(code) > rank(strongest) ? code : strongest), EXIT.pass);
}
