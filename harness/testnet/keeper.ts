/**
 * The bed keeper: one process of its own session that owns a bed (its agent, its watchdog, its logs) after the command
 * that started it has ended, and serves it to any terminal over a local socket. It ends by `down`, by a signal, or when
 * it is killed: then its watchdog removes the bed. Run as a program: `node --import tsx keeper.ts`, orders on stdin.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connectTo, type Engine } from '../engine/index.ts';
import { describeError, SquallError } from '../errors/index.ts';
import { type HeldLock, tryLock } from '../state/index.ts';
import { adoptBed } from './adopt-bed.ts';
import { attachProject } from './attach-project.ts';
import type { Bed } from './bed.ts';
import { bedsDir, type KeeperCard, removeCard, socketPath, writeCard } from './keeper-files.ts';
import { keeperOperations } from './keeper-operations.ts';
import type { KeeperOrder, KeeperReport } from './keeper-order.ts';
import { toWireError } from './keeper-protocol.ts';
import { KeeperServer } from './keeper-server.ts';
import { LineHub } from './line-hub.ts';
import { currentOwner, formatOwner } from './owner.ts';
import { createShutdown } from './shutdown.ts';
import { startBed } from './start-bed.ts';
import type { BedProgress } from './types.ts';

function report(line: KeeperReport): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** The order, and a signal that aborts when the other side goes away while it still matters. */
async function readOrder(): Promise<{ readonly order: KeeperOrder; readonly unwanted: AbortSignal }> {
  const lines = createInterface({ input: process.stdin });
  const [line] = (await once(lines, 'line')) as [string];
  const unwanted = new AbortController();
  lines.on('close', () => {
    unwanted.abort(new SquallError('keeper: whoever asked for the bed has gone', { code: 'client-gone' }));
  });
  return { order: JSON.parse(line) as KeeperOrder, unwanted: unwanted.signal };
}

function requireName(order: KeeperOrder): HeldLock {
  const lock = tryLock(join(bedsDir(), `${order.bedId}.lock`), { facts: { bedId: order.bedId } });
  if (lock) return lock;
  throw new SquallError(`bed "${order.bedId}": is up already; expected a name of its own`, {
    code: 'bed-exists',
    blame: 'input',
    hint: 'Take it down with `squall down`, or give another --name.',
  });
}

async function keep(): Promise<void> {
  process.stdout.on('error', () => undefined); // The starter may have gone; what it would have heard is lost on nobody.
  const { order, unwanted } = await readOrder();
  using shutdown = createShutdown();
  const lock = requireName(order);
  const engine = await connectTo(order);
  const lines = new LineHub();
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  try {
    const bed = await obtainBed(order, engine, lines, AbortSignal.any([unwanted, shutdown.signal]));
    const card = cardOf(order);
    const removeBed = async (): Promise<void> => {
      await bed.remove();
      finish();
    };
    const operations = keeperOperations({ bed, card, lines, seed: order.seed, down: removeBed });
    const server = await KeeperServer.listen(socketPath(order.bedId), operations);
    writeCard(card);
    report({ up: { ...card, nodes: bed.nodes().length, startMs: bed.timing.totalMs } });
    shutdown.onUndo('bed', removeBed);
    await finished;
    removeCard(order.bedId);
    await server.close();
  } finally {
    lock.release();
    engine.close();
  }
}

function obtainBed(order: KeeperOrder, engine: Engine, lines: LineHub, signal: AbortSignal): Promise<Bed> {
  const { runId, bedId, seed, topology } = order;
  const onProgress = (progress: BedProgress): void => report({ progress });
  const common = { engine, runId, bedId, topology, onLine: lines.accept, onProgress, signal };
  if (order.project !== undefined) return attachProject({ ...common, project: order.project });
  return order.legacy ? adoptBed({ ...common, legacy: order.legacy }) : startBed({ ...common, seed });
}

function cardOf(order: KeeperOrder): KeeperCard {
  return {
    bedId: order.bedId,
    runId: order.runId,
    topology: order.topology.name,
    ...(order.topology.file === undefined ? {} : { file: order.topology.file }),
    endpoint: order.endpoint,
    owner: formatOwner(currentOwner()),
    startedAt: new Date().toISOString(),
  };
}

await keep().catch((error: unknown) => {
  report({ failed: toWireError(error) });
  process.stderr.write(`${new Date().toISOString()} keeper ${process.pid}: ${describeError(error)}\n`);
  process.exitCode = 4;
});
// Standard input may stay open on the starter's side; nothing else is left to do.
process.stdin.destroy();
