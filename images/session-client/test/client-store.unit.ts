import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ClientStore } from '../client-store.ts';
import { node } from './pool-world.ts';

describe('what of a client outlives its process', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'client-store-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is what it saved: strikes to the fraction of a millisecond, edge nodes, the pool', () => {
    const before = new ClientStore(join(folder, 'a'));
    const strikes = new Map([['k', [1_700_000_000_000.25, 1_700_000_000_001]]]);
    const edges = [{ node: node(1), sinceMs: 1_700_000_000_000.5 }];
    before.strikes.save(strikes);
    before.edges.save(edges);
    before.savePool({ nodes: [node(2), node(3)], savedAtMs: 1_700_000_000_002.75 });
    const after = new ClientStore(join(folder, 'a'));
    expect([...after.strikes.load()]).to.deep.equal([...strikes]);
    expect(after.edges.load()).to.deep.equal(edges);
    expect(after.loadPool()).to.deep.equal({ nodes: [node(2), node(3)], savedAtMs: 1_700_000_000_002.75 });
  });

  it('is nothing without a folder, and nothing of what is no time or node in a file', () => {
    const none = new ClientStore(undefined);
    none.strikes.save(new Map([['k', [1]]]));
    expect([...none.strikes.load()]).to.deep.equal([]);
    const store = new ClientStore(folder);
    writeFileSync(join(folder, 'strikes.json'), '{"k": ["x", null, 5], "l": 7}');
    writeFileSync(join(folder, 'edges.json'), '[{"node": 1, "sinceMs": 2}, 3]');
    writeFileSync(join(folder, 'pool.json'), '{"nodes": [], "savedAtMs": "x"}');
    expect(Object.fromEntries(store.strikes.load())).to.deep.equal({ k: [5], l: [] });
    expect(store.edges.load()).to.deep.equal([]);
    expect(store.loadPool()).to.equal(undefined);
  });
});
