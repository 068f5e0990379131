import type { Finding, TrialRecord } from '../record/index.ts';

/** Faults of a trial that the bed did not see act, or did not see gone: such a trial proves nothing about the system. */
export function faultDoubts(trial: TrialRecord): Finding[] {
  return trial.faults.flatMap((fault) => {
    const subject = `fault ${fault.id} (${fault.kind} on ${fault.selector})`;
    const why = fault.problems.length > 0 ? `: ${fault.problems.join('; ')}` : '';
    const doubts: Finding[] = [];
    if (!fault.bit)
      doubts.push({ subject, observed: `not seen to act${why}`, expected: 'seen by the bed to act' });
    if (!fault.gone)
      doubts.push({ subject, observed: `not seen to be gone${why}`, expected: 'verified to be gone' });
    return doubts;
  });
}

/** Whether the checks may count a trial: it ran to its end, and its faults did what the scenario says. */
export function counts(trial: TrialRecord): boolean {
  return trial.outcome === 'completed' && faultDoubts(trial).length === 0;
}
