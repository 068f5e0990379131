import type { CommandModule } from 'yargs';
import { findEngine } from '../../engine/index.ts';
import { EXIT } from '../../errors/index.ts';
import { type SweepGroup, sweep } from '../../testnet/index.ts';
import { formatDurationMs, parseDurationMs } from '../../units/index.ts';

interface SweepArguments {
  'older-than': string | undefined;
  'dry-run': boolean;
  json: boolean;
}

/** `squall sweep`: finishes what dead runs have left behind; living ones are not touched. */
export const command: CommandModule<object, SweepArguments> = {
  command: 'sweep',
  describe: 'remove what runs that are gone have left behind',
  builder: (cli) =>
    cli
      .option('older-than', {
        type: 'string',
        describe: 'also kept testnets, and things of unseen owners, that are older than this (2h, 30m)',
      })
      .option('dry-run', { type: 'boolean', default: false, describe: 'say what would be removed' })
      .option('json', { type: 'boolean', default: false, describe: 'print the findings as JSON' })
      .example('$0 sweep --dry-run', 'what is there, whose it is, and what would be done')
      .example('$0 sweep --older-than 12h', "last night's testnets too"),
  handler: async (args) => {
    const olderThanMs = args['older-than'] === undefined ? undefined : parseDurationMs(args['older-than']);
    // Sweeping never installs an engine: where none answers there is nothing to sweep.
    const engine = await findEngine({ environment: { ...process.env, CI: undefined }, yes: false });
    try {
      const report = await sweep(engine, {
        dryRun: args['dry-run'],
        ...(olderThanMs === undefined ? {} : { olderThanMs }),
        onProgress: (text) => process.stderr.write(`${text}\n`),
      });
      if (args.json) console.log(JSON.stringify(report, null, 2));
      else {
        for (const group of report.groups) console.log(groupText(group, args['dry-run']));
        const files = report.staleFiles.length;
        if (files > 0)
          console.log(`${files} stale files ${args['dry-run'] ? 'would be removed' : 'removed'}`);
        if (report.groups.length + files === 0) console.log('Nothing of Squall is on this engine.');
      }
      if (report.groups.some(({ outcome }) => typeof outcome === 'object')) process.exitCode = EXIT.broken;
    } finally {
      engine.close();
    }
  },
};

function groupText(group: SweepGroup, dryRun: boolean): string {
  const what = `${group.bedId || group.runId}: ${group.containers} containers, ${group.networks} networks, ${formatDurationMs(group.ageMs)} old`;
  if (group.decision === 'leave') return `${what}: left, ${group.reason}`;
  if (dryRun) return `${what}: would be removed, ${group.reason}`;
  return typeof group.outcome === 'object'
    ? `${what}: NOT removed: ${group.outcome.failed}`
    : `${what}: removed, ${group.reason}`;
}
