import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Part } from '../part.ts';
import { SubjectRun } from '../subject-run.ts';
import { atMoment, drawMoment, drawTruth } from './moment.ts';

const SIZE_BYTES = 8 * 1024 * 1024;
const BLOCK = Buffer.alloc(64 * 1024);

/** Fills what is free, to the last page. */
async function fill(folder: string): Promise<number> {
  const file = await open(join(folder, 'ballast'), 'a');
  let writtenBytes = 0;
  try {
    for (const block of [BLOCK, BLOCK.subarray(0, 4096)]) {
      for (;;) writtenBytes += (await file.write(block)).bytesWritten;
    }
    return writtenBytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    return writtenBytes;
  } finally {
    await file.close();
  }
}

/** The reports' disk is a small one, and full from a random moment on. */
export const diskFull: Part = {
  name: 'disk-full',
  title: 'the disk of the reports is full from a random moment on',
  times: { whole: 10, short: 1 },
  secondsEach: 25,
  whyNot: () =>
    process.getuid?.() === 0 ? undefined : 'a file system of its own can be mounted by root only',
  async attempt(world, chance) {
    const disk = join(world.folder, 'small');
    mkdirSync(disk);
    await promisify(execFile)('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_BYTES}`, 'squall-torture', disk]);
    try {
      const reportsDir = join(disk, 'reports');
      mkdirSync(reportsDir);
      const run = new SubjectRun(world, { truth: drawTruth(chance), reportsDir });
      const momentMs = drawMoment(chance);
      const met = await atMoment(world, run, momentMs);
      const filledBytes = await fill(disk);
      return await run.outcome(met, { momentMs, filledBytes });
    } finally {
      await promisify(execFile)('umount', [disk]);
    }
  },
};
