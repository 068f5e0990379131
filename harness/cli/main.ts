import yargs, { type Argv, type CommandModule } from 'yargs';
import { describeError, EXIT, exitCodeOf, SquallError, strongestExit } from '../errors/index.ts';
import { commandNames, isInternal, loadCommand, SUMMARIES } from './catalogue.ts';
import { setCurrentCall } from './current-call.ts';
import { squallVersion } from './package-facts.ts';
import { hiddenOptionNames, keepNoHelp, optionNames, subcommandNames } from './parser-facts.ts';
import { type KnownOptions, refuseRepeated } from './refuse-repeated.ts';
import { didYouMean } from './suggest.ts';
import { usageError } from './usage-error.ts';

/**
 * Runs one call of the command line and leaves its outcome in `process.exitCode`. The process then ends by itself, when
 * everything written has been taken; nothing here calls `process.exit`.
 */
export async function main(argv: readonly string[]): Promise<void> {
  surviveClosedPipes();
  // What ends in an uncaught error or rejection ends as a broken harness, never as a pass.
  process.on('uncaughtException', reportAndFail);
  process.on('unhandledRejection', reportAndFail);
  try {
    await dispatch(argv);
  } catch (error) {
    await reportAndFail(error);
  }
}

/** One call, in this process; what is wrong with it is thrown. */
export async function dispatch(argv: readonly string[]): Promise<void> {
  setCurrentCall(argv);
  const name = argv.find((word) => !word.startsWith('-'));
  if (argv[0] === '__complete') {
    const { complete } = await import('./complete.ts');
    process.stdout.write((await complete(argv.slice(1))).map((line) => `${line}\n`).join(''));
    return;
  }
  const command = name === undefined ? undefined : await loadCommand(name);
  if (name !== undefined && command === undefined) {
    throw new SquallError(
      `squall ${name}: no such command. ${didYouMean(
        name,
        commandNames().filter((known) => !isInternal(known)),
      )}`,
      {
        code: 'unknown-command',
        blame: 'input',
        hint: 'See `squall --help`.',
      },
    );
  }
  refuseEarlyOptions(argv, name);
  const cli = buildCli(argv, command);
  if (name === undefined && !argv.includes('--help') && !argv.includes('--version')) {
    cli.showHelp((text) => process.stderr.write(`${text}\n`));
    throw new SquallError(
      argv.length === 0
        ? 'squall: no command given.'
        : `squall ${argv.join(' ')}: options without a command.`,
      { code: 'no-command', blame: 'input', hint: 'Start with `squall doctor`, or `squall run SUITE`.' },
    );
  }
  await cli.parseAsync();
}

/** What may stand before the command: the options of every call. */
const EARLY_OPTIONS = ['--yes', '--no-yes', '--help', '--version', '-h', '--'];

/**
 * An option that nobody knows yet takes the next word as its value, which is then the command's name: `--yess doctor` would
 * be no command at all. With its value behind `=` it is the command's business.
 */
function refuseEarlyOptions(argv: readonly string[], name: string | undefined): void {
  const early = argv.slice(0, name === undefined ? argv.length : argv.indexOf(name));
  const unknown = early.find((word) => !EARLY_OPTIONS.includes(word) && !word.includes('='));
  if (unknown === undefined) return;
  const known = EARLY_OPTIONS.filter((option) => option.length > 2).map((option) => option.slice(2));
  const meant = didYouMean(unknown.replace(/^-+/, ''), known, '--');
  throw new SquallError(`squall: ${unknown}: no such option before a command. ${meant}`, {
    code: 'unknown-option',
    blame: 'input',
    hint: name === undefined ? 'See `squall --help`.' : `Options of \`squall ${name}\` stand behind it.`,
  });
}

/** The parser for one call. Only the command that was called is loaded; the others are names for the help text. */
export function buildCli(argv: readonly string[], command: CommandModule | undefined): Argv {
  const words: string[] = [];
  const cli = yargs([...argv])
    .scriptName('squall')
    .locale('en')
    .usage(
      'Breaks the network under real nodes in containers, and says whether the system recovered.\n\n$0 <command>',
    )
    .option('yes', {
      type: 'boolean',
      global: true,
      describe: 'answer every prompt with yes (also CI=true)',
    })
    .help()
    .version(squallVersion())
    .alias('help', 'h')
    .strict()
    .demandCommand(1)
    .exitProcess(false)
    .showHelpOnFail(false)
    .check((args, options) => {
      refuseRepeated(args, options as unknown as KnownOptions, argv);
      return true;
    }, true)
    .wrap(Math.min(110, process.stdout.columns ?? 110))
    .example('$0 doctor', 'what this host can do')
    .example('$0 run suites/memberlist --grid gate', 'the quick gate')
    .example('$0 up topologies/memberlist-16.yaml', 'a testnet to play with')
    .example("$0 fault hold --on 'member[1..3]' --for 10s", 'hold the packets of three nodes for ten seconds')
    .epilogue(
      'Exit codes: 0 pass, 1 fail, 2 inconclusive, 3 wrong usage or input, 4 harness or bed broken, 130 interrupted.',
    )
    .fail((message: string | null, error: Error | undefined) => {
      if (error instanceof Error && !isYargsError(error)) throw error;
      throw usageError(message ?? error?.message ?? 'wrong usage', {
        words: words.join(' '),
        argv,
        options: [...optionNames(cli), ...hiddenOptionNames(cli)],
        subcommands: subcommandNames(cli),
      });
    });
  keepNoHelp(cli);
  const called = argv.find((word) => !word.startsWith('-'));
  for (const name of commandNames()) {
    if (command && name === called) continue;
    const entry = SUMMARIES[name];
    if (entry) cli.command(entry.usage, entry.summary);
  }
  if (command) {
    words.push(called ?? '');
    cli.command(command);
  }
  return cli;
}

function isYargsError(error: Error): boolean {
  return error.name === 'YError';
}

async function reportAndFail(error: unknown): Promise<void> {
  process.exitCode = strongestExit([Number(process.exitCode ?? EXIT.pass), exitCodeOf(error)]);
  // An error that nobody meant to throw is a fault of ours: its stack is what a bug report needs.
  const stack = error instanceof Error && !(error instanceof SquallError) ? `\n${error.stack ?? ''}` : '';
  // Loaded here: a call that ends well has no need of it.
  const { redactText } = await import('../record/index.ts');
  process.stderr.write(`squall: ${redactText(describeError(error))}${stack}\n`);
}

/** `squall plan … | head` is no error: once the reader has gone, what is left to say is dropped. */
function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
