import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { sampleTrial } from '../../record/test/sample-record.ts';
import { FloodRecord, type RecordedFlood } from '../flood-record.ts';

describe('the record of a flood', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'squall-flood-'));
  });
  afterEach(async () => {
    await rm(dir, { recursive: true, force: true });
  });

  /**
   * A line a millisecond of one node, but for those that `drop` takes out.
   * @param everyMs when the record takes each, by the harness's clock
   */
  async function flood(
    lines: number,
    drop: (number: number) => boolean,
    everyMs = 1,
  ): Promise<RecordedFlood> {
    let harnessNs = 5e12;
    const record = await FloodRecord.open(dir, () => harnessNs);
    for (let number = 1; number <= lines; number += 1) {
      harnessNs += everyMs * 1e6;
      if (drop(number)) continue;
      record.line('member-1', `{"number":${number}}`);
      record.event({ node: 'member-1', event: 'flood.line', atNs: number * 1e6, fields: { number } });
    }
    record.event({ node: 'member-1', event: 'flood.ended', atNs: (lines + 1) * 1e6, fields: {} });
    return await record.finish(sampleTrial());
  }

  it('is counted as it stands on the disk, events and log lines', async () => {
    const { events, perSecond, logLines, lostLogLines } = await flood(1_001, () => false);
    expect({ events, logLines, lostLogLines }).to.deep.equal({
      events: 1_001,
      logLines: 1_001,
      lostLogLines: 0,
    });
    expect(perSecond).to.be.closeTo(1_001, 1e-6);
  });

  it('is as slow as its record, however fast the nodes wrote', async () => {
    expect((await flood(1_001, () => false, 6)).perSecond).to.be.closeTo(1_001 / 6, 1e-6);
  });

  it('lasts until its last event stands in the file', async () => {
    const record = await FloodRecord.open(dir, () => {
      const size = statSync(join(dir, 'trials/flood/1/events.jsonl'), { throwIfNoEntry: false })?.size ?? 0;
      return size === 0 ? 0 : 2e9;
    });
    for (const number of [1, 2])
      record.event({ node: 'member-1', event: 'flood.line', atNs: number, fields: { number } });
    expect((await record.finish(sampleTrial())).perSecond).to.equal(1);
  });

  it('lacks what was never written, and counts nothing twice', async () => {
    expect((await flood(1_000, (number) => number % 100 === 50)).events).to.equal(990);
    const twice = await FloodRecord.open(dir);
    for (const number of [1, 2, 2])
      twice.event({ node: 'member-1', event: 'flood.line', atNs: number, fields: { number } });
    expect((await twice.finish(sampleTrial())).events).to.equal(2);
  });

  it('takes nothing more once it has ended, while the bed is still being removed', async () => {
    const record = await FloodRecord.open(dir);
    record.event({ node: 'member-1', event: 'flood.line', atNs: 1, fields: { number: 1 } });
    const ending = record.finish(sampleTrial());
    record.event({ node: 'member-1', event: 'flood.line', atNs: 2, fields: { number: 2 } });
    record.line('member-1', 'late');
    expect(await ending).to.include({ events: 1, logLines: 0 });
  });

  it('has no rate where nothing came', async () => {
    expect((await flood(0, () => false)).perSecond).to.be.NaN;
  });
});
