import { expect } from 'chai';
import { readImages } from '../../../../harness/image/index.ts';
import { expandGrid } from '../../../../harness/scenario/index.ts';
import { claimProblems, knownMutants, mutantClaims } from '../../../../harness/session/index.ts';
import { loadSuite } from '../../../../harness/suite/index.ts';
import { RULES } from '../../../../images/fetch-node/index.ts';
import { ruleMeasure } from '../scenario.ts';

const suite = loadSuite('suites/ant');
const images = readImages().filter(({ name }) => name === 'fetch-node');

describe('the scenario of single rules', () => {
  it('claims every mutant of the fetch node', async () => {
    const mutants = knownMutants(images);
    const claims = mutantClaims((await suite).scenarios, mutants);
    expect(claimProblems(claims, mutants)).to.deep.equal([]);
    expect(claims).to.have.length(RULES.length);
  });

  it('plays each mutant against its own rule, and the shipped node against all', async () => {
    const scenario = (await suite).scenarios.find(({ name }) => name === 'rules');
    if (!scenario) throw new Error('no scenario');
    const claims = mutantClaims([scenario], knownMutants(images));
    for (const { mutant, controlPoint, mutantPoint } of claims) {
      const described = images[0]?.mutants[mutant];
      expect(controlPoint['rule'], mutant).to.equal(described?.mutates.fix);
      expect(mutantPoint, mutant).to.deep.equal({ ...controlPoint, variant: mutant });
    }
    const points = expandGrid(scenario, scenario.grids['quick']!, {});
    expect(points.map(({ rule }) => rule)).to.deep.equal([...RULES]);
  });

  it('says nothing of a case that was not played to its end, or twice', () => {
    const trial = {} as Parameters<typeof ruleMeasure>[0];
    const seen = (...kept: readonly unknown[]) =>
      kept.map((one) => ({ event: 'rule.observed', fields: { kept: one } })) as unknown as Parameters<
        typeof ruleMeasure
      >[1];
    expect(ruleMeasure(trial, seen())['kept']).to.equal(null);
    expect(ruleMeasure(trial, seen(true, true))['kept']).to.equal(null);
    expect(ruleMeasure(trial, seen(false))['kept']).to.equal(0);
    expect(ruleMeasure(trial, seen('true'))['kept']).to.equal(0);
    expect(ruleMeasure(trial, seen(true))['kept']).to.equal(1);
  });

  it('has the limit that an overflown table bypassed, as its node counted it', () => {
    const trial = {} as Parameters<typeof ruleMeasure>[0];
    const events = (fields: Readonly<Record<string, unknown>>) =>
      [{ event: 'rule.observed', fields }] as unknown as Parameters<typeof ruleMeasure>[1];
    const past = (fields: Readonly<Record<string, unknown>>) =>
      ruleMeasure(trial, events(fields))['startedPastUntracked'];
    expect(past({ kept: true, startedPastUntracked: 3 })).to.equal(3);
    expect(past({ kept: true, startedPastUntracked: 0 })).to.equal(0);
    expect(past({ kept: true })).to.equal(null);
  });
});
