import type { Verdict } from '../record/index.ts';

/** Fail over inconclusive over pass; nothing at all is inconclusive. */
export function combineVerdicts(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('fail')) return 'fail';
  if (verdicts.length === 0 || verdicts.includes('inconclusive')) return 'inconclusive';
  return 'pass';
}
