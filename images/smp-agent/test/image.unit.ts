import { expect } from 'chai';
import { readSettings } from '../../node-kit/settings.ts';
import { agentRules, keepAliveRules } from '../agent-rules.ts';
import { choiceRules, FIXES } from '../choice-rules.ts';
import image from '../image.json' with { type: 'json' };
import { RULES } from './agent-bed.ts';
import { master, repick } from './choice-fixture.ts';

function settingsOf(variant: string) {
  const { settings, problems } = readSettings(image, { SQUALL_VARIANT: variant });
  expect(problems).to.deep.equal([]);
  return settings;
}

describe('the image of the agent', () => {
  it('has every piece of the fix as a switch, off in master but for what the old agent does anyway', () => {
    expect(image.fixes).to.deep.equal([...FIXES]);
    expect(choiceRules(settingsOf('master'))).to.deep.equal(master());
    expect(choiceRules(settingsOf('repick'))).to.deep.equal(repick());
  });

  it('has the three options as variants', () => {
    expect(choiceRules(settingsOf('repick-exclude'))).to.deep.equal(repick({ excludeFailed: true }));
    expect(choiceRules(settingsOf('repick-expiry'))).to.deep.equal(repick({ streakExpiryMs: 300_000 }));
    expect(choiceRules(settingsOf('repick-client-timeouts'))).to.deep.equal(
      repick({ countClientTimeouts: true }),
    );
  });

  it('has a mutant for each switch, which is the fix without that one', () => {
    const mutated = Object.entries(image.mutants).map(([name, { mutates }]) => {
      const fix = FIXES.find((one) => one === mutates.fix);
      expect(choiceRules(settingsOf(name)), name).to.deep.equal(repick({ [fix ?? '']: false }));
      return fix;
    });
    expect(mutated).to.deep.equal([...FIXES]);
  });

  it('has the intervals of the real agent as its defaults', () => {
    const settings = settingsOf('master');
    expect(agentRules(settings)).to.deep.equal(RULES);
    expect(keepAliveRules(settings)).to.deep.equal({
      pingIntervalMs: 600_000,
      pingCount: 3,
      silenceMs: 900_000,
      pingTimeoutMs: 30_000,
    });
  });
});
