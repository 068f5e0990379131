/**
 * An owner that gives one of its two beds to a keeper and is then killed: says on standard output what it is at. Argument: the
 * run's id; the beds are called after it. Never ends by itself.
 */
import { findEngine } from '../../../engine/index.ts';
import { keepBed } from '../../spawn-keeper.ts';
import { startBed } from '../../start-bed.ts';
import { holdWatchdog } from '../../start-watchdog.ts';
import { talkerTopology } from '../test-bed.ts';

const [runId = ''] = process.argv.slice(2);
const say = (stage: string): void => void process.stdout.write(`${stage}\n`);

const engine = await findEngine({});
const hold = await holdWatchdog(engine, { runId });
say(`watchdog ${hold.watchdog.pid}`);
const topology = await talkerTopology(engine, ['wait'], '    readiness: {log: waiting}');
const [given] = await Promise.all(
  ['given', 'own'].map((name) =>
    startBed({ engine, topology, runId, bedId: `${runId}-${name}`, seed: 'giver' }),
  ),
);
if (given) await keepBed(given);
say('given');
setInterval(() => undefined, 60_000);
