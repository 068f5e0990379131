import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { requireImage } from '../../../harness/image/index.ts';
import { RULES } from '../client-rules.ts';
import list from '../rules.json' with { type: 'json' };
import { variant } from './rule-test.ts';

const image = requireImage('session-client');
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

  it('agrees with image.json: a boolean setting that is on, a fix, and a mutant that is final with it off', () => {
    expect(image.fixes).to.deep.equal([...RULES]);
    for (const { switch: own, mutant, words } of list) {
      const setting = image.settings.find(({ name }) => name === own);
      expect([setting?.type, setting?.default], own).to.deep.equal(['boolean', true]);
      const described = image.mutants[mutant];
      expect(described?.mutates, mutant).to.deep.equal({ fix: own, rule: words });
      expect(described?.settings, mutant).to.deep.equal({ [own]: false });
      expect(variant(mutant).rules).to.deep.equal({ ...variant('final').rules, [own]: false });
    }
    expect(Object.keys(image.mutants)).to.deep.equal(list.map(({ mutant }) => mutant));
  });

  it('has a test for each that fails with its mutant', () => {
    const untested = RULES.filter((name) => !new RegExp(`rule\\(\\s*'${name}'`).test(tests));
    expect(untested).to.deep.equal([]);
  });
});

describe('the variants', () => {
  it('are those of the documents', () => {
    expect(Object.keys(image.variants)).to.deep.equal([
      'original',
      'evict-only',
      'refresh-only',
      'proposal',
      'unknown-only',
      'final',
    ]);
    expect(Object.values(variant('final').rules).every((on) => on)).to.equal(true);
  });

  it('are evict-only: the original that erases the memo, and nothing else', () => {
    expect(variant('evict-only').rules).to.deep.equal(variant('original').rules);
    expect(variant('evict-only').limits.evictOnRejection).to.equal(true);
    expect(variant('original').limits.evictOnRejection).to.equal(false);
  });
});
