import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { manualClock } from '../../../harness/clock/index.ts';
import { keyOf } from '../chunk-key.ts';
import { ChunkStore, clearOtherLives, diskFiles } from '../chunk-store.ts';

describe('chunks on a disk', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'squall-store-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are found again within a life of the bed, and gone in the next, as those in memory are', async () => {
    const bytes = Buffer.from('content');
    const count = async (label: string): Promise<number> => {
      await clearOtherLives(join(folder, 'store'), label);
      const store = await ChunkStore.open(diskFiles(join(folder, 'store')), manualClock());
      const found = store.count;
      await store.put(keyOf(bytes), bytes);
      return found;
    };
    expect(await count('g1')).to.equal(0);
    expect(await count('g1')).to.equal(1);
    expect(await count('g2')).to.equal(0);
    expect(await count('g2')).to.equal(1);
  });
});
