import type { CommandModule } from 'yargs';
import { SquallError } from '../../errors/index.ts';
import { pruneRuns } from '../../record/index.ts';
import { plainText } from '../../report/index.ts';
import { formatBytes, parseBytes, parseDurationMs } from '../../units/index.ts';
import { requireWhole } from '../require-whole.ts';

interface PruneArguments {
  readonly reports: string;
  readonly 'keep-runs'?: number | undefined;
  readonly 'max-size'?: string | undefined;
  readonly 'older-than'?: string | undefined;
  readonly 'dry-run': boolean;
}

/** `squall prune`: removes old runs; the latest one, and one that may be going on, stay. */
export const command: CommandModule<object, PruneArguments> = {
  command: 'prune',
  describe: 'remove old runs from reports/, by number, size or age',
  builder: (cli) =>
    cli
      .option('keep-runs', { type: 'number', describe: 'newest runs that stay' })
      .option('max-size', {
        type: 'string',
        requiresArg: true,
        describe: 'size of all runs together, such as 2GiB',
      })
      .option('older-than', {
        type: 'string',
        requiresArg: true,
        describe: 'runs of before that, such as 30d',
      })
      .option('dry-run', { type: 'boolean', default: false, describe: 'only say what would be removed' })
      .option('reports', { type: 'string', default: 'reports', describe: 'folder of records and reports' })
      .example('$0 prune --keep-runs 20 --max-size 2GiB', 'the oldest first, until both hold')
      .example('$0 prune --older-than 30d --dry-run', 'what that would remove'),
  handler: async (args) => {
    const { 'keep-runs': runs, 'max-size': size, 'older-than': age, 'dry-run': dryRun } = args;
    if (runs === undefined && size === undefined && age === undefined) {
      throw new SquallError('squall prune: has no limit; expected --keep-runs, --max-size or --older-than.', {
        code: 'no-limit',
        blame: 'input',
      });
    }
    requireWhole('keep-runs', runs, { least: 0, code: 'bad-number' });
    const pruned = await pruneRuns(args.reports, {
      nowMs: Date.now(),
      dryRun,
      ...(runs !== undefined && { runs }),
      ...(size !== undefined && { sizeBytes: parseBytes(size) }),
      ...(age !== undefined && { ageMs: parseDurationMs(age) }),
    });
    for (const { runId, sizeBytes, why } of pruned) {
      process.stdout.write(
        `${dryRun ? 'would remove' : 'removed'} ${plainText(runId)}  ${formatBytes(sizeBytes)}: ${why}\n`,
      );
    }
    if (pruned.length === 0) process.stdout.write('nothing to remove\n');
  },
};
