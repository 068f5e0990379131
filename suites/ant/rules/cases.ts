import { RULES } from '../../../images/fetch-node/index.ts';
import { busyCases } from './busy-cases.ts';
import { keyCases } from './key-cases.ts';
import type { RuleCase } from './lab.ts';
import { silenceCases } from './silence-cases.ts';
import { startCases } from './start-cases.ts';

const all: readonly RuleCase[] = [...startCases, ...silenceCases, ...keyCases, ...busyCases];

/** Every rule of the fetch node on its stage, in the order of the image. */
export const RULE_CASES: readonly RuleCase[] = RULES.map((rule) => {
  const found = all.find((one) => one.rule === rule);
  if (!found) throw new Error(`rule ${rule}: has no case; add one in suites/ant/rules`);
  return found;
});

/** @throws Error for a name that is no rule */
export function caseOf(rule: string): RuleCase {
  const found = RULE_CASES.find((one) => one.rule === rule);
  if (!found) throw new Error(`rule ${JSON.stringify(rule)}: is none of the fetch node's`);
  return found;
}
