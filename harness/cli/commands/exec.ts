import type { CommandModule } from 'yargs';
import { EXIT, SquallError } from '../../errors/index.ts';
import { connectKeeper, createShutdown } from '../../testnet/index.ts';
import { addBedOption } from '../bed-option.ts';

interface ExecArguments {
  node: string;
  command: string[] | undefined;
  stdin: boolean;
  bed: string | undefined;
}

interface Executed {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the engine says when the image has no such program: no shell, most often. */
const NOT_FOUND_CODES: readonly number[] = [126, 127];

/** `squall exec NODE -- COMMAND…`: runs a program of the node's image inside the node. */
export const command: CommandModule<object, ExecArguments> = {
  command: 'exec <node> [command..]',
  describe: 'run a command inside a node',
  builder: (cli) =>
    addBedOption(cli)
      .positional('node', { type: 'string', demandOption: true, describe: 'one node' })
      .positional('command', {
        type: 'string',
        array: true,
        describe: 'the program and its arguments, after --',
      })
      .option('stdin', {
        type: 'boolean',
        default: false,
        describe: 'give it our standard input, read to its end',
      })
      .example('$0 exec relay-1 -- cat /etc/hosts', 'exit 0 when the program ends with 0, and 1 otherwise')
      .epilogue(
        'Images of one static binary have no shell and no tools; `squall logs` and `squall status` need none.',
      ),
  handler: async (args) => {
    const program = programOf(args.command ?? [], process.argv);
    if (program.length === 0) {
      throw new SquallError('squall exec: no program given; expected one after --', {
        code: 'no-program',
        blame: 'input',
        hint: `For example: squall exec ${args.node} -- cat /etc/hosts`,
      });
    }
    using keeper = await connectKeeper(args.bed === undefined ? {} : { bed: args.bed });
    using shutdown = createShutdown();
    const params = {
      node: args.node,
      command: program,
      ...(args.stdin ? { stdin: await readAll(process.stdin) } : {}),
    };
    try {
      const done = (await keeper.request('exec', params, { signal: shutdown.signal })) as Executed;
      // The engine hands on lines, without the end of the last.
      process.stdout.write(inLines(done.stdout));
      process.stderr.write(inLines(done.stderr));
      if (done.exitCode === 0) return;
      process.exitCode = EXIT.fail;
      const why = NOT_FOUND_CODES.includes(done.exitCode)
        ? ': no such program in the image, or it cannot be run'
        : '';
      process.stderr.write(`squall exec: ${args.node}: the program ended with code ${done.exitCode}${why}\n`);
    } catch (error) {
      if (!shutdown.received) throw error;
      process.exitCode = shutdown.exitCode;
    }
  },
};

/** What stands after `--` exactly as it was typed (a parser would make numbers of some words), else the positionals. */
export function programOf(positionals: readonly string[], argv: readonly string[]): readonly string[] {
  const at = argv.indexOf('--');
  return at < 0 ? positionals.map(String) : argv.slice(at + 1);
}

function inLines(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
