import { expect } from 'chai';
import type { Settings } from '../../node-kit/index.ts';
import { readSettings } from '../../node-kit/settings.ts';
import { type FetchRules, fetchRules, type RuleName } from '../fetch-rules.ts';
import image from '../image.json' with { type: 'json' };
import list from '../rules.json' with { type: 'json' };

/** A variant or mutant of the image, as a test is given it. */
export interface Variant {
  readonly name: string;
  readonly settings: Settings;
  readonly rules: FetchRules;
}

export function variant(name: string, environment: Readonly<Record<string, string>> = {}): Variant {
  const { settings, problems } = readSettings(image, { SQUALL_VARIANT: name, ...environment });
  expect(problems).to.deep.equal([]);
  return { name, settings, rules: fetchRules(settings) };
}

/** Both fixes together keep the rule, and the mutant that has it off does not. */
export function rule(
  name: RuleName,
  sentence: string,
  holds: (variant: Variant) => boolean | Promise<boolean>,
): void {
  const { mutant = 'none', group } = list.find(({ switch: own }) => own === name) ?? {};
  const shipped = group === 'busy' ? 'share+busy' : 'share';
  it(`${name}: ${sentence}`, async () => {
    expect(await holds(variant(shipped)), shipped).to.equal(true);
    expect(await holds(variant(mutant)), mutant).to.equal(false);
  });
}
