import { expect } from 'chai';
import { findMisquotes, type PublishedList } from '../published-list.ts';

const listOf = (value: number | string, quote: string): PublishedList => ({
  document: 'd',
  note: '',
  values: [{ id: 'x', label: 'x', value, unit: '', quote }],
  rules: [],
  paragraphs: [],
  lost: [],
  chosen: [],
});

describe('published list', () => {
  const source = 'It cut false deaths from 43,233 to\n19,016, and had none at 11.9 to 12.5 seconds.';

  it('accepts a value that its quote states, across line breaks and thousands separators', () => {
    expect(findMisquotes(listOf(43233, 'false deaths from 43,233 to 19,016'), source)).to.deep.equal([]);
    expect(findMisquotes(listOf(11.9, 'none at 11.9 to 12.5 seconds'), source)).to.deep.equal([]);
    expect(findMisquotes(listOf(0, 'and had none at 11.9'), source)).to.deep.equal([]);
  });

  it('holds what is no number to the words as well', () => {
    const text = 'It leaves a small leak of 2 nodes, 48 of them new, over about an hour.';
    const misquotes = (value: string): string[] => findMisquotes(listOf(value, text), text);
    for (const stated of ['a small leak', '2 and 48', '48 new', 'about 1'])
      expect(misquotes(stated), stated).to.deep.equal([]);
    for (const wrong of ['a large leak', 'at most 2', '48 old'])
      expect(misquotes(wrong)[0], wrong).to.contain(`do not state ${wrong}`);
  });

  it('names a rule whose words the source does not hold, and asks nothing of one from elsewhere', () => {
    const rules = [
      { rule: 'kept', quote: 'had none at\n11.9' },
      { rule: 'made-up', quote: 'had none at 12.9' },
      { rule: 'decided', elsewhere: 'decided by us' },
    ];
    const list = { ...listOf(0, 'and had none at 11.9'), rules };
    expect(findMisquotes(list, source)).to.deep.equal([
      'rule made-up: the source does not say "had none at 12.9"',
    ]);
  });

  it('names a paragraph that the source does not hold, whether it has rules or none', () => {
    const paragraphs = [
      { opens: 'It cut false deaths', rules: ['kept'] },
      { opens: 'It cut true deaths', outOfScope: 'not ours' },
    ];
    const list = { ...listOf(0, 'and had none at 11.9'), paragraphs };
    expect(findMisquotes(list, source)).to.deep.equal(['the source has no paragraph "It cut true deaths"']);
  });

  it('names a quote that the source does not hold', () => {
    expect(findMisquotes(listOf(7, 'seven of 7 died'), source)[0]).to.contain('does not say');
  });

  it('names a value that its own quote does not state, also when it is only part of a longer number', () => {
    expect(findMisquotes(listOf(3233, 'false deaths from 43,233 to 19,016'), source)[0]).to.contain(
      'do not state 3233',
    );
    expect(findMisquotes(listOf(12, 'none at 11.9 to 12.5 seconds'), source)[0]).to.contain(
      'do not state 12',
    );
  });
});
