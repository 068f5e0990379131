import { expect } from 'chai';
import { documentCells, numbersIn } from './document-cells.ts';

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
    expect(documentCells(markdown)).to.deep.equal(['43,233 in 54', '9 of 14']);
    expect(documentCells(markdown).map(numbersIn)).to.deep.equal([
      ['43233', '54'],
      ['9', '14'],
    ]);
  });
});
