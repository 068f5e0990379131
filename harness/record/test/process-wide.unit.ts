import { expect } from 'chai';
import { registeredMeasures, registerMeasure } from '../index.ts';

describe('what suites register', () => {
  it('is found by another copy of this code in the same process', async () => {
    const url = new URL('../measure.ts?another-copy', import.meta.url).href;
    const copy = (await import(url)) as { registeredMeasures: typeof registeredMeasures };
    expect(copy.registeredMeasures, 'it is another copy').to.not.equal(registeredMeasures);
    registerMeasure('test.process-wide', () => ({}));
    expect(copy.registeredMeasures()).to.include('test.process-wide');
  });
});
