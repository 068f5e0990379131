import type { CommandModule } from 'yargs';
import { EXIT, SquallError } from '../../errors/index.ts';

import { connectKeeper, createShutdown, showControl } from '../../testnet/index.ts';
import { addBedOption } from '../bed-option.ts';

interface AskArguments {
  readonly nodes: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly get: boolean;
  readonly bed: string | undefined;
}

interface Answer {
  readonly node: string;
  readonly status: number;
  readonly body: string;
}

/** `squall ask NODES PATH [BODY]`: a request to the admin port of nodes of ours; a POST where a body is given. */
export const command: CommandModule<object, AskArguments> = {
  command: 'ask <nodes> <path> [body]',
  describe: "ask nodes' admin ports: state, links, messages, storms",
  builder: (cli) =>
    addBedOption(cli)
      .positional('nodes', { type: 'string', demandOption: true, describe: 'selector of the nodes' })
      .positional('path', { type: 'string', demandOption: true, describe: 'such as /state' })
      .positional('body', { type: 'string', describe: 'JSON; makes it a POST' })
      .option('get', { type: 'boolean', default: false, describe: 'GET, also for paths other than /state' })
      .example('$0 ask app-1 /state', 'what the node says of itself, in full')
      .example(`$0 ask app-1 /link '{}'`, 'a POST; each image says in its README what it can be asked')
      .epilogue(
        'Exit 0 when every node answered 2xx, else 1. The port is on the loopback of the node; no fault touches it.',
      ),
  handler: async (args) => {
    const request = requestOf(args);
    using keeper = await connectKeeper(args.bed === undefined ? {} : { bed: args.bed });
    using shutdown = createShutdown();
    try {
      const answers = (await keeper.request('admin', request, {
        signal: shutdown.signal,
      })) as readonly Answer[];
      for (const { node, status, body } of answers) {
        process.stdout.write(
          `${answers.length > 1 || status >= 300 ? `${node} ${status} ` : ''}${showControl(body.trim())}\n`,
        );
      }
      if (answers.some(({ status }) => status < 200 || status >= 300)) process.exitCode = EXIT.fail;
    } catch (error) {
      if (!shutdown.received) throw error;
      process.exitCode = shutdown.exitCode;
    }
  },
};

/** @throws SquallError `bad-body` (input) */
export function requestOf({ nodes, path, body, get }: Pick<AskArguments, 'nodes' | 'path' | 'body' | 'get'>) {
  if (body === undefined) {
    const method = get || path === '/state' || path === '/healthz' ? 'GET' : 'POST';
    return { selector: nodes, method, path } as const;
  }
  try {
    return { selector: nodes, method: 'POST', path, body: JSON.parse(body) as unknown } as const;
  } catch (cause) {
    throw new SquallError(
      `squall ask: body ${JSON.stringify(body)} is no JSON; expected an object such as '{"link": "…"}'.`,
      {
        code: 'bad-body',
        blame: 'input',
        cause,
      },
    );
  }
}
