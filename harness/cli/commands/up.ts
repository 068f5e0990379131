import { randomBytes } from 'node:crypto';
import type { CommandModule } from 'yargs';
import { engineAddress, findEngine } from '../../engine/index.ts';
import { SquallError } from '../../errors/index.ts';
import { requireNetworkFaults } from '../../host/index.ts';
import { readImages } from '../../image/index.ts';
import { createShutdown, livingBeds, spawnKeeper } from '../../testnet/index.ts';
import { type ResolvedTopology, resolveTopology } from '../../topology/index.ts';
import { formatDurationMs } from '../../units/index.ts';
import { askOnTerminal } from '../ask.ts';
import { chooseBedName } from '../bed-name.ts';
import { bedProgress } from '../bed-progress.ts';
import { topologyOverrides } from '../topology-overrides.ts';

interface UpArguments {
  topology: string | undefined;
  'adopt-compose': string | undefined;
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
  command: 'up [topology]',
  describe: 'start an interactive testnet and leave it running',
  builder: (cli) =>
    cli
      .positional('topology', { type: 'string', describe: 'topology file (YAML)' })
      .option('adopt-compose', {
        type: 'string',
        requiresArg: true,
        describe:
          'in place of a topology, a docker-compose project that runs already: its containers become nodes, for network faults alone; they are never removed',
      })
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
      .example(
        '$0 up --adopt-compose shop && $0 fault loss --on web --set lossRatio=0.2',
        'network faults on what docker-compose runs',
      )
      .epilogue('Afterwards: squall status, logs, exec, fault, faults, lift, and at last squall down.'),
  handler: async (args) => {
    // Everything that can be wrong with the input is found before an engine is even looked for.
    const seed = args.seed ?? randomBytes(4).toString('hex');
    const topology = wantedTopology({ ...args, seed });
    const project = args['adopt-compose'];
    const bedId = chooseBedName(
      args.name,
      topology.name,
      livingBeds().map(({ card }) => card.bedId),
    );
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
      engine.close();
      requireNetworkFaults(engine.info);
      const runId = `up-${new Date().toISOString().replace(/[-:]|\.\d+Z$/g, '')}-${randomBytes(3).toString('hex')}`;
      const address = engineAddress(engine.info);
      const order = { ...address, runId, bedId, seed, topology, ...(project !== undefined && { project }) };
      const up = await spawnKeeper(order, { onProgress: progress.show, signal: shutdown.signal });
      progress.end();
      if (args.json) {
        console.log(JSON.stringify({ ...up, seed }, null, 2));
        return;
      }
      const one = livingBeds().length === 1 ? '' : ` --bed ${bedId}`;
      console.log(`${bedId}: ${up.nodes} nodes up after ${formatDurationMs(up.startMs)} (seed ${seed}).`);
      const end = project === undefined ? 'end' : 'lift all and let it go';
      console.log(`Look with \`squall status${one}\`, ${end} with \`squall down${one}\`.`);
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

/**
 * A file's topology; or the name of a project, whose containers are known once the engine has been asked.
 * @throws SquallError `bad-usage` (input), and what is wrong with the file
 */
export function wantedTopology(
  args: Pick<UpArguments, 'topology' | 'adopt-compose' | 'count' | 'variant' | 'set' | 'warp' | 'seed'>,
): ResolvedTopology {
  const { topology: file, 'adopt-compose': project } = args;
  if ((file === undefined) === (project === undefined)) {
    throw new SquallError('up: expected a topology, or --adopt-compose with a project that runs.', {
      code: 'bad-usage',
      blame: 'input',
    });
  }
  const overrides = topologyOverrides(args);
  if (file !== undefined) return resolveTopology(file, overrides, { images: readImages() });
  if (args.count.length + args.variant.length + args.set.length > 0 || args.warp !== undefined) {
    throw new SquallError('up: --count, --variant, --set and --warp are for nodes that Squall starts.', {
      code: 'bad-usage',
      blame: 'input',
      hint: 'An adopted project stays as it is.',
    });
  }
  const name = project ?? '';
  return {
    name,
    description: `compose project ${name}`,
    nodes: [],
    links: [],
    networks: [],
    bedPrefix: 20,
    mesh: false,
  };
}
