import { type Engine, findEngine } from '../engine/index.ts';
import { askOnTerminal } from './ask.ts';
import { progressLines } from './progress-lines.ts';

/** The engine for a command that needs one now: `--yes`, CI=true or the person at the terminal may start it. */
export function findEngineFor(
  args: { readonly yes?: boolean | undefined },
  signal?: AbortSignal,
): Promise<Engine> {
  const ask = askOnTerminal(signal);
  return findEngine({
    yes: args.yes ?? false,
    ...(ask ? { ask } : {}),
    onProgress: progressLines(),
    ...(signal ? { signal } : {}),
  });
}
