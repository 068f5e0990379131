import type { CommandModule } from 'yargs';
import type { FaultStatus } from '../../fault/index.ts';
import type { FaultRecord } from '../../record/index.ts';
import { connectKeeper } from '../../testnet/index.ts';
import { formatDurationMs } from '../../units/index.ts';
import { addBedOption } from '../bed-option.ts';
import { countsText, recordText } from '../fault-text.ts';

interface FaultsArguments {
  bed: string | undefined;
  json: boolean;
}

interface Listed {
  readonly active: readonly FaultStatus[];
  readonly finished: readonly FaultRecord[];
}

/** `squall faults`: what is in force, with the counts of this moment, and what has been. */
export const command: CommandModule<object, FaultsArguments> = {
  command: 'faults',
  describe: 'faults in force, with what they have done so far',
  builder: (cli) =>
    addBedOption(cli)
      .option('json', { type: 'boolean', default: false, describe: 'print counts of every node as JSON' })
      .example('$0 faults', 'in force, and the last that are over')
      .example("$0 faults --json | jq '.active[].counts'", 'live counts'),
  handler: async (args) => {
    using keeper = await connectKeeper(args.bed === undefined ? {} : { bed: args.bed });
    const listed = (await keeper.request('fault.list')) as Listed;
    if (args.json) console.log(JSON.stringify(listed, null, 2));
    else console.log(listedText(listed));
  },
};

function listedText({ active, finished }: Listed): string {
  const inForce = active.map((fault) => {
    const { id, kind, targets, leftMs, counts, problems } = fault;
    const left = leftMs === undefined ? 'until lifted' : `${formatDurationMs(leftMs)} left`;
    return [
      `${id}: ${kind} on ${targets.join(', ')}, ${left}`,
      `  ${countsText(counts)}`,
      ...problems.map((problem) => `  ${problem}`),
    ].join('\n');
  });
  return [
    ...(inForce.length === 0 ? ['No fault is in force.'] : ['In force:', ...inForce]),
    ...(finished.length === 0 ? [] : ['Over:', ...finished.map(recordText)]),
  ].join('\n');
}
