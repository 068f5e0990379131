import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { CommandModule } from 'yargs';
import { SquallError } from '../../errors/index.ts';
import { type KeeperCard, livingBeds } from '../../testnet/index.ts';

interface AttachArguments {
  run: string;
}

const INSIDE = ['status', 'logs', 'exec', 'fault', 'faults', 'lift', 'down'] as const;
const HELP = `Commands: ${INSIDE.join(', ')}; "help", and "exit" to leave (the testnet stays).`;

/** `squall attach RUN`: a prompt whose commands go to the bed that the run kept. */
export const command: CommandModule<object, AttachArguments> = {
  command: 'attach <run>',
  describe: 'enter the bed that a run kept',
  builder: (cli) =>
    cli
      .positional('run', {
        type: 'string',
        demandOption: true,
        describe: "a run's id or its folder under reports/, or the name of a testnet that is up",
      })
      .example('$0 attach reports/latest', 'the bed of the failure that the last run kept')
      .example('echo status | $0 attach reports/latest', 'commands may come from a pipe'),
  handler: async ({ run }) => {
    const card = findKept(run);
    const prompt = process.stdin.isTTY ? `${card.bedId}> ` : '';
    if (prompt) process.stderr.write(`bed ${card.bedId} of run ${card.runId}. ${HELP}\n`);
    const lines = createInterface({
      input: process.stdin,
      output: process.stderr,
      prompt,
      terminal: prompt !== '',
    });
    lines.prompt();
    for await (const line of lines) {
      const words = splitWords(line);
      const [name] = words;
      if (name === 'exit' || name === 'quit') break;
      if (name === 'help') process.stderr.write(`${HELP}\n`);
      else if (name !== undefined && (INSIDE as readonly string[]).includes(name)) {
        process.exitCode = await runInside(card, words);
        if (name === 'down' && process.exitCode === 0) break;
      } else if (name !== undefined) process.stderr.write(`${name}: not a command here. ${HELP}\n`);
      lines.prompt();
    }
    lines.close();
  },
};

/** @throws SquallError `no-kept-bed` (input) */
function findKept(run: string): KeeperCard {
  const cards = livingBeds().map(({ card }) => card);
  const wanted = new Set([run, basename(run), runIdOfFolder(run)]);
  const found = cards.find(({ runId, bedId }) => wanted.has(runId) || wanted.has(bedId));
  if (found) return found;
  throw new SquallError(
    `run "${run}": has no bed that is kept; expected one left by --keep-on-failure or \`squall up\``,
    {
      code: 'no-kept-bed',
      blame: 'input',
      hint: 'See `squall status` for what is up.',
    },
  );
}

/** `reports/latest` is a link whose end is named after the run. */
function runIdOfFolder(path: string): string {
  try {
    return basename(realpathSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Words as a shell would split them: quotes keep spaces together. */
export function splitWords(line: string): string[] {
  return [...line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replace(
      /'([^']*)'|"([^"]*)"/g,
      (_whole, single?: string, double?: string) => single ?? double ?? '',
    ),
  );
}

function runInside(card: KeeperCard, words: readonly string[]): Promise<number> {
  const at = words.indexOf('--');
  const before = at < 0 ? words : words.slice(0, at);
  const after = at < 0 ? [] : words.slice(at);
  const main = fileURLToPath(new URL('../squall.mjs', import.meta.url));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...before, '--bed', card.bedId, ...after], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 4));
  });
}
