import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { systemPath } from './find-program.ts';

export interface RunOptions {
  readonly cwd?: string;
  /** Added to ours. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Each line of either output, as it comes. */
  readonly onLine?: (line: string) => void;
  /** Kept for an error message; 40 by default. */
  readonly tailLines?: number;
  /** Ends the program with SIGTERM; the promise then rejects. */
  readonly signal?: AbortSignal | undefined;
}

export interface ProgramResult {
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  readonly tail: readonly string[];
}

/** Runs a program to its end, without a shell and without standard input. Rejects when it cannot be started. */
export function runProgram(command: readonly string[], options: RunOptions = {}): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const [program = '', ...args] = command;
    const environment = { ...process.env, ...options.environment };
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...environment, PATH: systemPath(environment) },
      ...(options.cwd ? { cwd: options.cwd } : {}),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    const tail: string[] = [];
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        tail.push(line);
        if (tail.length > (options.tailLines ?? 40)) tail.shift();
        options.onLine?.(line);
      });
    }
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode: exitCode ?? undefined, tail }));
  });
}
