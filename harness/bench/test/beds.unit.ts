import { expect } from 'chai';
import { best } from '../beds.ts';

describe('the bare engine beside ours', () => {
  it('is taken at the concurrency that serves it best, for starting and for removing by themselves', () => {
    const bare = [
      { concurrency: 4, startMs: 20, removeMs: 5 },
      { concurrency: 8, startMs: 10, removeMs: 9 },
      { concurrency: 4, startMs: 22, removeMs: 7 },
      { concurrency: 8, startMs: 30, removeMs: 7 },
    ];
    expect(best(bare, 'startMs')).to.deep.equal([10, 30]);
    expect(best(bare, 'removeMs')).to.deep.equal([5, 7]);
  });
});
