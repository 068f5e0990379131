import type { Finding } from '../../record/index.ts';
import { excludedRate } from '../../stats/index.ts';
import { boundText, formatNumber, formatQuantity, satisfies } from '../bound.ts';
import type { Judgement } from '../definition.ts';
import type { TrialValues } from '../trial-values.ts';
import { type BoundContext, boundOf, titleIn, unanswered, unitIn } from './bound-context.ts';

/** More findings than this are counted, not listed. */
const FINDINGS_LIMIT = 20;

/** Every value of every trial must satisfy the bound. */
export function judgeInvariant(context: BoundContext, perTrial: readonly TrialValues[]): Judgement {
  const { op, value: bound } = context.parameters;
  const quantity = (value: number): string => formatQuantity(value, unitIn(context));
  const expected = boundText(op, bound, unitIn(context));
  const findings: Finding[] = [];
  let violations = 0;
  let violated = 0;
  let censored = 0;
  let worst: number | undefined;
  for (const { trial, values } of perTrial) {
    const known = values.flatMap((value) => place(value, context));
    censored += known.filter((value) => value === undefined).length;
    const wrong = known.filter((value) => value !== undefined && !satisfies(value, op, bound)) as number[];
    if (wrong.length > 0) violated += 1;
    violations += wrong.length;
    for (const value of known) if (value !== undefined) worst = worse(worst, value, context);
    for (const value of wrong.slice(0, Math.max(0, FINDINGS_LIMIT - findings.length))) {
      findings.push({ subject: titleIn(context), observed: quantity(value), expected, trial });
    }
  }
  const trials = perTrial.length;
  const rule = `${titleIn(context)} ${expected}`;
  if (violated === 0 && censored > 0) {
    return unanswered(
      context,
      `${titleIn(context)} was not observed ${censored} times; what it would have been is unknown.`,
    );
  }
  if (worst === undefined)
    return unanswered(context, `${titleIn(context)} had no value to judge in ${trials} trials.`);
  const common = {
    findings,
    bound: boundOf(context),
    ...(Number.isFinite(worst) ? { estimate: worst } : {}),
  };
  if (violated > 0) {
    const several = perTrial.some((one) => one.values.length !== 1);
    const count = several ? ` (${formatNumber(violations)} values)` : '';
    const sentence = `${rule} was violated in ${violated} of ${trials} trials${count}; at worst it was ${quantity(worst)}.`;
    return { ...common, verdict: 'fail', sentence };
  }
  const excludes = excludedRate(0, trials);
  const sentence = `${rule} held in ${trials} of ${trials} trials, which excludes a violation rate above ${formatNumber(excludes * 100)} %.`;
  return { ...common, verdict: 'pass', excludesRate: excludes, sentence };
}

/** A value as it is to be judged; undefined where it is unknown, nothing where it is to be left out. */
function place(value: number | null, { parameters: { missing } }: BoundContext): (number | undefined)[] {
  if (value !== null) return [value];
  if (missing === 'ignore') return [];
  if (missing === 'largest') return [Number.POSITIVE_INFINITY];
  return missing === 'smallest' ? [Number.NEGATIVE_INFINITY] : [undefined];
}

/** The value nearest to violating, or violating most: for `=` the one farthest away. */
function worse(
  worst: number | undefined,
  value: number,
  { parameters: { op, value: bound } }: BoundContext,
): number {
  if (worst === undefined) return value;
  if (op === '=') return Math.abs(value - bound) > Math.abs(worst - bound) ? value : worst;
  return op.startsWith('<') ? Math.max(worst, value) : Math.min(worst, value);
}
