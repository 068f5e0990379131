import { expect } from 'chai';
import { documentCells, numbersIn, publishedCells } from './document-cells.ts';

describe('what a README has as figures of the document', () => {
  it('is read from the columns of that name, in each of its tables', () => {
    const markdown = `| row | document | ours |
| --- | -------- | ---- |
| sum | 43,233 in 54 | 34,100 |
| a   |  | 1 |
| b   | – | 2 |

| ours | what |
| ---- | ---- |
| 7    | the document has none |

| documents | ours |
| :-------: | ---- |
| 9 of 14   | 8    |`;
    expect(documentCells(markdown)).to.deep.equal([
      { row: 'sum', cell: '43,233 in 54' },
      { row: '9 of 14', cell: '9 of 14' },
    ]);
    expect(documentCells(markdown).map(({ cell }) => numbersIn(cell))).to.deep.equal([
      ['43233', '54'],
      ['9', '14'],
    ]);
  });

  it('is read from the summary of a run as it was printed, dashes too', () => {
    const markdown = `|     | ours | published   | from |
| --- | ---- | ----------- | ---- |
| sum | 7    | 54 outages  | 2    |
| own | 8    | –           | 2    |`;
    expect(publishedCells(markdown)).to.deep.equal([
      { row: 'sum', cell: '54 outages' },
      { row: 'own', cell: '–' },
    ]);
  });
});
