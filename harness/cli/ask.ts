import { createInterface } from 'node:readline/promises';

/** A question on standard error that only `y` or `yes` agrees to; absent when nobody is there to answer. */
export function askOnTerminal(signal?: AbortSignal): ((question: string) => Promise<boolean>) | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async (question) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      const answer = await lines.question(`${question} [y/N] `, signal ? { signal } : {});
      return /^y(es)?$/i.test(answer.trim());
    } finally {
      lines.close();
    }
  };
}
