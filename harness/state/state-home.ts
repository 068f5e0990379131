import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Absolute path of the directory that outlives runs; not created here. */
export function stateHome(environment: Environment = process.env): string {
  if (environment['SQUALL_STATE_HOME']) return environment['SQUALL_STATE_HOME'];
  if (process.getuid?.() === 0) return '/var/lib/squall';
  const base = environment['XDG_STATE_HOME'] || join(environment['HOME'] || homedir(), '.local', 'state');
  return join(base, 'squall');
}
