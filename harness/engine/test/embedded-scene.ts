/**
 * The life of an engine of our own, played in a network namespace of its own (see embedded.engine.ts), where no other
 * daemon is. Prints one JSON line a step.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describeError } from '../../errors/index.ts';
import { ensureImage } from '../../image/index.ts';
import { connectEngine } from '../connect-engine.ts';
import { containerdPid, daemonPid } from '../embedded-process.ts';
import { ensureEmbeddedEngine } from '../embedded-start.ts';
import { embeddedStatus, stopEmbeddedEngine } from '../embedded-stop.ts';
import { engineHome } from '../engine-home.ts';
import { outputOf } from './test-engine.ts';

const home = engineHome();
const images = new URL('./images/', import.meta.url).pathname;
const tell = (step: string, value: unknown): void => console.log(JSON.stringify({ step, value }));
const ensure = () => ensureEmbeddedEngine(home, {});

async function gone(pid: number | undefined): Promise<void> {
  while (pid !== undefined && readState(pid)) await delay(20);
}

function readState(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

tell('two at once', (await Promise.all([ensure(), ensure()])).sort());
const first = embeddedStatus(home).pid;
tell('found again', [await ensure(), embeddedStatus(home).pid === first]);

const engine = await connectEngine(`unix://${home.socket}`, { origin: 'embedded' });
const { reference } = await ensureImage(
  engine,
  { kind: 'ours', name: 'talker' },
  { imagesDir: images, reportsDir: join(home.dataRoot, '..', 'reports') },
);
const id = await engine.createContainer({
  name: 'scene',
  hostname: 'scene',
  image: reference,
  command: ['say', 'hello'],
  environment: {},
  labels: {},
});
await engine.startContainer(id);
tell('runs containers', (await outputOf(engine, id)).stdout);
const bridge = (await engine.listNetworks([])).find((network) => network.name === 'bridge');
tell('default bridge', bridge?.subnets);

const seen: string[] = [];
const watch = new AbortController();
const watching = engine.events([], (event) => seen.push(event.action), watch.signal);
while (!seen.includes('die')) {
  await engine.startContainer(id);
  await delay(100);
}

process.kill(daemonPid(home) ?? 0, 'SIGKILL');
await gone(first);
tell('after a crash of the daemon', [await ensure(), embeddedStatus(home).pid !== first]);
while (!seen.includes('reconnected')) await delay(20);
const before = seen.length;
while (!seen.slice(before).includes('die')) {
  await engine.startContainer(id);
  await delay(100);
}
watch.abort();
await watching;
engine.close();
tell('events across the crash', seen.slice(before).includes('die'));

const [daemon, containerd] = [daemonPid(home), containerdPid(home)];
process.kill(containerd ?? 0, 'SIGKILL');
process.kill(daemon ?? 0, 'SIGKILL');
await Promise.all([gone(daemon), gone(containerd)]);
// The numbers now belong to somebody else: to this very process.
writeFileSync(home.pidFile, String(process.pid));
writeFileSync(join(home.execRoot, 'containerd', 'containerd.pid'), String(process.pid));
writeFileSync(
  home.startLock,
  JSON.stringify({ pid: process.pid, startTime: 'another', token: 'x', facts: {} }),
);
tell('after a crash of both, with recycled numbers and a stale lock', await ensure());

tell('stopped', await stopEmbeddedEngine(home));
tell('nothing to stop', [await stopEmbeddedEngine(home), embeddedStatus(home).pid ?? 'no process']);

const broken = await ensureEmbeddedEngine({ ...home, extraFlags: ['--storage-driver=none-such'] }).catch(
  (error: unknown) => error,
);
tell('a start that fails', describeError(broken));
