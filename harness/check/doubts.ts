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

/** A host that nobody watched to the end, or that was busy: what such a trial shows may be the host's doing. */
export function hostDoubts({ host, trial }: TrialRecord): Finding[] {
  if (host.verdict === 'quiet') return [];
  const why = host.reasons.length > 0 ? `: ${host.reasons.join('; ')}` : '';
  const observed = `${host.verdict === 'unknown' ? 'not watched' : 'not quiet'}${why}`;
  return [{ subject: 'the host', observed, expected: 'watched and quiet', trial }];
}

/** Why a trial that ran to its end may not be counted. */
export function doubts(trial: TrialRecord): Finding[] {
  return [...faultDoubts(trial), ...hostDoubts(trial)];
}

/** Whether the checks may count a trial: it ran to its end, its faults did what the scenario says, and its host was quiet. */
export function counts(trial: TrialRecord): boolean {
  return trial.outcome === 'completed' && doubts(trial).length === 0;
}
