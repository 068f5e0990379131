import { describeError, EXIT, type ExitCode, strongestExit } from '../errors/index.ts';
import { redactText } from '../record/index.ts';
import { broadcast, createLiveConsole, plainText } from '../report/index.ts';
import { createShutdown } from '../testnet/index.ts';
import { askOnTerminal } from './ask.ts';

/**
 * What a long command has around it, as a part of its request to the session: a console that tells how it goes, signals
 * that end it in an orderly way, and somebody to ask, if anybody is there.
 */
export interface RunConsole {
  readonly observer: ReturnType<typeof broadcast>;
  readonly signal: AbortSignal;
  readonly ask?: (question: string) => Promise<boolean>;
}

/**
 * Runs long work under a live console on standard error; its results go to standard output afterwards. A signal aborts
 * it once; what it then still says and writes is kept, and the exit code is the signal's where nothing stronger stands.
 */
export async function underConsole(
  work: (console: RunConsole) => Promise<{ readonly output: string; readonly exitCode: ExitCode }>,
): Promise<void> {
  const say = (text: string): void => void process.stderr.write(`${plainText(redactText(text))}\n`);
  const observer = broadcast(
    [createLiveConsole({ target: process.stderr, nowMs: () => performance.now() })],
    say,
  );
  using shutdown = createShutdown({
    onSignal: (signal) => observer.noted(`${signal}: lifting faults, removing beds, writing what there is`),
    onRepeat: (signal) => observer.noted(`${signal} again: the clean-up goes on`),
  });
  try {
    const ask = askOnTerminal(shutdown.signal);
    const { output, exitCode } = await work({ observer, signal: shutdown.signal, ...(ask && { ask }) });
    await observer.closed();
    process.stdout.write(output);
    process.exitCode = strongestExit([exitCode, shutdown.exitCode ?? EXIT.pass]);
  } catch (error) {
    await observer.closed();
    if (shutdown.exitCode === undefined) throw error;
    say(describeError(error));
    process.exitCode = shutdown.exitCode;
  }
}
