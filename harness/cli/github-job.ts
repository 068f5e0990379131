import { randomBytes } from 'node:crypto';
import { appendFile } from 'node:fs/promises';

/** What a job on GitHub Actions can be told; all of it does nothing elsewhere. */
export interface GithubJob {
  /**
   * From here on the runner takes no line of ours for a command: what nodes have logged is on its way to it. The function
   * returned lets it listen again.
   */
  quiet(): () => void;
  /** Workflow commands, a line each. */
  annotate(commands: readonly string[]): void;
  /** Adds to the job's summary. */
  summarise(markdown: string): Promise<void>;
}

/** @param write to standard output, where the runner looks for commands */
export function githubJob(
  environment: NodeJS.ProcessEnv = process.env,
  write: (text: string) => void = (text) => void process.stdout.write(text),
): GithubJob {
  const here = environment['GITHUB_ACTIONS'] === 'true';
  const summaryFile = environment['GITHUB_STEP_SUMMARY'];
  return {
    quiet() {
      if (!here) return () => undefined;
      // Nobody can end it who does not know the word.
      const token = randomBytes(16).toString('hex');
      write(`::stop-commands::${token}\n`);
      let listening = false;
      return () => {
        if (!listening) write(`::${token}::\n`);
        listening = true;
      };
    },
    annotate(commands) {
      if (here) for (const command of commands) write(`${command}\n`);
    },
    async summarise(markdown) {
      if (summaryFile) await appendFile(summaryFile, markdown);
    },
  };
}
