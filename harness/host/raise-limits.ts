import { SquallError } from '../errors/index.ts';
import { Ledger, type LedgerEntry } from '../state/index.ts';
import { type HostFiles, readNumber, realHostFiles } from './host-files.ts';
import { type HostNeeds, type LimitTarget, NEIGHBOUR_LIMIT_PATH, planLimits } from './limits.ts';
import { neighbourEntriesInUse } from './read-host.ts';

/** A kernel out of our reach (Docker Desktop, a remote engine) is taken to have Linux's default table. */
const DEFAULT_NEIGHBOUR_LIMIT = 1024;

export interface RaiseOptions {
  readonly onProgress?: (text: string) => void;
  readonly files?: HostFiles;
  /** Whose kernel the containers run on, from the engine's info; `this` by default. */
  readonly engineHost?: 'this' | 'vm' | 'remote';
}

export interface RaisedLimit {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** `/proc/sys/net/ipv4/neigh/default/gc_thresh3` → `net.ipv4.neigh.default.gc_thresh3` */
export function sysctlName(path: string): string {
  return path.replace('/proc/sys/', '').replaceAll('/', '.');
}

function refusal(target: LimitTarget, now: number | undefined, cause: unknown): SquallError {
  const name = sysctlName(target.path);
  return new SquallError(
    `host limit ${name}: is ${now ?? 'unknown'}; expected at least ${target.wanted} for ${target.why}, and it cannot be raised here`,
    {
      code: 'host-limit-too-low',
      facts: { name, now, wanted: target.wanted },
      hint: `Run as root: sysctl -w ${name}=${target.wanted}, or use fewer nodes.`,
      cause,
    },
  );
}

async function raiseOne(
  target: LimitTarget,
  files: HostFiles,
  ledger: Ledger,
  onProgress: ((text: string) => void) | undefined,
): Promise<RaisedLimit | undefined> {
  const from = readNumber(files, target.path);
  if (from === undefined || from >= target.wanted) return undefined;
  const entry = await ledger.add({
    kind: 'limit',
    path: target.path,
    from: String(from),
    to: String(target.wanted),
  });
  try {
    files.write(target.path, String(target.wanted));
  } catch (cause) {
    await ledger.remove(entry.id);
    throw refusal(target, from, cause);
  }
  const now = readNumber(files, target.path);
  if (now === undefined || now < target.wanted) {
    await ledger.remove(entry.id);
    throw refusal(target, now, undefined);
  }
  onProgress?.(
    `raised ${sysctlName(target.path)} from ${from} to ${target.wanted} for ${target.why} (undone by \`squall doctor --restore\`)`,
  );
  return { path: target.path, from, to: target.wanted };
}

/**
 * Raises what the needs call for; never lowers. Each change is announced and entered in the ledger first.
 * @returns what was raised, nothing when all was high enough
 * @throws SquallError `host-limit-too-low` with the figure, where raising is not allowed or not possible
 */
export async function raiseHostLimits(
  needs: HostNeeds,
  ledger: Ledger = new Ledger(),
  options: RaiseOptions = {},
): Promise<readonly RaisedLimit[]> {
  const files = options.files ?? realHostFiles;
  if ((options.engineHost ?? 'this') !== 'this') {
    const entries = needs.neighbourEntries ?? 0;
    if (entries <= DEFAULT_NEIGHBOUR_LIMIT) return [];
    const target = {
      path: NEIGHBOUR_LIMIT_PATH,
      wanted: entries,
      why: `${entries} neighbour entries on the engine's own kernel`,
    };
    throw refusal(target, DEFAULT_NEIGHBOUR_LIMIT, undefined);
  }
  const targets = planLimits(needs, {
    limit: (path) => readNumber(files, path),
    neighbourEntries: neighbourEntriesInUse(files),
  });
  const raised: RaisedLimit[] = [];
  for (const target of targets) {
    const done = await raiseOne(target, files, ledger, options.onProgress);
    if (done) raised.push(done);
  }
  return raised;
}

/**
 * Puts limits back as the ledger says, newest first. One that somebody has changed since is left, and forgotten.
 * @returns a line for each entry
 */
export async function restoreHostLimits(
  ledger: Ledger = new Ledger(),
  files: HostFiles = realHostFiles,
): Promise<readonly string[]> {
  const said: string[] = [];
  const limits = ledger
    .entries()
    .filter((entry): entry is LedgerEntry & { kind: 'limit' } => entry.kind === 'limit');
  for (const entry of [...limits].reverse()) {
    const now = files.read(entry.path)?.trim();
    const name = sysctlName(entry.path);
    if (now === entry.to) {
      files.write(entry.path, entry.from);
      said.push(`${name}: back from ${entry.to} to ${entry.from}`);
    } else {
      said.push(`${name}: is ${now ?? 'not there'}, not the ${entry.to} that we set; left as it is`);
    }
    await ledger.remove(entry.id);
  }
  return said;
}
