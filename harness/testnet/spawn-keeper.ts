import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { engineAddress } from '../engine/index.ts';
import { SquallError } from '../errors/index.ts';
import type { Bed } from './bed.ts';
import { readJsonLines } from './json-lines.ts';
import { type KeeperCard, keeperLogPath } from './keeper-files.ts';
import type { KeeperOrder, KeeperReport } from './keeper-order.ts';
import { fromWireError, MAX_MESSAGE_CHARACTERS } from './keeper-protocol.ts';
import { tsxProgram } from './tsx-program.ts';
import type { BedProgress } from './types.ts';

export type KeeperUp = KeeperCard & { readonly nodes: number; readonly startMs: number };

/**
 * Starts a keeper and waits until its bed is up. The keeper lives on when this process ends; an abort before that ends
 * it together with whatever it had started.
 * @throws SquallError what the keeper could not do; the signal's reason when aborted
 */
export async function spawnKeeper(
  order: KeeperOrder,
  options: { readonly onProgress?: (progress: BedProgress) => void; readonly signal?: AbortSignal } = {},
): Promise<KeeperUp> {
  const { signal } = options;
  signal?.throwIfAborted();
  const logPath = keeperLogPath(order.bedId);
  const log = openSync(logPath, 'a', 0o600);
  const { NODE_OPTIONS: _ours, ...environment } = process.env;
  const child = spawn(
    process.execPath,
    [...tsxProgram('./keeper.ts')],
    // The working directory stays: settings and images may be named relative to it.
    { detached: true, stdio: ['pipe', 'pipe', log], env: environment },
  );
  closeSync(log);
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new SquallError('keeper: has no pipes', { code: 'keeper-not-started' });
  try {
    return await new Promise<KeeperUp>((resolve, reject) => {
      // The end of its input tells it that nobody wants the bed any more; it removes what it has and ends.
      const onAbort = (): void => void stdin.end();
      let failure: unknown;
      let up: KeeperUp | undefined;
      child.once('error', (cause) => {
        failure = new SquallError('keeper: could not be started', { code: 'keeper-not-started', cause });
      });
      child.once('close', (code) => {
        signal?.removeEventListener('abort', onAbort);
        if (signal?.aborted) reject(signal.reason);
        else reject(failure ?? ended(code, logPath));
      });
      stdin.on('error', () => undefined); // Its end shows as `close`.
      readJsonLines(
        stdout,
        MAX_MESSAGE_CHARACTERS,
        (value) => {
          const report = value as KeeperReport;
          if ('progress' in report) options.onProgress?.(report.progress);
          else if ('failed' in report) failure = fromWireError(report.failed);
          else if (!signal?.aborted) {
            up = report.up;
            signal?.removeEventListener('abort', onAbort);
            resolve(up);
          }
        },
        (error) => {
          failure ??= error;
        },
      );
      signal?.addEventListener('abort', onAbort, { once: true });
      stdin.write(`${JSON.stringify(order)}\n`);
    });
  } finally {
    child.unref();
    stdin.destroy();
    stdout.destroy();
  }
}

/**
 * Leaves a living bed to a keeper, for a person to look into after this process has ended. The bed object is of no use
 * afterwards. When no keeper can be had, the bed is removed.
 */
export async function keepBed(
  bed: Bed,
  options: { readonly onProgress?: (progress: BedProgress) => void } = {},
): Promise<KeeperUp> {
  const order: KeeperOrder = {
    ...engineAddress(bed.engine.info),
    runId: bed.runId,
    bedId: bed.id,
    seed: bed.id,
    topology: bed.topology,
    legacy: bed.legacy,
  };
  await bed.release();
  let up: KeeperUp;
  try {
    up = await spawnKeeper(order, options);
  } catch (error) {
    await bed.remove();
    throw error;
  }
  // Not before the keeper stands: until then our own watchdog answers for the bed.
  await bed.handOver();
  return up;
}

function ended(code: number | null, logPath: string): SquallError {
  return new SquallError(`keeper: ended with code ${code} before its bed was up`, {
    code: 'keeper-not-started',
    hint: `Its own words are in ${logPath}.`,
  });
}
