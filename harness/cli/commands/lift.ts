import type { CommandModule } from 'yargs';
import { EXIT, SquallError } from '../../errors/index.ts';
import type { FaultRecord } from '../../record/index.ts';
import { connectKeeper } from '../../testnet/index.ts';
import { addBedOption } from '../bed-option.ts';
import { recordText } from '../fault-text.ts';

interface LiftArguments {
  id: string | undefined;
  all: boolean | undefined;
  bed: string | undefined;
  json: boolean;
}

/** `squall lift ID`: ends a fault now; what it held is delivered, late and in order. */
export const command: CommandModule<object, LiftArguments> = {
  command: 'lift [id]',
  describe: 'lift one fault, or all',
  builder: (cli) =>
    addBedOption(cli)
      .positional('id', { type: 'string', describe: 'as `squall faults` shows it' })
      .option('all', {
        type: 'boolean',
        // No default: yargs takes one for given, and it conflicts then.
        conflicts: 'id',
        describe: 'all of them, last in first out',
      })
      .option('json', { type: 'boolean', default: false, describe: 'print the records as JSON' })
      .example('$0 lift hold-1', '')
      .example('$0 lift --all', ''),
  handler: async (args) => {
    if (args.id === undefined && !args.all) {
      throw new SquallError('squall lift: no fault named; expected its id, or --all', {
        code: 'bad-usage',
        blame: 'input',
        hint: 'See `squall faults`.',
      });
    }
    using keeper = await connectKeeper(args.bed === undefined ? {} : { bed: args.bed });
    const params = args.id === undefined ? { all: true } : { id: args.id };
    const { lifted } = (await keeper.request('fault.lift', params)) as {
      readonly lifted: readonly FaultRecord[];
    };
    if (args.json) console.log(JSON.stringify({ lifted }, null, 2));
    else console.log(lifted.length === 0 ? 'No fault is in force.' : lifted.map(recordText).join('\n'));
    if (lifted.some((record) => !record.gone)) process.exitCode = EXIT.broken;
    else if (lifted.some((record) => !record.bit)) process.exitCode = EXIT.inconclusive;
  },
};
