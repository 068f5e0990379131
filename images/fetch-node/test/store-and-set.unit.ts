import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { manualClock } from '../../../harness/clock/index.ts';
import { compareDistance, distanceBetween, idOf, keyOf } from '../chunk-key.ts';
import { layChunks } from '../chunk-set.ts';
import { ChunkStore, diskFiles, memoryFiles } from '../chunk-store.ts';
import { CloseGroups } from '../close-groups.ts';

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `holder-${index + 1}`);

describe('close groups', () => {
  it('are the nodes nearest by XOR, as the distances of whole keys have it', () => {
    const places = names(40).map((name) => ({ name, id: idOf(name) }));
    const groups = new CloseGroups(places);
    for (let index = 0; index < 50; index += 1) {
      const key = keyOf(Buffer.from(`key ${index}`));
      const byDistance = [...places].sort((one, other) =>
        compareDistance(distanceBetween(one.id, key), distanceBetween(other.id, key)),
      );
      expect(groups.nearest(key, 7)).to.deep.equal(byDistance.slice(0, 7).map(({ name }) => name));
      for (const [rank, place] of byDistance.entries())
        expect(groups.isAmong(key, place, 9), `${place.name} at ${rank}`).to.equal(rank < 9);
    }
  });

  it('judge a node that is not there yet as if it were', () => {
    const groups = new CloseGroups(names(10).map((name) => ({ name, id: idOf(name) })));
    const own = { name: 'joiner-1', id: idOf('joiner-1') };
    expect(groups.isAmong(own.id, own, 1)).to.equal(true);
    expect(groups.has('joiner-1')).to.equal(false);
  });
});

describe('a chunk set', () => {
  const facts = {
    seed: 's',
    count: 80,
    chunkBytes: 300,
    sizeRatio: 0.5,
    incumbents: names(12),
    closeGroupSize: 7,
    paidListGroupSize: 20,
  };

  it('is the same for the same seed, another for another, and each chunk has the key of its content', () => {
    const set = [...layChunks(facts)];
    const keys = set.map(({ key }) => key);
    expect([...layChunks(facts)].map(({ key }) => key)).to.deep.equal(keys);
    expect([...layChunks({ ...facts, seed: 't' })].map(({ key }) => key)).not.to.include(keys[0]);
    expect(new Set(keys).size).to.equal(80);
    for (const { key, bytes } of set) {
      expect(keyOf(bytes)).to.equal(key);
      expect(bytes.length).to.be.within(150, 450);
    }
  });

  it('is laid on the close group of each key, and known as paid for by more', () => {
    for (const { holders, paid } of layChunks(facts)) {
      expect(new Set(holders).size).to.equal(7);
      expect(paid.slice(0, 7)).to.deep.equal(holders);
      expect(paid).to.have.length(12);
    }
  });
});

describe('a store', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'squall-chunks-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const bytes = Buffer.from('content');
  const key = keyOf(bytes);

  it('finds its chunks again on disk, and takes no other file for one', async () => {
    const clock = manualClock();
    await (await ChunkStore.open(diskFiles(folder), clock)).put(key, bytes);
    expect(readdirSync(join(folder, 'chunks'))).to.deep.equal([key.slice(-2)]);
    writeFileSync(join(folder, 'chunks', 'layout.json'), '{}');
    const again = await ChunkStore.open(diskFiles(folder), clock);
    expect([again.count, again.sizeBytes]).to.deep.equal([1, 7]);
    expect(Buffer.from((await again.get(key)) ?? []).toString()).to.equal('content');
  });

  it('is full at its bound, and counts a chunk once however often it comes', async () => {
    const store = await ChunkStore.open(memoryFiles(), manualClock());
    store.diskBytes = 10;
    await Promise.all([store.put(key, bytes), store.put(key, bytes)]);
    const failed = await store.put(keyOf(Buffer.from('more')), Buffer.from('more')).then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(failed).to.match(/^ENOSPC/);
    expect([store.count, store.sizeBytes, store.counts.writesFailed]).to.deep.equal([1, 7, 1]);
  });

  it('has a chunk only once a slow write is over', async () => {
    const clock = manualClock();
    const store = await ChunkStore.open(memoryFiles(), clock);
    store.writeMs = 100;
    const writing = store.put(key, bytes);
    await clock.leap(99);
    expect(store.has(key)).to.equal(false);
    await clock.leap(1);
    await writing;
    expect(store.has(key)).to.equal(true);
  });
});
