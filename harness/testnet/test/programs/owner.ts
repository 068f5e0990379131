/**
 * An owner to be killed: starts a bed, holds two nodes, resets, removes, and says on standard output what it is at.
 * Arguments: bed id, number of nodes. Ends only by being killed, or after the removal.
 */
import { findEngine } from '../../../engine/index.ts';
import { startBed } from '../../start-bed.ts';
import { holdWatchdog } from '../../start-watchdog.ts';
import { memberTopology } from '../test-bed.ts';

const [bedId = '', count = '3'] = process.argv.slice(2);
const say = (stage: string): void => void process.stdout.write(`${stage}\n`);

const engine = await findEngine({});
const hold = await holdWatchdog(engine, { runId: bedId });
say(`watchdog ${hold.watchdog.pid}`);
const bed = await startBed({
  engine,
  topology: memberTopology(Number(count)),
  runId: bedId,
  bedId,
  seed: 'owner',
});
for (const { name, pid } of bed.nodes()) say(`node ${name} ${pid}`);
say('up');
const plan = bed.faults.plan({ kind: 'hold', on: 'member[1..2]', seed: 'owner' });
await bed.faults.apply([plan], new AbortController().signal);
say('faulted');
// Long enough for whoever means to kill it in mid-fault.
await new Promise((resolve) => setTimeout(resolve, 1_500));
await bed.faults.liftAll();
say('resetting');
await bed.reset('*');
await bed.remove();
await hold.release({ allRemoved: true });
say('removed');
engine.close();
