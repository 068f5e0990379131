import { Fields, WireError } from '../session-kit/index.ts';

export interface ConditionFacts {
  readonly hf: readonly number[];
  readonly v: readonly number[];
  readonly height: number;
}

/** Whether all that is asked under `if` holds. @throws WireError `wrong-shape`, also when nothing is asked */
export function holds(request: Fields, facts: ConditionFacts): boolean {
  const asked = new Fields(request.get('if'), 'if');
  const height = [facts.height];
  const conditions = [
    atLeast(asked, 'height_at_least', height),
    before(asked, 'height_before', height),
    atLeast(asked, 'hf_at_least', facts.hf),
    before(asked, 'hf_before', facts.hf),
    atLeast(asked, 'v_at_least', facts.v),
    before(asked, 'v_before', facts.v),
  ].filter((condition) => condition !== undefined);
  if (conditions.length === 0)
    throw new WireError('wrong-shape', 'ifelse: must specify at least one "if" condition');
  return conditions.every((condition) => condition);
}

function atLeast(asked: Fields, name: string, ours: readonly number[]): boolean | undefined {
  const wanted = asked.integers(name);
  return wanted && compare(ours, wanted) >= 0;
}

function before(asked: Fields, name: string, ours: readonly number[]): boolean | undefined {
  const wanted = asked.integers(name);
  return wanted && compare(ours, wanted) < 0;
}

/** Part by part; what is missing is 0, what is too much is not looked at. */
function compare(ours: readonly number[], wanted: readonly number[]): number {
  const different = ours.findIndex((part, index) => part !== (wanted[index] ?? 0));
  return different < 0 ? 0 : (ours[different] as number) - (wanted[different] ?? 0);
}
