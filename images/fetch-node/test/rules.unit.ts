import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { requireImage } from '../../../harness/image/index.ts';
import { RULES } from '../fetch-rules.ts';
import list from '../rules.json' with { type: 'json' };
import { variant } from './rule-test.ts';

const image = requireImage('fetch-node');
const own = new URL('.', import.meta.url);
const tests = readdirSync(own)
  .filter((name) => name.endsWith('.unit.ts'))
  .map((name) => readFileSync(new URL(name, own), 'utf8'))
  .join('\n');

describe('the list of rules', () => {
  it('names every switch once, in the order of the code, each with a mutant of its own', () => {
    expect(list.map(({ switch: one }) => one)).to.deep.equal([...RULES]);
    expect(new Set(list.map(({ mutant }) => mutant)).size).to.equal(list.length);
    expect(new Set(list.map(({ rule }) => rule)).size).to.equal(list.length);
  });

  it('agrees with image.json: a boolean setting that is on, a fix, and a mutant that is the shipped node with it off', () => {
    expect(image.fixes).to.deep.equal([...RULES]);
    for (const { switch: name, mutant, words, group } of list) {
      const setting = image.settings.find((one) => one.name === name);
      expect([setting?.type, setting?.default], name).to.deep.equal(['boolean', true]);
      const described = image.mutants[mutant];
      expect(described?.mutates, mutant).to.deep.equal({ fix: name, rule: words });
      const busy = group === 'busy';
      expect(described?.settings, mutant).to.deep.equal({ ...(busy ? { busy } : {}), [name]: false });
      expect(variant(mutant).rules).to.deep.equal({ ...variant('share').rules, [name]: false });
    }
    expect(Object.keys(image.mutants)).to.deep.equal(list.map(({ mutant }) => mutant));
  });

  it('has a test for each that fails with its mutant', () => {
    const untested = RULES.filter((name) => !new RegExp(`rule\\(\\s*'${name}'`).test(tests));
    expect(untested).to.deep.equal([]);
  });
});

describe('the variants', () => {
  it('are the release, each fix alone, both, and one that loses keys on purpose', () => {
    expect(Object.keys(image.variants)).to.deep.equal(['before', 'share', 'busy', 'share+busy', 'forgetful']);
    expect(Object.values(variant('share').rules).every((on) => on)).to.equal(true);
    expect(variant('share+busy').rules).to.deep.equal(variant('share').rules);
    expect(variant('busy').rules).to.deep.equal(variant('before').rules);
    const answers = Object.keys(image.variants).map((name) => variant(name).settings.yes('busy'));
    expect(answers).to.deep.equal([false, false, true, true, false]);
  });
});
