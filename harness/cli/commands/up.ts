import { randomBytes } from 'node:crypto';
import type { CommandModule } from 'yargs';
import { findEngine } from '../../engine/index.ts';
import { readImages } from '../../image/index.ts';
import { createShutdown, livingBeds, spawnKeeper } from '../../testnet/index.ts';
import { resolveTopology } from '../../topology/index.ts';
import { formatDurationMs } from '../../units/index.ts';
import { askOnTerminal } from '../ask.ts';
import { chooseBedName } from '../bed-name.ts';
import { bedProgress } from '../bed-progress.ts';
import { topologyOverrides } from '../topology-overrides.ts';

interface UpArguments {
  topology: string;
  name: string | undefined;
  count: string[];
  variant: string[];
  set: string[];
  warp: number | undefined;
  seed: string | undefined;
  json: boolean;
  yes?: boolean | undefined;
}

/** `squall up TOPOLOGY`: an interactive testnet, left running in the care of a keeper. */
export const command: CommandModule<object, UpArguments> = {
  command: 'up <topology>',
  describe: 'start an interactive testnet and leave it running',
  builder: (cli) =>
    cli
      .positional('topology', { type: 'string', demandOption: true, describe: 'topology file (YAML)' })
      .option('name', { type: 'string', describe: "the testnet's name; by default the topology's" })
      .option('count', { type: 'string', array: true, default: [], describe: 'nodes of a role, as member=8' })
      .option('variant', {
        type: 'string',
        array: true,
        default: [],
        describe: 'variant of all images of ours, or of one role, as member=both',
      })
      .option('set', {
        type: 'string',
        array: true,
        default: [],
        describe: 'a setting of a role, as member.suspicionMult=4',
      })
      .option('warp', { type: 'number', describe: 'divide every interval and timeout of our images by this' })
      .option('seed', { type: 'string', describe: 'seed of random choices; printed when not given' })
      .option('json', { type: 'boolean', default: false, describe: 'print what is up as JSON' })
      .example('$0 up topologies/memberlist-16.yaml', '16 nodes, usable from every terminal')
      .example(
        '$0 up topologies/memberlist-16.yaml --count member=4 --variant both',
        'four nodes, both fixes',
      )
      .epilogue('Afterwards: squall status, logs, exec, fault, faults, lift, and at last squall down.'),
  handler: async (args) => {
    // Everything that can be wrong with the input is found before an engine is even looked for.
    const topology = resolveTopology(args.topology, topologyOverrides(args), { images: readImages() });
    const bedId = chooseBedName(
      args.name,
      topology.name,
      livingBeds().map(({ card }) => card.bedId),
    );
    const seed = args.seed ?? randomBytes(4).toString('hex');
    const progress = bedProgress();
    using shutdown = createShutdown({
      onSignal: (signal) => process.stderr.write(`\n${signal}: taking down what has been started\n`),
      onRepeat: (signal) => process.stderr.write(`\n${signal} again: the clean-up goes on\n`),
    });
    try {
      const ask = askOnTerminal(shutdown.signal);
      const engine = await findEngine({
        ...(args.yes === undefined ? {} : { yes: args.yes }),
        ...(ask ? { ask } : {}),
        onProgress: (text) => process.stderr.write(`${text}\n`),
        signal: shutdown.signal,
      });
      const { endpoint } = engine.info;
      engine.close();
      const runId = `up-${new Date().toISOString().replace(/[-:]|\.\d+Z$/g, '')}-${randomBytes(3).toString('hex')}`;
      const order = { endpoint, runId, bedId, seed, topology };
      const up = await spawnKeeper(order, { onProgress: progress.show, signal: shutdown.signal });
      progress.end();
      if (args.json) {
        console.log(JSON.stringify({ ...up, seed }, null, 2));
        return;
      }
      const one = livingBeds().length === 1 ? '' : ` --bed ${bedId}`;
      console.log(`${bedId}: ${up.nodes} nodes up after ${formatDurationMs(up.startMs)} (seed ${seed}).`);
      console.log(`Look with \`squall status${one}\`, end with \`squall down${one}\`.`);
    } catch (error) {
      progress.end();
      if (shutdown.received) {
        process.exitCode = shutdown.exitCode;
        process.stderr.write('nothing is left of it\n');
        return;
      }
      throw error;
    }
  },
};
