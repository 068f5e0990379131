import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createRun } from '../../record/index.ts';
import { samplePlan, sampleTrial } from '../../record/test/sample-record.ts';
import { type Cancelled, cancelRow } from '../cancel-time.ts';
import { findCut, readCancelled } from '../cancelled-run.ts';
import { isMissing, within } from '../table.ts';

const round = (endedMs: number, more: Partial<Cancelled> = {}): Cancelled => ({
  endedMs,
  exitCode: 130,
  lifted: true,
  ...more,
});

describe('the time until a run has ended after Ctrl-C', () => {
  it('is that of the slowest, held against 3 s', () => {
    expect(cancelRow([round(900), round(2_900), round(1_000)])).to.include({ figure: 2.9, limit: 3 });
    expect(within(cancelRow([round(2_900)]))).to.equal(true);
    expect(within(cancelRow([round(900), round(3_100)]))).to.equal(false);
  });

  it('is none where a run ended otherwise, left its fault in force, or never was', () => {
    for (const rounds of [[], [round(900), round(900, { exitCode: 0 })], [round(900, { lifted: false })]])
      expect(isMissing(cancelRow(rounds)), JSON.stringify(rounds)).to.equal(true);
  });

  describe('by the record', () => {
    let dir: string;
    beforeEach(async () => {
      dir = await mkdtemp(join(tmpdir(), 'squall-cancel-'));
    });
    afterEach(async () => {
      await rm(dir, { recursive: true, force: true });
    });
    const fault = {
      id: 'cut',
      kind: 'hold',
      targets: ['member-1'],
      selector: 'member[1]',
      settings: {},
      bit: true,
      gone: true,
      problems: [],
    };

    it('begins with the first fault, and there is none before', async () => {
      expect(await findCut(join(dir, 'reports'))).to.equal(undefined);
      await mkdir(join(dir, 'run-1'));
      expect(await findCut(dir)).to.equal(undefined);
      const run = await createRun(join(dir, 'run-1'), samplePlan());
      const trial = await run.openTrial({ pointId: 'default', trial: 1 });
      await trial.drained();
      expect(await findCut(dir)).to.equal(undefined);
      trial.event({ node: 'harness', event: 'fault.applied', atNs: 7, fields: { id: 'cut' } });
      await trial.drained();
      expect(await findCut(dir)).to.deep.equal({ runId: 'run-1', runDir: join(dir, 'run-1'), appliedNs: 7 });
    });

    for (const [says, faults, lifted] of [
      ['was lifted when it bit and is gone', [fault], true],
      ['was not lifted when it is not gone', [fault, { ...fault, gone: false }], false],
      ['was not lifted when it was not seen to act', [{ ...fault, bit: false }], false],
      ['was not lifted when there is none', [], false],
    ] as const) {
      it(`tells that the fault ${says}`, async () => {
        const run = await createRun(join(dir, 'run-1'), samplePlan());
        const trial = await run.openTrial({ pointId: 'default', trial: 1 });
        await trial.finish(sampleTrial({ faults: [...faults] }));
        expect(await readCancelled(run.dir)).to.equal(lifted);
      });
    }
  });
});
