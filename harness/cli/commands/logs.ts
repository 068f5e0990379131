import type { CommandModule } from 'yargs';
import { connectKeeper, createShutdown, type HubLine, showControl } from '../../testnet/index.ts';
import { addBedOption } from '../bed-option.ts';

interface LogsArguments {
  node: string;
  follow: boolean;
  tail: number | undefined;
  bed: string | undefined;
}

/** `squall logs NODE [-f]`: what a node (or a selector of nodes) has said. */
export const command: CommandModule<object, LogsArguments> = {
  command: 'logs <node>',
  describe: "a node's log, followed with -f",
  builder: (cli) =>
    addBedOption(cli)
      .positional('node', { type: 'string', demandOption: true, describe: 'a node, or a selector of nodes' })
      .option('follow', { alias: 'f', type: 'boolean', default: false, describe: 'go on with what comes' })
      .option('tail', { alias: 'n', type: 'number', describe: 'begin with the last lines only' })
      .example('$0 logs member-1', 'all of it (the last 100,000 lines)')
      .example("$0 logs 'member[1..3]' -f -n 10", 'three nodes as they go, each line with its node'),
  handler: async (args) => {
    using keeper = await connectKeeper(args.bed === undefined ? {} : { bed: args.bed });
    using shutdown = createShutdown();
    // On a terminal a node's bytes must not steer it; into a pipe they go as they are.
    const clean = process.stdout.isTTY ? showControl : (text: string): string => text;
    const several = !/^[\w-]+-\d+$/.test(args.node);
    const onChunk = (chunk: unknown): void => {
      const { node, line } = chunk as HubLine;
      process.stdout.write(several ? `${node} | ${clean(line)}\n` : `${clean(line)}\n`);
    };
    const params = {
      selector: args.node,
      follow: args.follow,
      ...(args.tail === undefined ? {} : { tail: args.tail }),
    };
    try {
      await keeper.request('logs', params, { onChunk, signal: shutdown.signal });
    } catch (error) {
      if (!shutdown.received) throw error;
      process.exitCode = shutdown.exitCode;
    }
  },
};
