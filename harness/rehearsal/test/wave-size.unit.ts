import { expect } from 'chai';
import { waveSizes, whatLacks } from '../index.ts';

const GIB = 1024 ** 3;

describe('size of a wave', () => {
  const set = { holders: 40, joiners: 20, outage: '10s' };
  const parameters = { chunks: { default: 1_200 } };

  it('goes down to the least in proportion, step by step', () => {
    const sizes = waveSizes({ set, shrinkTo: { holders: 8, joiners: 4, chunks: 240 } }, parameters, []);
    expect(sizes[0]).to.deep.equal({ holders: 40, joiners: 20, chunks: 1_200 });
    expect(sizes.at(-1)).to.deep.equal({ holders: 8, joiners: 4, chunks: 240 });
    expect(sizes).to.have.length(11);
    expect(sizes[5]).to.deep.equal({ holders: 24, joiners: 12, chunks: 720 });
  });

  it('is the one that is asked for where nothing may be smaller, or the call says it itself', () => {
    expect(waveSizes({ set }, parameters, [])).to.deep.equal([{}]);
    expect(waveSizes({ set, shrinkTo: { holders: 8 } }, parameters, ['holders'])).to.deep.equal([{}]);
    expect(waveSizes({ set, shrinkTo: { holders: 40 } }, parameters, [])).to.deep.equal([{}]);
    expect(waveSizes({ set: { holders: 3 }, shrinkTo: { holders: 1 } }, parameters, [])).to.deep.equal([
      { holders: 3 },
      { holders: 2 },
      { holders: 1 },
    ]);
  });

  it('is too much for what is free, with what is to stay free', () => {
    const forecast = { waveBytes: GIB, recordBytes: GIB, memoryBytes: 3 * GIB };
    const room = { diskFreeBytes: 4 * GIB, memoryFreeBytes: 4 * GIB };
    expect(whatLacks(forecast, room, {})).to.equal(undefined);
    expect(whatLacks(forecast, room, { diskFreeBytes: 3 * GIB })).to.include({
      what: 'disk',
      neededBytes: 5 * GIB,
    });
    expect(whatLacks(forecast, room, { memoryFreeBytes: 2 * GIB })).to.include({ what: 'memory' });
  });
});
