import { describeError, EXIT, type ExitCode, strongestExit } from '../errors/index.ts';
import { redactText } from '../record/index.ts';
import { broadcast, createLiveConsole, plainText } from '../report/index.ts';
import { createShutdown, type Shutdown } from '../testnet/index.ts';

/** What a long command has around it: a console that tells how it goes, and signals that end it in an orderly way. */
export interface RunConsole {
  readonly observer: ReturnType<typeof broadcast>;
  readonly shutdown: Shutdown;
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
    const { output, exitCode } = await work({ observer, shutdown });
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
