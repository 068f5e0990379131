import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../harness/clock/index.ts';
import { awaitAddresses } from '../../harness/fleet/index.ts';
import { stream } from '../../harness/random/index.ts';
import type { AdminAnswer, AdminHandler } from './admin-answer.ts';
import { EventWriter, monotonicNs, writeLog } from './event-writer.ts';
import type { ImageFacts } from './image-facts.ts';
import type { FromWorker, ToWorker, WorkerFacts } from './messages.ts';
import type { NodeContext, RunningNode, StartNode } from './node-context.ts';
import { readSettings } from './settings.ts';

/** The worker: the node itself, with everything that it is given. */
export async function work(image: ImageFacts, start: StartNode): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error('node-kit: a worker without its main thread');
  const { epoch, counter } = workerData as WorkerFacts;
  const writer = new EventWriter(counter);
  const stopping = new AbortController();
  const startedNs = monotonicNs();
  const context = contextOf(image, epoch, writer, stopping.signal);
  const tell = (message: FromWorker): void => port.postMessage(message);

  let running: RunningNode | undefined;
  port.on('message', async (message: ToWorker) => {
    if (message.kind === 'ask') {
      const answer = await answerTo(message.request, message.body, running, context, () => ({
        uptimeMs: (monotonicNs() - startedNs) / 1e6,
        lastSeq: writer.lastSeq,
      }));
      tell({ kind: 'answer', id: message.id, answer });
      return;
    }
    stopping.abort(new Error('the node is to end'));
    try {
      await running?.stop?.();
    } catch (error) {
      context.log(`the node did not end well: ${error instanceof Error ? error.stack : String(error)}`);
    }
    await writer.flush();
    tell({ kind: 'stopped' });
  });

  await awaitAddresses(context.fleet, { signal: stopping.signal });
  running = await start(context);
  const { name, role, address, variant } = context;
  context.emit('ready', { name, role, address, variant, epoch, pid: process.pid });
  tell({ kind: 'ready' });
}

function contextOf(image: ImageFacts, epoch: number, writer: EventWriter, signal: AbortSignal): NodeContext {
  const { settings } = readSettings(image, process.env);
  const name = settings.text('nodeName') || process.env['HOSTNAME'] || image.name;
  const seed = settings.text('seed');
  return {
    name,
    role: settings.text('role'),
    address: settings.text('bind'),
    fleet: settings.list('fleet'),
    variant: settings.text('variant'),
    seed,
    epoch,
    settings,
    clock: systemClock({ warp: settings.number('warp') }),
    chance: (concern) => stream(seed, `${name}/${concern}`),
    emit: (event, fields) => writer.emit(event, fields),
    log: writeLog,
    signal,
  };
}

async function answerTo(
  request: string,
  body: unknown,
  running: RunningNode | undefined,
  node: NodeContext,
  facts: () => Readonly<Record<string, unknown>>,
): Promise<AdminAnswer> {
  try {
    if (request === 'GET /state') return { status: 200, body: stateOf(running, node, facts()) };
    if (request === 'POST /clock') return await leap(body, node);
    const handler: AdminHandler | undefined = running?.handlers?.[request];
    if (handler) return await handler(body);
    if (request === 'POST /storm') {
      return { status: 501, body: { error: 'this image serves no requests that a storm could be made of' } };
    }
    return { status: 404, body: { error: `${request}: not known here` } };
  } catch (error) {
    return { status: 500, body: { error: error instanceof Error ? error.message : String(error) } };
  }
}

function stateOf(
  running: RunningNode | undefined,
  node: NodeContext,
  facts: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { name, role, address, variant, epoch } = node;
  return {
    ...running?.state?.(),
    name,
    role,
    address,
    variant,
    epoch,
    ready: running !== undefined,
    nowMs: node.clock.nowMs(),
    monoNs: monotonicNs(),
    rssBytes: process.memoryUsage.rss(),
    settings: node.settings.all(),
    ...facts,
  };
}

/** `{leapMs}`: due timers fire in order, and the event says that it happened. */
async function leap(body: unknown, node: NodeContext): Promise<AdminAnswer> {
  const leapMs = (body as { readonly leapMs?: unknown } | undefined)?.leapMs;
  if (typeof leapMs !== 'number' || !(leapMs >= 0)) {
    return { status: 400, body: { error: 'leapMs: expected a number of milliseconds, 0 or more' } };
  }
  const fired = await node.clock.leap(leapMs);
  node.emit('clock.leapt', { leapMs, fired, nowMs: node.clock.nowMs() });
  return { status: 200, body: { fired, nowMs: node.clock.nowMs() } };
}
