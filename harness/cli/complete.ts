import yargs, { type Argv, type CommandModule } from 'yargs';
import { knownSuites } from '../suite/index.ts';
import { commandNames, isInternal, loadCommand } from './catalogue.ts';
import { setCurrentCall } from './current-call.ts';
import { offeredValues } from './offered-values.ts';
import {
  choicesOf,
  hiddenOptionNames,
  isFlag,
  optionNames,
  subcommandBuilder,
  subcommandNames,
} from './parser-facts.ts';

/**
 * Completions of the last of `words` (what stands after `squall`): command names for the first word, afterwards what
 * the command itself knows (subcommands, options, choices). An empty answer lets the shell complete file names.
 */
export async function complete(words: readonly string[]): Promise<string[]> {
  const last = words.at(-1) ?? '';
  const startsAsTyped = (name: string): boolean => name.startsWith(last);
  if (words.length <= 1) {
    return commandNames()
      .filter((name) => !isInternal(name))
      .filter(startsAsTyped);
  }
  const [name = '', ...rest] = words;
  const command = await loadCommand(name);
  if (!command) return [];
  // The last word is not finished: nothing is known by it yet.
  const finished = rest.slice(0, -1);
  setCurrentCall([name, ...finished]);
  const parser = await parserFor(command.builder, finished);
  const before = rest.at(-2) ?? '';
  if (before.startsWith('--') && !isFlag(parser, before.slice(2))) {
    const option = before.slice(2);
    return [...choicesOf(parser, option).filter(startsAsTyped), ...offeredValues(parser, option, last)];
  }
  if (last.startsWith('-')) {
    return ['help', 'yes', ...optionNames(parser), ...hiddenOptionNames(parser)]
      .map((option) => `--${option}`)
      .filter(startsAsTyped);
  }
  const positionals = [...positionalNames(command)].flatMap((positional) => choicesOf(parser, positional));
  const suites = takesSuites(command) ? knownSuites() : [];
  return [...subcommandNames(parser), ...positionals, ...suites].filter(startsAsTyped);
}

function takesSuites(command: CommandModule): boolean {
  return [...positionalNames(command)].includes('suites');
}

async function parserFor(builder: CommandModule['builder'], rest: readonly string[]): Promise<Argv> {
  const parser = yargs([...rest])
    .help(false)
    .version(false)
    .exitProcess(false);
  if (typeof builder === 'function') await builder(parser);
  else parser.options(builder ?? {});
  const deeper = rest.length > 0 ? subcommandBuilder(parser, rest[0] ?? '') : undefined;
  return deeper ? await parserFor(deeper, rest.slice(1)) : parser;
}

function positionalNames(command: CommandModule): Iterable<string> {
  const usage = Array.isArray(command.command) ? command.command[0] : command.command;
  return [...String(usage ?? '').matchAll(/[<[]([a-z]+)/g)].map((match) => match[1] ?? '');
}
