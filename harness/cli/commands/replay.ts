import type { CommandModule } from 'yargs';
import { SquallError } from '../../errors/index.ts';
import { currentCall } from '../current-call.ts';
import { onceEach } from '../refuse-repeated.ts';
import { runRequest } from '../run-options.ts';

interface ReplayArguments {
  readonly bundle: string;
  readonly secret: readonly string[];
  readonly 'parallel-beds'?: number | undefined;
  readonly reports: string;
  readonly yes?: boolean;
}

/** `squall replay BUNDLE`: the bundle's scenarios, topologies and seed, run here; its verdicts held against ours. */
export const command: CommandModule<object, ReplayArguments> = {
  command: 'replay <bundle>',
  describe: 'run a bundle again, and say whether every check says the same',
  builder: (cli) =>
    cli
      .positional('bundle', {
        type: 'string',
        demandOption: true,
        describe: 'a file that `squall bundle` wrote',
      })
      .option('secret', {
        type: 'string',
        array: true,
        nargs: 1,
        default: [] as string[],
        describe: 'NAME=VALUE of a topology’s environment that was left out of the bundle',
      })
      .option('parallel-beds', { type: 'number', describe: 'beds side by side; what the host has room for' })
      .option('reports', {
        type: 'string',
        default: 'reports',
        describe: 'folder for the record of the replay',
      })
      .example('$0 replay 20261130-080000-1a2b.squall.tar.gz', 'the same targets, the same timeline')
      .epilogue('Exit codes: 0 the same verdicts, 1 others, 2 nothing to compare, 3 wrong input, 4 broken.'),
  handler: async (args) => {
    const secrets = onceEach('--secret', args.secret.map(readSecret), { secret: true });
    const [{ executeReplay }, { findSuite, loadSuite }, { underConsole }] = await Promise.all([
      import('../../session/index.ts'),
      import('../../suite/index.ts'),
      import('../run-console.ts'),
    ]);
    await underConsole(async (around) => {
      const { text, executed, exitCode } = await executeReplay({
        bundle: args.bundle,
        secrets,
        // By name alone: a path in a bundle is somebody else's.
        loadSuite: async (name) =>
          /^[\w.-]+$/.test(name) && findSuite(`suites/${name}`)
            ? (await loadSuite(`suites/${name}`)).scenarios
            : undefined,
        command: withoutSecrets(currentCall()),
        ...runRequest(args),
        ...around,
      });
      return { output: `${text}${executed.reports.map((path) => `${path}\n`).join('')}`, exitCode };
    });
  },
};

function withoutSecrets(argv: readonly string[]): string[] {
  return argv.map((word, index) =>
    argv[index - 1] === '--secret' || word.startsWith('--secret=')
      ? word.replace(/([^-=]=).*/s, '$1[left out]')
      : word,
  );
}

function readSecret(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new SquallError('--secret: expected NAME=VALUE.', { code: 'bad-secret', blame: 'input' });
}
