import { expect } from 'chai';
import type { PublishedList } from '../published-list.ts';
import { paragraphsOf, reachedParagraphs } from '../published-paragraphs.ts';

const listOf = (...opens: string[]): PublishedList => ({
  document: 'd',
  note: '',
  values: [{ id: 'x', label: 'x', value: 1, unit: '', quote: 'one' }],
  rules: [],
  paragraphs: opens.map((words) => ({ opens: words, outOfScope: 'of a test' })),
  lost: [],
  chosen: [],
});

const SOURCE = `A heading

The cache only ever holds what was
computed from the pool. It is bounded:

• one that names itself is refused
• fewer than the minimum is refused
caller\tthe cost of it
the router\tnever becomes usable again
The last of them closes
its connections.
Then it answers what was pending.`;

const findUnlisted = (...call: Parameters<typeof reachedParagraphs>) => reachedParagraphs(...call).unlisted;

describe('paragraphs of a source', () => {
  it('are those between empty lines, bullets, rows and sentences on lines of their own, and no headings', () => {
    expect(paragraphsOf(SOURCE)).to.deep.equal([
      'The cache only ever holds what was computed from the pool. It is bounded:',
      '• one that names itself is refused',
      '• fewer than the minimum is refused',
      'caller the cost of it',
      'the router never becomes usable again The last of them closes its connections.',
      'Then it answers what was pending.',
    ]);
  });

  it('are each line that nobody wrapped', () => {
    const long = 'A line of many words. '.repeat(12).trim();
    expect(paragraphsOf(`of four words before\n${long}\n${long}\nof four words behind`)).to.have.length(4);
  });

  const all = [
    'The cache only ever',
    'one that names itself',
    'fewer than the minimum',
    'caller the cost',
    'never becomes usable',
    'Then it answers',
  ];

  it('are named when no entry begins in them', () => {
    expect(findUnlisted(listOf(...all), SOURCE)).to.deep.equal([]);
    for (const missing of all) {
      const rest = all.filter((one) => one !== missing);
      const unlisted = findUnlisted(listOf(...rest), SOURCE);
      expect(unlisted, missing).to.have.length(1);
      expect(unlisted[0]).to.contain(missing);
    }
  });

  it('are not reached by an entry that began in the one before', () => {
    const unlisted = findUnlisted(listOf('names itself is refused • fewer than the minimum'), SOURCE);
    expect(unlisted.some((line) => line.includes('fewer than'))).to.equal(true);
  });

  it('are reached whatever became of spaces and backticks in a copy', () => {
    expect(
      findUnlisted(listOf('`cache` only ever holds'), 'Thecacheonly ever holds what was said.'),
    ).to.deep.equal([]);
  });

  it('are short ones too, where they are a sentence', () => {
    expect(
      paragraphsOf('A short heading\n\nNever retry twice.\n\n• Ask once!\n\n4.\n\nButton'),
    ).to.deep.equal(['Never retry twice.', '• Ask once!']);
  });

  it('are told apart where no entry has their first word, as are entries that stand in several places', () => {
    const { unlisted, inTheMiddle, repeated } = reachedParagraphs(listOf(...all), SOURCE);
    expect(unlisted).to.deep.equal([]);
    expect(inTheMiddle).to.deep.equal([
      '"the router never becomes usable again The last of them closes its connections."',
    ]);
    expect(repeated).to.deep.equal([]);
    const twice = reachedParagraphs(listOf(...all, 'is refused'), SOURCE);
    expect(twice.repeated).to.deep.equal(['"is refused" (2 places)']);
  });

  it('are not asked for of a list that has none', () => {
    expect(findUnlisted(listOf(), SOURCE)).to.deep.equal([]);
  });
});
