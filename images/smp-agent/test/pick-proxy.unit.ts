import { expect } from 'chai';
import { stream } from '../../../harness/random/index.ts';
import { firstPick, pickProxy, pickStream } from '../pick-proxy.ts';

const candidates = ['proxy-1', 'proxy-2', 'proxy-3'].map((name) => ({ name, host: `host-of-${name}` }));

function picks(count: number, leftOut?: string, host = 'elsewhere'): (string | undefined)[] {
  const chance = stream('7', 'picks');
  return Array.from({ length: count }, () => pickProxy(chance, candidates, { host }, leftOut)?.picked.name);
}

describe('picking a proxy', () => {
  it('gives each candidate its share', () => {
    const names = picks(3_000);
    for (const { name } of candidates) {
      expect(names.filter((picked) => picked === name).length).to.be.within(900, 1_100);
    }
  });

  it('avoids the host of the destination, and the proxy that is left out, while others remain', () => {
    expect(new Set(picks(50, 'proxy-1'))).to.deep.equal(new Set(['proxy-2', 'proxy-3']));
    expect(new Set(picks(50, undefined, 'host-of-proxy-2'))).to.deep.equal(new Set(['proxy-1', 'proxy-3']));
    expect(new Set(picks(50, 'proxy-1', 'host-of-proxy-2'))).to.deep.equal(new Set(['proxy-3']));
    const alone = pickProxy(
      stream('7', 'picks'),
      candidates.slice(0, 1),
      { host: 'host-of-proxy-1' },
      'proxy-1',
    );
    expect(alone).to.deep.equal({ picked: candidates[0], of: 1 });
  });

  it('is known beforehand from seed, agent and destination, whatever else is picked meanwhile', () => {
    const proxies = candidates.map(({ name }) => name);
    const seen = new Set<string | undefined>();
    for (let seed = 0; seed < 20; seed += 1) {
      const facts = { seed: String(seed), agent: 'app-1', destination: 'relay-1', proxies };
      const chance = stream(facts.seed, 'app-1/proxy');
      pickProxy(pickStream(chance, 'relay-2'), candidates, { host: 'elsewhere' });
      const first = pickProxy(pickStream(chance, 'relay-1'), candidates, { host: 'elsewhere' });
      expect(first?.picked.name).to.equal(firstPick(facts));
      seen.add(first?.picked.name);
    }
    expect(seen.size).to.equal(3);
  });

  it('needs two streaks on average with two proxies, and one where the failed proxy is left out', () => {
    const two = candidates.slice(0, 2);
    const streaks = (seed: number, excludes: boolean): number | undefined => {
      const chance = pickStream(stream(String(seed), 'app-1/proxy'), 'relay-1');
      const pick = (leftOut?: string) => pickProxy(chance, two, { host: 'elsewhere' }, leftOut)?.picked.name;
      if (pick() !== 'proxy-1') return undefined;
      for (let count = 1; ; count += 1)
        if (pick(excludes ? 'proxy-1' : undefined) === 'proxy-2') return count;
    };
    const mean = (excludes: boolean): number => {
      const counts = Array.from({ length: 2_000 }, (_, seed) => streaks(seed, excludes)).filter(
        (count) => count !== undefined,
      );
      expect(counts.length).to.be.within(900, 1_100);
      return counts.reduce((sum, count) => sum + count, 0) / counts.length;
    };
    expect(mean(false)).to.be.within(1.8, 2.2);
    expect(mean(true)).to.equal(1);
  });
});
