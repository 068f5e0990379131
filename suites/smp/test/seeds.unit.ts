import { expect } from 'chai';
import { firstPick } from '../../../images/smp-agent/index.ts';
import { FIRST_PICK_P1, FIRST_PICK_P1_THEN_GOOD, picksAre, picksFor, proxyNames, RELAY } from '../seeds.ts';

const SEEDS = Array.from({ length: 400 }, (_, index) => `run/contact-joins/proxies=2/${index}`);
const share = (seeds: readonly string[], all: readonly string[]): number => seeds.length / all.length;

describe('seeds of trials', () => {
  it('say the same first pick as the agent itself', () => {
    for (const seed of SEEDS.slice(0, 50)) {
      const proxies = proxyNames(3);
      const agents = firstPick({ seed, agent: 'app-1', destination: RELAY, proxies });
      expect(picksFor(seed, 3, 1)).to.deep.equal([agents]);
    }
  });

  it('begin with P1 in half of all cases where there are two proxies, and in a tenth where there are ten', () => {
    const holds = (proxies: number) => SEEDS.filter((seed) => FIRST_PICK_P1.holds(seed, { proxies }));
    expect(share(holds(2), SEEDS)).to.be.within(0.4, 0.6);
    expect(share(holds(10), SEEDS)).to.be.within(0.05, 0.16);
    expect(holds(1)).to.have.length(SEEDS.length);
  });

  it('may ask for a good pick among the first few', () => {
    const holds = (picks: number) =>
      SEEDS.filter((seed) => FIRST_PICK_P1_THEN_GOOD.holds(seed, { proxies: 2, picks }));
    for (const seed of holds(2)) expect(picksFor(seed, 2, 2)).to.deep.equal(['proxy-1', 'proxy-2']);
    expect(share(holds(2), holds(0))).to.be.within(0.38, 0.62);
    expect(share(holds(6), holds(0))).to.be.above(0.92);
    const alone = { proxies: 1, picks: 6 };
    expect(FIRST_PICK_P1_THEN_GOOD.holds('any', alone), 'with one proxy there is no other').to.equal(true);
  });

  it('may ask for certain picks in a row', () => {
    const wanted = picksAre('proxy-1', 'proxy-2');
    const found = SEEDS.filter((seed) => wanted.holds(seed, {}));
    expect(share(found, SEEDS)).to.be.within(0.17, 0.33);
    for (const seed of found) expect(picksFor(seed, 2, 2)).to.deep.equal(['proxy-1', 'proxy-2']);
  });

  it('differ from agent to agent', () => {
    const of = (agent: string) => SEEDS.map((seed) => picksFor(seed, 2, 1, agent)[0]);
    expect(of('app-1')).to.not.deep.equal(of('app-2'));
  });
});
