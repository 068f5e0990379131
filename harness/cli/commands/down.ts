import type { CommandModule } from 'yargs';
import { connectKeeper, livingBeds, requireBed } from '../../testnet/index.ts';
import { formatDurationMs } from '../../units/index.ts';
import { addBedOption } from '../bed-option.ts';

interface DownArguments {
  bed: string | undefined;
  all: boolean | undefined;
  json: boolean;
}

/** `squall down`: removes a testnet; faults in force end with it. */
export const command: CommandModule<object, DownArguments> = {
  command: 'down',
  describe: 'remove a testnet',
  builder: (cli) =>
    addBedOption(cli)
      .option('all', {
        type: 'boolean',
        // No default: yargs takes one for given, and it conflicts then.
        conflicts: 'bed',
        describe: 'every testnet that is up',
      })
      .option('json', { type: 'boolean', default: false, describe: 'print what was removed as JSON' })
      .example('$0 down', 'the one that is up')
      .example('$0 down --all', 'all of them'),
  handler: async (args) => {
    const cards = args.all ? livingBeds().map(({ card }) => card) : [requireBed(args.bed)];
    const removed = await Promise.all(
      cards.map(async ({ bedId }) => {
        const began = performance.now();
        using keeper = await connectKeeper({ bed: bedId });
        const { nodes } = (await keeper.request('down')) as { nodes: number };
        return { bedId, nodes, tookMs: Math.round(performance.now() - began) };
      }),
    );
    if (args.json) console.log(JSON.stringify({ removed }, null, 2));
    else if (removed.length === 0) console.log('No testnet is up.');
    for (const { bedId, nodes, tookMs } of args.json ? [] : removed) {
      console.log(`${bedId}: ${nodes} nodes removed in ${formatDurationMs(tookMs)}, nothing is left.`);
    }
  },
};
