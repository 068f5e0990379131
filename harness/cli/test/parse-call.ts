import type { Argv, CommandModule } from 'yargs';
import { loadCommand } from '../catalogue.ts';
import { setCurrentCall } from '../current-call.ts';
import { buildCli } from '../main.ts';

/** Parses a call as the command line does, and does nothing. @throws what is wrong with it */
export async function parseCall(argv: readonly string[]): Promise<void> {
  setCurrentCall(argv);
  const command = await loadCommand(argv[0] ?? '');
  if (!command) throw new Error(`no command ${argv[0]}`);
  const idle: CommandModule = { ...command, builder: idleBuilder(command), handler: () => undefined };
  await buildCli(argv, idle).parseAsync();
}

/** The command's options as they are, its subcommands without what they do. */
function idleBuilder({ builder }: CommandModule): (cli: Argv) => Argv {
  return (cli) => {
    const add = cli.command.bind(cli) as (...parts: unknown[]) => Argv;
    const addIdle = (first: unknown, ...rest: unknown[]): Argv =>
      typeof first === 'object' && !Array.isArray(first)
        ? add({ ...first, handler: () => undefined })
        : add(first, rest[0], rest[1], () => undefined);
    Object.assign(cli, { command: addIdle });
    return typeof builder === 'function' ? (builder(cli as never) as Argv) : cli.options(builder ?? {});
  };
}
