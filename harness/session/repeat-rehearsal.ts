import { type ExitCode, strongestExit } from '../errors/index.ts';
import { countRepeats, describeRepeats, type RepeatCounts } from '../rehearsal/index.ts';
import { type ExecutedRehearsal, executeRehearsal, rehearsalExit } from './execute-rehearsal.ts';
import type { RehearsalRequest } from './plan-rehearsal.ts';

export interface RepeatedRehearsal {
  readonly rehearsals: readonly ExecutedRehearsal[];
  readonly counts: readonly RepeatCounts[];
  readonly text: string;
  readonly exitCode: ExitCode;
}

/**
 * The same rehearsal several times, each with seeds of its own: of a baseline against itself, that measures how often it
 * raises a false alarm. An interrupt ends it after the one that it met.
 */
export async function repeatRehearsal(
  request: RehearsalRequest & { readonly seed: string },
  times: number,
): Promise<RepeatedRehearsal> {
  const rehearsals: ExecutedRehearsal[] = [];
  for (let number = 1; number <= times && !request.signal.aborted; number += 1) {
    request.observer?.noted?.(`rehearsal ${number} of ${times}`);
    rehearsals.push(await executeRehearsal({ ...request, seed: `${request.seed}.${number}` }));
  }
  const counts = countRepeats(rehearsals.map(({ result }) => result.comparisons));
  return {
    rehearsals,
    counts,
    text: describeRepeats(counts),
    exitCode: strongestExit(rehearsals.map(rehearsalExit)),
  };
}
