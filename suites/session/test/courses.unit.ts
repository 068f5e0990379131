import { expect } from 'chai';
import { loadSuite } from '../../../harness/suite/index.ts';
import { brokenOnLoopback } from './judge-loopback.ts';

/** One course of the suite, end to end; all of them run on containers. */
describe('a course of a row, with the real programs on loopback', function () {
  this.timeout(60_000);
  const suite = loadSuite('suites/session');
  const broken = async (variant: string, part: number) => {
    const row = (await suite).scenarios.find(({ name }) => name === 'redirects');
    if (!row) throw new Error('no row "redirects"');
    return await brokenOnLoopback(row, { course: 'itself', variant }, part);
  };

  it('holds with the final client, and not with a rule switched off', async () => {
    const [final, mutant] = await Promise.all([broken('final', 101), broken('short-asks-nothing', 102)]);
    expect(final.broken).to.deep.equal([]);
    expect(final.judged).to.be.above(2);
    expect(mutant.broken.map(({ found }) => found)).to.deep.equal([0, 0]);
  });
});
