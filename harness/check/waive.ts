import { type CheckResult, matchesPoint, type Point, type WaiverSpec } from '../record/index.ts';

/**
 * A failure with a waiver passes, and says who answers for it until when. Nothing else can be waived: what is inconclusive
 * has shown nothing that anybody could answer for, and a guard is about the bed.
 */
export function waive(
  result: CheckResult,
  point: Point,
  waivers: readonly WaiverSpec[] | undefined,
): CheckResult {
  if (result.verdict !== 'fail' || result.kind === 'guard') return result;
  const waiver = waivers?.find((one) => one.check === result.title && matchesPoint(point, one.where));
  if (!waiver) return result;
  const { owner, until, reason } = waiver;
  return {
    ...result,
    verdict: 'pass',
    waived: { owner, until, reason },
    sentence: `Waived until ${until} by ${owner} (${reason}). ${result.sentence}`,
  };
}
