import { type Engine, embeddedStatus, engineHome } from '../engine/index.ts';
import { SquallError } from '../errors/index.ts';
import {
  type HostFiles,
  REFERENCE_BED,
  raiseHostLimits,
  realHostFiles,
  restoreHostLimits,
  restorePackages,
} from '../host/index.ts';
import { Ledger } from '../state/index.ts';
import { sweep } from '../testnet/index.ts';

type Say = (text: string) => void;

/** What `doctor --fix` does once there is an engine: limits for the largest bed, and nothing left of runs that are gone. */
export async function fixHost(
  engine: Engine,
  how: { readonly say: Say; readonly files?: HostFiles; readonly ledger?: Ledger },
): Promise<void> {
  const { say, files = realHostFiles, ledger = new Ledger() } = how;
  if (engine.info.host === 'this') await raiseHostLimits(REFERENCE_BED, ledger, { onProgress: say, files });
  await sweep(engine, { dryRun: false, onProgress: say });
}

/**
 * What `doctor --restore` does: everything in the ledger undone, the engine's packages last. `undone` hears each as it
 * is done, since a later one may fail.
 * @throws SquallError `engine-in-use` (input), `restore-failed`
 */
export async function restoreHost(how: {
  readonly undone: Say;
  readonly say: Say;
  readonly ledger?: Ledger;
  /** Whether the engine that Squall started runs; looked up when absent. */
  readonly engineRuns?: () => boolean;
}): Promise<void> {
  const { undone, say, ledger = new Ledger() } = how;
  const engineRuns = how.engineRuns ?? (() => embeddedStatus(engineHome()).pid !== undefined);
  for (const line of await restoreHostLimits(ledger)) undone(line);
  const installed = ledger.entries().some((entry) => entry.kind === 'packages-installed');
  if (installed && engineRuns()) {
    throw new SquallError('restore: the packages of the engine stay, because our engine runs', {
      code: 'engine-in-use',
      blame: 'input',
      hint: 'Stop it with `squall engine stop`, then restore again.',
    });
  }
  for (const line of await restorePackages(ledger, say)) undone(line);
}
