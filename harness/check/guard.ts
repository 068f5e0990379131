import type { Finding } from '../record/index.ts';
import type { Judgement } from './definition.ts';

/** A guard looks at the harness's own work: when it does not hold, the trials prove nothing, and nobody has failed. */
export function guardJudgement(findings: readonly Finding[], trials: number, holds: string): Judgement {
  if (findings.length === 0) return { verdict: 'pass', sentence: `In ${trials} trials ${holds}.`, findings };
  const spoiled = new Set(findings.map((finding) => finding.trial)).size;
  const first = findings[0] as Finding;
  return {
    verdict: 'inconclusive',
    sentence: `${spoiled} of ${trials} trials prove nothing: ${first.subject} was ${first.observed}${findings.length > 1 ? ` (and ${findings.length - 1} more)` : ''}.`,
    findings,
  };
}
