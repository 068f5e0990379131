import type { AdminAnswer } from './admin-answer.ts';
import { startAdminServer } from './admin-server.ts';
import { EventWriter, writeLog } from './event-writer.ts';
import type { ImageFacts } from './image-facts.ts';
import { NodeWorker } from './node-worker.ts';
import { overridden } from './overridden.ts';
import { readSettings } from './settings.ts';

/** SIGTERM must end everything within a second, and a reset must not take longer either. */
const LAST_WORDS_MS = 600;
const EXIT_INPUT = 3;

/** The main thread: admin port, signals, and one worker at a time that is the node. */
export async function supervise(image: ImageFacts, entry: URL): Promise<void> {
  const base = ownEnvironment();
  const { settings, problems } = readSettings(image, base);
  if (problems.length > 0) {
    for (const problem of problems) writeLog(problem);
    process.exitCode = EXIT_INPUT;
    return;
  }
  const counter = new SharedArrayBuffer(4);
  const writer = new EventWriter(counter);
  let epoch = 0;
  let ending = false;

  const end = async (
    code: number,
    event: string,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<void> => {
    if (ending) return;
    ending = true;
    await node.stop(LAST_WORDS_MS);
    writer.emit(event, fields);
    await writer.flush();
    process.exit(code);
  };
  const start = (environment: Readonly<Record<string, string>>): NodeWorker =>
    new NodeWorker(entry, environment, { epoch, counter }, (reason) => {
      writeLog(reason);
      void end(1, 'failed', { reason: reason.split('\n')[0] });
    });

  let node = start(base);
  let resetting: Promise<void> = Promise.resolve();

  const reset = (body: unknown): AdminAnswer => {
    const environment = overridden(base, body);
    if (typeof environment === 'string') return { status: 400, body: { error: environment } };
    const refused = readSettings(image, environment).problems;
    if (refused.length > 0) return { status: 400, body: { error: refused.join('\n') } };
    epoch += 1;
    const mine = epoch;
    resetting = resetting.then(async () => {
      if (ending) return;
      await node.stop(LAST_WORDS_MS);
      writer.emit('resetting', { epoch: mine });
      await writer.flush();
      node = start(environment);
    });
    return { status: 200, body: { epoch: mine } };
  };

  await startAdminServer(settings.number('adminPort'), async (request, body) => {
    if (request === 'GET /healthz') {
      return { status: node.ready ? 200 : 503, body: { ok: node.ready, epoch } };
    }
    if (request === 'POST /reset') return reset(body);
    return await node.ask(request, body);
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => void end(0, 'stopped', { signal }));
  }
}

function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
