import { expect } from 'chai';
import { readSettings } from '../../node-kit/settings.ts';
import { type ClientRules, clientRules, type RuleName } from '../client-rules.ts';
import image from '../image.json' with { type: 'json' };
import { type PoolLimits, poolLimits } from '../pool-limits.ts';
import list from '../rules.json' with { type: 'json' };

/** A variant or mutant of the image, as a test is given it. */
export interface Variant {
  readonly name: string;
  readonly rules: ClientRules;
  readonly limits: PoolLimits;
}

export function variant(name: string, limits: Partial<PoolLimits> = {}): Variant {
  const { settings, problems } = readSettings(image, { SQUALL_VARIANT: name });
  expect(problems).to.deep.equal([]);
  return { name, rules: clientRules(settings), limits: { ...poolLimits(settings), ...limits } };
}

/** The final client keeps the rule, and the mutant that has it off does not. */
export function rule(
  name: RuleName,
  sentence: string,
  holds: (variant: Variant) => boolean | Promise<boolean>,
): void {
  const mutant = list.find(({ switch: own }) => own === name)?.mutant ?? 'none';
  it(`${name}: ${sentence}`, async () => {
    expect(await holds(variant('final')), 'final').to.equal(true);
    expect(await holds(variant(mutant)), mutant).to.equal(false);
  });
}
