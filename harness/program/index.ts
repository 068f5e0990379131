/**
 * program: other programs of this machine, found and run to their end.
 *
 *     findProgram(name) ─▶ runProgram([program, …args]) ─▶ exit code and last lines
 *
 * PATH is searched with the system's own folders added, since daemons and network tools often lie outside a user's.
 * Not here: programs in containers (engine), and processes that outlive us (engine, testnet).
 */
export { findProgram, requireProgram, systemPath } from './find-program.ts';
export { type ProgramResult, type RunOptions, runProgram } from './run-program.ts';
