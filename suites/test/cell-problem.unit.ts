import { expect } from 'chai';
import type { PublishedList } from '../../harness/cli/published-list.ts';
import { cellProblem } from './cell-problem.ts';

const value = (id: string, of: number | string) => ({
  id,
  label: id,
  value: of,
  unit: '',
  quote: 'its words',
});
const LIST: PublishedList = {
  document: 'd',
  note: '',
  values: [
    value('sum', 43233),
    value('outages', 54),
    value('none', 0),
    value('leak', 'a small leak'),
    value('trials', '2/2'),
  ],
  rules: [{ rule: 'rotation', quote: 'path_length - 1 nodes' }],
  paragraphs: [],
  lost: [],
  chosen: [],
};

describe('a cell of a README', () => {
  for (const [cell, ...ids] of [
    ['43,233 in 54', 'sum', 'outages'],
    ['none', 'none'],
    ['a small leak', 'leak'],
    ['2 of 2', 'trials'],
    ['path_length − 1', 'rule rotation'],
    ['said in words'],
  ] as const)
    it(`"${cell}" is what ${ids.join(', ') || 'no figure'} says`, () => {
      expect(cellProblem(LIST, cell, ids)).to.equal(undefined);
    });

  for (const [cell, problem, ...ids] of [
    ['none in 54', '54: of no entry', 'none'],
    ['43,233 in 54', '54: of no entry', 'sum'],
    ['54 of 54', '54: of no entry', 'outages'],
    ['43,233', 'outages, which is 54', 'sum', 'outages'],
    ['2', 'trials, which is 2/2', 'trials'],
    ['a leak', 'leak, which is a small leak', 'leak'],
    ['some', 'none, which is 0', 'none'],
    ['7', '7: of no entry'],
    ['7', 'gone is not in the list', 'gone'],
  ] as const)
    it(`"${cell}" is not what ${ids.join(', ') || 'no figure'} says`, () => {
      expect(cellProblem(LIST, cell, ids)).to.include(problem);
    });
});
