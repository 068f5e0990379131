import { expect } from 'chai';
import { loadSuite } from '../../../harness/suite/index.ts';
import { brokenOnLoopback } from './judge-loopback.ts';

/** One course of the suite, end to end; all of them run on containers. */
describe('a course of a row, with the real programs on loopback', function () {
  this.timeout(60_000);
  const suite = loadSuite('suites/session');
  const brokenIn = async (name: string, course: string, variant: string, part: number) => {
    const row = (await suite).scenarios.find((one) => one.name === name);
    if (!row) throw new Error(`no row "${name}"`);
    return await brokenOnLoopback(row, { course, variant }, part);
  };
  const broken = (variant: string, part: number) => brokenIn('redirects', 'itself', variant, part);

  it('holds with the final client, and not with a rule switched off', async () => {
    const [final, mutant] = await Promise.all([broken('final', 101), broken('short-asks-nothing', 102)]);
    expect(final.broken).to.deep.equal([]);
    expect(final.judged).to.be.above(2);
    expect(mutant.broken.map(({ found }) => found)).to.deep.equal([0, 0]);
  });

  it('holds while nothing is heard, and over a launch, and not with a rule switched off', async () => {
    const silent = (variant: string, part: number) =>
      brokenIn('silent-network', 'closed-under-way', variant, part);
    const launched = (variant: string, part: number) =>
      brokenIn('edge-nodes', 'strikes-over-a-restart', variant, part);
    const [closed, walked, kept, lost] = await Promise.all([
      silent('final', 103),
      silent('close-walks-members', 104),
      launched('final', 105),
      launched('strikes-unflushed', 106),
    ]);
    expect([closed.broken, kept.broken]).to.deep.equal([[], []]);
    expect([walked, lost].map((one) => one.broken.map(({ found }) => found))).to.deep.equal([[0], [0]]);
  });
});
