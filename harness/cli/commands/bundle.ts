import { basename } from 'node:path';
import type { CommandModule } from 'yargs';
import { describeBundle, OPTIONAL_PARTS, type OptionalPart, readManifest } from '../../bundle/index.ts';
import { findRunDir, readRun } from '../../record/index.ts';
import { plainLines } from '../../report/index.ts';

interface BundleArguments {
  readonly run: string;
  readonly out: string | undefined;
  readonly without: readonly OptionalPart[];
  readonly list: boolean;
}

/** `squall bundle RUN`: the run in one file; `--list` shows what is in such a file. */
export const command: CommandModule<object, BundleArguments> = {
  command: 'bundle [run]',
  describe: 'pack a run into one file, without secrets and environments, to be replayed anywhere',
  builder: (cli) =>
    cli
      .positional('run', {
        type: 'string',
        default: 'reports/latest',
        describe: 'folder or id of the run, or a bundle',
      })
      .option('out', {
        type: 'string',
        requiresArg: true,
        describe: 'the file to write; RUN.squall.tar.gz here',
      })
      .option('without', {
        choices: OPTIONAL_PARTS,
        array: true,
        default: [] as OptionalPart[],
        describe: 'leave these out as well',
      })
      .option('list', {
        type: 'boolean',
        default: false,
        describe: 'only say what is in a bundle that is there',
      })
      .example(
        '$0 bundle reports/latest',
        'record, inputs, logs, captures, ids of images; and a list of it all',
      )
      .example('$0 bundle 20261130-080000-1a2b.squall.tar.gz --list', 'what somebody else sent')
      .example('$0 bundle reports/latest --without logs events', 'small: trials and verdict only'),
  handler: async ({ run, out, without, list }) => {
    if (list) {
      // A bundle is somebody else's: its texts must not steer a terminal.
      process.stdout.write(plainLines(describeBundle(await readManifest(run))));
      return;
    }
    const dir = await findRunDir(run);
    const file = out ?? `${basename((await readRun(dir)).dir)}.squall.tar.gz`;
    const { executeBundle } = await import('../../session/index.ts');
    const manifest = await executeBundle(dir, file, without);
    process.stdout.write(`${plainLines(describeBundle(manifest))}${file}\n`);
  },
};
