/**
 * Beds across a crash of their engine, played on an engine and in a network namespace of their own (see
 * engine-restart.engine.ts). Prints one JSON line a step.
 */
import { readFileSync } from 'node:fs';
import { daemonPid } from '../../../engine/embedded-process.ts';
import { ensureEmbeddedEngine } from '../../../engine/embedded-start.ts';
import { stopEmbeddedEngine } from '../../../engine/embedded-stop.ts';
import { engineHome } from '../../../engine/engine-home.ts';
import { connectEngine } from '../../../engine/index.ts';
import { matchEvent } from '../../match-event.ts';
import { sweep } from '../../sweep.ts';
import { OwnerProcess } from '../owner-process.ts';
import { freshName, isGone, startTestBed, talkerTopology, until } from '../test-bed.ts';

const home = engineHome();
const tell = (step: string, value: unknown): void => console.log(JSON.stringify({ step, value }));

async function crash(): Promise<void> {
  const pid = daemonPid(home) ?? 0;
  process.kill(pid, 'SIGKILL');
  await until(() => !lives(pid));
}

function lives(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false; // Gone from /proc.
  }
}

await ensureEmbeddedEngine(home, {});
process.env['DOCKER_HOST'] = `unix://${home.socket}`;
const engine = await connectEngine(process.env['DOCKER_HOST']);

const bed = await startTestBed(engine, await talkerTopology(engine, ['wait'], '', 3));
const names = bed.nodes().map(({ name }) => name);
const mark = bed.events.mark();
await crash();
await ensureEmbeddedEngine(home, {});
await bed.events.waitFor(matchEvent({ event: 'node.exited', nodes: names, everyNode: true }), {
  withinMs: 60_000,
  since: mark,
});
tell(
  'exits seen',
  bed.events
    .since(mark)
    .filter(({ event }) => event === 'node.exited')
    .map(({ fields }) => fields['expected']),
);
tell('agent lost', bed.agent.lost?.code);
tell('clean', (await bed.verifyClean()).clean);
await bed.remove();
tell('removed', [await isGone(engine, 'bed', bed.id), await isGone(engine, 'run', bed.runId)]);

// The owner dies while the engine is away: its watchdog waits for the engine, and then finishes.
const owner = new OwnerProcess(freshName('crash'), 2);
await owner.reached('up');
await crash();
await owner.kill();
await ensureEmbeddedEngine(home, {});
await until(() => isGone(engine, 'run', owner.runId));
tell('swept by the watchdog', true);

// Owner and watchdog both die while the engine is away: another process finishes.
const lost = new OwnerProcess(freshName('crash'), 2);
await lost.reached('up');
await crash();
process.kill(lost.watchdogPid, 'SIGKILL');
await lost.kill();
await ensureEmbeddedEngine(home, {});
const { groups } = await sweep(engine, { dryRun: false });
tell(
  'swept from elsewhere',
  groups.filter(({ runId }) => runId === lost.runId).map(({ outcome }) => outcome),
);
tell('nothing is left', await isGone(engine, 'run', lost.runId));

engine.close();
await stopEmbeddedEngine(home);
