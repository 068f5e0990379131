import type { Argv, CommandModule } from 'yargs';
import { Parser } from 'yargs/helpers';

/** What a yargs parser knows; its typings leave these out. */
interface ParserInternals {
  getOptions(): {
    readonly key: Readonly<Record<string, unknown>>;
    readonly boolean: readonly string[];
    readonly choices: Readonly<Record<string, readonly unknown[]>>;
    readonly hiddenOptions: readonly string[];
  };
  getInternalMethods(): {
    getCommandInstance(): {
      getCommands(): string[];
      getCommandHandlers(): Readonly<Record<string, { readonly builder?: CommandModule['builder'] }>>;
    };
    getUsageInstance(): { cacheHelpMessage(): void };
  };
}

/** Long names of the options that the parser knows, in kebab-case. */
export function optionNames(parser: Argv): string[] {
  const { key, hiddenOptions } = (parser as unknown as ParserInternals).getOptions();
  return Object.keys(key).filter(
    (name) =>
      name.length > 1 && !name.startsWith('$') && !/[A-Z]/.test(name) && !hiddenOptions.includes(name),
  );
}

/** Options that are in no list of the help, as they are declared: settings of a fault's kind. */
export function hiddenOptionNames(parser: Argv): string[] {
  return [...new Set((parser as unknown as ParserInternals).getOptions().hiddenOptions)];
}

/** The words that are neither options nor values of options, as this parser reads them. */
export function plainWords(parser: Argv, words: readonly string[]): string[] {
  const options: unknown = (parser as unknown as ParserInternals).getOptions();
  return Parser([...words], options as Parameters<typeof Parser>[1])._.map(String);
}

/** Whether the option stands for itself, with no value after it. */
export function isFlag(parser: Argv, name: string): boolean {
  return (parser as unknown as ParserInternals).getOptions().boolean.includes(name);
}

/** Allowed values of an option or positional; empty when anything goes. */
export function choicesOf(parser: Argv, name: string): string[] {
  return ((parser as unknown as ParserInternals).getOptions().choices[name] ?? []).map(String);
}

/** Names of the parser's subcommands. */
export function subcommandNames(parser: Argv): string[] {
  return (parser as unknown as ParserInternals).getInternalMethods().getCommandInstance().getCommands();
}

/** The builder of a subcommand, to look one level deeper. */
export function subcommandBuilder(parser: Argv, name: string): CommandModule['builder'] | undefined {
  const handlers = (parser as unknown as ParserInternals)
    .getInternalMethods()
    .getCommandInstance()
    .getCommandHandlers();
  return handlers[name]?.builder;
}

/**
 * Once a command has begun, yargs lays out the help of all its options, to have it at hand should the command fail. We show
 * no help for failures, and that layout takes longer than all the rest of parsing.
 */
export function keepNoHelp(parser: Argv): void {
  const usage = (parser as unknown as ParserInternals).getInternalMethods().getUsageInstance();
  usage.cacheHelpMessage = () => undefined;
}
